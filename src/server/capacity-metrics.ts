import type { GaugeReading, Registry } from '../http/ops/metrics.ts'
import { Bitset } from '../kernel/bitset.ts'
import { type AggregateId, aggregateId, classId, providerSlot } from '../kernel/ids.ts'
import type { InventoryColumns } from '../world/inventories.ts'
import type { World } from '../world/world.ts'

/** Each aggregate has three series for every class of its members; more aggregates would slow down scrapes. */
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
  ['capacity', 'Capacity: (total - reserved) x allocation ratio'],
  ['used', 'Allocated amount'],
  ['reserved', 'Reserved amount'],
] as const

/** Capacity and usage, by resource class and by aggregate; added up once per scrape. */
export function addCapacityMetrics(
  registry: Registry,
  world: World,
  aggregatesMax = AGGREGATES_SHOWN_MAX,
): void {
  let seen = ''
  let sums: Sums = { byClass: [], byAggregate: [] }
  // All gauges of a scrape are read synchronously, so the first one does the work for all.
  const current = (): Sums => {
    const now = `${world.lives} ${world.revision}`
    if (seen !== now) sums = sumUp(world, aggregatesMax)
    seen = now
    return sums
  }
  const makeReading = (all: readonly Sum[], amount: keyof Omit<Sum, 'labels'>): GaugeReading =>
    all.map(sum => ({ labels: sum.labels, value: sum[amount] }))
  for (const [amount, help] of amounts) {
    registry.gauge(
      `berth_${amount}`,
      `${help}, by resource class.`,
      () => makeReading(current().byClass, amount),
      ['resource_class'],
    )
    registry.gauge(
      `berth_aggregate_${amount}`,
      `${help}, by aggregate and resource class. A provider counts where it or its root is a member. ` +
        `Only the first ${aggregatesMax} aggregates are shown.`,
      () => makeReading(current().byAggregate, amount),
      ['aggregate', 'resource_class'],
    )
  }
  registry.gauge('berth_aggregates_not_shown', 'Aggregates without series.', () =>
    Math.max(0, world.aggregates.size - aggregatesMax),
  )
}

/** One pass through the columns of each class, and one through those of each aggregate's members. */
function sumUp(world: World, aggregatesMax: number): Sums {
  const first = [...world.aggregates.rows()].sort((a, b) => a.id - b.id).slice(0, aggregatesMax)
  const aggregates = first.map(({ id, uuid }) => ({ uuid, slots: reachOf(world, aggregateId(id)) }))
  const byClass: Sum[] = []
  const byAggregate: Sum[] = []
  for (const { id, name } of world.classes.listInOrder()) {
    const columns = world.inventories.columns(classId(id))
    if (columns === undefined || columns.present.size === 0) continue
    byClass.push(sumOver(columns, slotsIn(columns.present), [name]) as Sum)
    for (const { uuid, slots } of aggregates) {
      const sum = sumOver(columns, slots, [uuid, name])
      if (sum !== null) byAggregate.push(sum)
    }
  }
  return { byClass, byAggregate }
}

/** The members of an aggregate, each once: a root with its whole tree, any other provider alone. */
function reachOf({ providers, providerAggregates }: World, id: AggregateId): Int32Array {
  const members = providerAggregates.members(id) ?? new Bitset()
  if (!providers.hasTrees) return slotsIn(members)
  const slots: number[] = []
  for (const member of slotsIn(members)) {
    const root = providers.rootOf(providerSlot(member))
    if (root === member) slots.push(...providers.listSubtree(root))
    else if (!members.has(root)) slots.push(member)
  }
  return Int32Array.from(slots)
}

/** No iterator: there may be a hundred thousand providers, and a scrape waits. */
function slotsIn(set: Bitset): Int32Array {
  const slots = new Int32Array(set.size)
  let found = 0
  for (let at = set.from; at < set.end; at++)
    for (let word = set.word(at); word !== 0; word = (word & (word - 1)) >>> 0)
      slots[found++] = (at << 5) + (31 - Math.clz32(word & -word))
  return slots
}

/** Null if none of them has an inventory of the class. */
function sumOver(columns: InventoryColumns, slots: Int32Array, labels: readonly string[]): Sum | null {
  const { capacity, used, reserved, present } = columns
  const sum = { labels, capacity: 0, used: 0, reserved: 0 }
  let count = 0
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at]!
    if (!present.has(slot)) continue
    count++
    sum.capacity += capacity[slot]!
    sum.used += used[slot]!
    sum.reserved += reserved[slot]!
  }
  return count === 0 ? null : sum
}
