/** Servers that come and go, on flat hosts. */
import type { SchedulingSetup } from '../../src/scheduling/framework/setup.ts'
import { Cloud, group, type Kind } from './cloud.ts'
import { Departures } from './departures.ts'
import type { Traces } from './traces.ts'

const CORES = 48
const MEMORY_GIB = 336
const HOUR_S = 3_600

interface Arrival {
  readonly atS: number
  readonly batch: string
  readonly kind: Kind
  readonly cores: number
  /** Null if it stays. */
  readonly lifetimeS: number | null
}

export function readAzure(traces: Traces, name: string): readonly Arrival[] {
  const kinds = new Map<string, Kind>()
  return traces.read(name).map(row => {
    const cores = Number(row.vcpus)
    const memory = Math.round(Number(row.memory_gib) * 1_024)
    const kindName = `${cores}-${memory}`
    let kind = kinds.get(kindName)
    if (kind === undefined) {
      kind = { name: kindName, groups: [group('', { VCPU: cores, MEMORY_MB: memory })] }
      kinds.set(kindName, kind)
    }
    const lifetimeS = row.lifetime_s === '' ? null : Number(row.lifetime_s)
    return { atS: Number(row.at_s), batch: row.batch as string, kind, cores, lifetimeS }
  })
}

interface AzureOutcome {
  readonly refused: number
  /** In per cent: hosts without a server, and cores used on the others, means of every hour after a third. */
  readonly empty: number
  readonly used: number
  readonly decisions: number
}

export function replayAzure(
  arrivals: readonly Arrival[],
  setup: SchedulingSetup,
  hosts: number,
): AzureOutcome {
  const cloud = new Cloud(
    Array.from({ length: hosts }, (_, nth) => ({
      name: `host-${nth}`,
      inventories: { VCPU: CORES, MEMORY_MB: MEMORY_GIB * 1_024 },
      traits: [],
      children: [],
    })),
    setup,
    1,
  )
  const endS = (arrivals.at(-1) as Arrival).atS
  const departures = new Departures()
  const samples: (readonly [empty: number, used: number])[] = []
  let refused = 0
  let sampleS = HOUR_S
  const passTo = (atS: number): void => {
    for (;;) {
      const next = departures.nextS
      if (Math.min(next, sampleS) > atS) return
      if (next <= sampleS) cloud.remove(departures.pop())
      else {
        if (sampleS >= endS / 3) samples.push(sample(cloud))
        sampleS += HOUR_S
      }
    }
  }
  arrivals.forEach(({ atS, kind, batch, lifetimeS }, nth) => {
    passTo(atS)
    if (!cloud.place(nth, kind, atS * 1_000, `batch-${batch}`)) refused++
    else if (lifetimeS !== null) departures.push(atS + lifetimeS, nth)
  })
  passTo(endS)
  const mean = (of: 0 | 1): number => (100 * samples.reduce((sum, one) => sum + one[of], 0)) / samples.length
  return { refused, empty: mean(0), used: mean(1), decisions: arrivals.length }
}

function sample({ world }: Cloud): readonly [number, number] {
  const columns = world.inventories.columns(world.classes.id('VCPU') as never)
  let [empty, used, cores] = [0, 0, 0]
  for (const slot of columns?.present ?? []) {
    const own = columns?.used[slot] as number
    if (own === 0) empty++
    else {
      used += own
      cores += CORES
    }
  }
  return [empty / (columns?.present.size ?? 1), used / cores]
}
