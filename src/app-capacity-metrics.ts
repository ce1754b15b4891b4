import type { GaugeReading, Registry } from './http/metrics.ts'
import { type AggregateId, aggregateId, classId, type ProviderSlot, providerSlot } from './kernel/ids.ts'
import type { InventoryColumns } from './world/inventories.ts'
import type { World } from './world/world.ts'

/** Each aggregate has three series for every class that its members have: more would burden whoever scrapes. */
const AGGREGATES_SHOWN_MAX = 200

interface Sum {
  readonly labels: readonly string[]
  readonly capacity: number
  readonly used: number
  readonly reserved: number
}

interface Sums {
  readonly byClass: readonly Sum[]
  readonly byAggregate: readonly Sum[]
}

const amounts = [
  ['capacity', 'What can be given out: (total - reserved) x allocation ratio'],
  ['used', 'What is given out'],
  ['reserved', 'What is kept back'],
] as const

/** What there is and what is used, by resource class and by aggregate; summed up once for each scrape. */
export function addCapacityMetrics(
  registry: Registry,
  world: World,
  aggregatesMax = AGGREGATES_SHOWN_MAX,
): void {
  let revision = -1
  let sums: Sums = { byClass: [], byAggregate: [] }
  // All gauges of a scrape are read in one breath, so the first one does the work for all.
  const current = (): Sums => {
    if (revision !== world.revision) sums = sumUp(world, aggregatesMax)
    revision = world.revision
    return sums
  }
  const reading = (all: readonly Sum[], amount: keyof Omit<Sum, 'labels'>): GaugeReading =>
    all.map(sum => ({ labels: sum.labels, value: sum[amount] }))
  for (const [amount, help] of amounts) {
    registry.gauge(
      `berth_${amount}`,
      `${help}, by resource class.`,
      () => reading(current().byClass, amount),
      ['resource_class'],
    )
    registry.gauge(
      `berth_aggregate_${amount}`,
      `${help}, by aggregate and resource class. A provider counts where it or its root is a member. ` +
        `Only the first ${aggregatesMax} aggregates are shown.`,
      () => reading(current().byAggregate, amount),
      ['aggregate', 'resource_class'],
    )
  }
  registry.gauge('berth_aggregates_not_shown', 'Aggregates that have no series of their own.', () =>
    Math.max(0, world.aggregates.size - aggregatesMax),
  )
}

/** One pass through the columns of each class. */
function sumUp(world: World, aggregatesMax: number): Sums {
  const aggregates = [...world.aggregates.rows()].sort((a, b) => a.id - b.id).slice(0, aggregatesMax)
  const places = new Map(aggregates.map(({ id }, place) => [aggregateId(id), place]))
  const byClass: Sum[] = []
  const byAggregate: Sum[] = []
  for (const { id, name } of world.classes.inOrder()) {
    const columns = world.inventories.columns(classId(id))
    if (columns === undefined || columns.present.size === 0) continue
    const all = new Tally(1)
    const each = new Tally(aggregates.length)
    forEachPresent(columns, slot => {
      const [capacity, used, reserved] = [
        columns.capacity[slot]!,
        columns.used[slot]!,
        columns.reserved[slot]!,
      ]
      all.add(0, capacity, used, reserved)
      forEachPlace(world, providerSlot(slot), places, place => each.add(place, capacity, used, reserved))
    })
    byClass.push(all.sum(0, [name]))
    aggregates.forEach(({ uuid }, place) => {
      if (each.counts[place]! > 0) byAggregate.push(each.sum(place, [uuid, name]))
    })
  }
  return { byClass, byAggregate }
}

/** Sums side by side, one for each place. */
class Tally {
  readonly counts: Uint32Array
  readonly #amounts: Float64Array

  constructor(places: number) {
    this.counts = new Uint32Array(places)
    this.#amounts = new Float64Array(places * 3)
  }

  add(place: number, capacity: number, used: number, reserved: number): void {
    this.counts[place]!++
    this.#amounts[place * 3]! += capacity
    this.#amounts[place * 3 + 1]! += used
    this.#amounts[place * 3 + 2]! += reserved
  }

  sum(place: number, labels: readonly string[]): Sum {
    const [capacity, used, reserved] = this.#amounts.subarray(place * 3, place * 3 + 3)
    return { labels, capacity: capacity!, used: used!, reserved: reserved! }
  }
}

function forEachPresent({ present: { words } }: InventoryColumns, visit: (slot: number) => void): void {
  for (let at = 0; at < words.length; at++)
    for (let word = words[at]!; word !== 0; word = (word & (word - 1)) >>> 0)
      visit((at << 5) + (31 - Math.clz32(word & -word)))
}

function forEachPlace(
  world: World,
  slot: ProviderSlot,
  places: ReadonlyMap<AggregateId, number>,
  visit: (place: number) => void,
): void {
  const { providers, providerAggregates } = world
  const own = providerAggregates.of(slot)
  for (const id of own) {
    const place = places.get(id)
    if (place !== undefined) visit(place)
  }
  const root = providers.rootOf(slot)
  if (root === slot) return
  for (const id of providerAggregates.of(root)) {
    const place = own.includes(id) ? undefined : places.get(id)
    if (place !== undefined) visit(place)
  }
}
