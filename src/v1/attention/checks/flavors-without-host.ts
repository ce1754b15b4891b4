import { countText } from '../../../kernel/count-text.ts'
import type { ProviderSlot } from '../../../kernel/ids.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { FlavorFits, makeFlavorAsk } from '../../../scheduling/hosts/flavor-fits.ts'
import { isHost, listAllHosts } from '../../../scheduling/hosts/hosts.ts'
import { describeAskRefusal, findCommonReason, findProjectOf } from '../../explain/why-nowhere.ts'
import { type AttentionCheck, type CheckRun, WorstItems } from '../check.ts'

/** Flavors beyond this number are not checked; the text tells how many. */
const FLAVORS_MAX = 1_000

/** The host where each flavor fitted last: the next run tries it first. */
const lastHosts = new WeakMap<object, Map<string, ProviderSlot>>()

/** No host takes another server of the flavor. */
export const flavorsWithoutHost: AttentionCheck = {
  code: 'flavor.fits-nowhere',
  what: 'Flavors of which no host takes another server, and why, in three words.',
  severity: 'warning',
  operation: 'berth:explain:hosts',
  restMs: 5_000,
  async find(run) {
    const { world } = run
    const hosts = listAllHosts(world)
    if (hosts.length === 0) return null
    const all = world.compute.flavors.all().sort((a, b) => (a.name < b.name ? -1 : 1))
    const known = lastHosts.get(world) ?? new Map<string, ProviderSlot>()
    lastHosts.set(world, known)
    const worst = new WorstItems()
    let first: string | null = null
    for (const { flavorid } of all.slice(0, FLAVORS_MAX)) {
      const why = await findWhyNowhere(run, flavorid, hosts, known)
      const flavor = world.compute.flavors.find(flavorid)
      if (why === null || flavor === undefined) continue
      first ??= flavor.name
      const link = `/why?flavor=${encodeURIComponent(flavor.name)}`
      worst.add(0, { name: flavor.name, text: why, link })
    }
    if (first === null) return null
    const unchecked = all.length > FLAVORS_MAX ? `, of the first ${FLAVORS_MAX} by name` : ''
    return {
      total: worst.total,
      text: `${countText(worst.total, 'flavor fits', 'flavors fit')} on no host${unchecked}`,
      link: `/why?flavor=${encodeURIComponent(first)}`,
      command: `berth explain schedule ${shellWord(first)}`,
      items: worst.list(),
    }
  },
}

/** The reason in three words; null if the flavor fits somewhere, or was deleted meanwhile. */
async function findWhyNowhere(
  { world, setup, turns }: CheckRun,
  flavorid: string,
  hosts: readonly ProviderSlot[],
  known: Map<string, ProviderSlot>,
): Promise<string | null> {
  const prepare = () => {
    const row = world.compute.flavors.find(flavorid)
    return row === undefined
      ? null
      : FlavorFits.of(world, makeFlavorAsk(world, row, findProjectOf(world, row), ''), setup)
  }
  let fits = prepare()
  let { revision } = world
  const before = known.get(flavorid)
  for (const slot of before === undefined ? hosts : [before, ...hosts]) {
    // Prepared data is valid until the state changes.
    if ((await turns.give()) && world.revision !== revision) {
      fits = prepare()
      revision = world.revision
    }
    if (fits === null) return null
    if ('kind' in fits) return describeAskRefusal(fits)
    if (!isHost(world, slot) || fits.countOn(slot).servers === 0) continue
    known.set(flavorid, slot)
    return null
  }
  known.delete(flavorid)
  return findCommonReason({ world, setup, turns }, flavorid, null, hosts)
}
