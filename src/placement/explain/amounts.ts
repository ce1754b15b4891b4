import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'

const AMOUNTS_MAX = 40

/**
 * Amounts of a class that some provider could give now: smaller than requested, largest first; then larger
 * ones, smallest first.
 */
export function amountsGiven(
  world: World,
  name: string,
  asked: number,
): { below: number[]; above: number[] } {
  const id = world.classes.id(name)
  const columns = id === undefined ? undefined : world.inventories.columns(id)
  const below = new Set<number>()
  const above = new Set<number>()
  for (const slot of columns?.present ?? []) {
    const provider = slot as ProviderSlot
    const step = columns?.stepSize[provider] as number
    const least = Math.ceil((columns?.minUnit[provider] as number) / step) * step
    const free = Math.trunc(columns?.capacity[provider] as number) - (columns?.used[provider] as number)
    const most = Math.floor(Math.min(free, columns?.maxUnit[provider] as number) / step) * step
    if (most < least) continue
    const under = Math.min(most, Math.floor((asked - 1) / step) * step)
    if (under >= least) below.add(under)
    const over = Math.max(least, Math.ceil((asked + 1) / step) * step)
    if (over <= most) above.add(over)
    // The provider may have to serve other resources too, so its smallest amount is worth a try.
    if (least < asked) below.add(least)
  }
  const limitAmounts = (amounts: number[]) => amounts.slice(0, AMOUNTS_MAX)
  return {
    below: limitAmounts([...below].sort((a, b) => b - a)),
    above: limitAmounts([...above].sort((a, b) => a - b)).slice(0, 5),
  }
}
