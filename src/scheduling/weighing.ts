import { assert } from '../kernel/assert.ts'
import { type Least, leastNumber } from './aggregate-metadata.ts'
import type { AggregateView, HostView } from './host-view.ts'
import { floatOf } from './operators/python-text.ts'
import type { Note } from './refusal.ts'
import type { SchedulingRequest } from './request-view.ts'
import type { SchedulingSettings } from './settings.ts'
import type { Weigher } from './weigher.ts'
import { knownOr } from './worked-out.ts'

/** What one weigher adds to the weight of a host: normalized × multiplier. */
export interface Contribution {
  readonly weigher: string
  readonly raw: number
  /** From 0 for the worst host to 1 for the best; 0 for all where they are equal. */
  readonly normalized: number
  readonly multiplier: number
  readonly weight: number
  readonly notes: readonly Note[]
}

/** Hosts by weight. Contributions stand in columns, and are put together only for the hosts that are asked about. */
export class Weighing {
  readonly #hosts: readonly HostView[]
  readonly #columns: readonly Column[]
  /** Of the hosts, in the order they were given. */
  readonly weights: Float64Array
  /** Best first; hosts of the same weight as they were given. */
  readonly ranking: readonly number[]

  constructor(hosts: readonly HostView[], columns: readonly Column[]) {
    this.#hosts = hosts
    this.#columns = columns
    this.weights = new Float64Array(hosts.length)
    for (const { normalized, multipliers } of columns)
      for (let at = 0; at < hosts.length; at++) this.weights[at]! += normalized[at]! * multipliers[at]!
    this.ranking = hosts.map((_, at) => at).sort((a, b) => this.weights[b]! - this.weights[a]!)
  }

  /** The hosts, best first. */
  ranked(): HostView[] {
    return this.ranking.map(at => this.#hosts[at] as HostView)
  }

  /** What made the weight of a host, by its place among those given. Empty where there was nothing to compare. */
  contributions(at: number): Contribution[] {
    return this.#columns.map(({ weigher, raw, normalized, multipliers, notes }) => {
      const multiplier = multipliers[at] as number
      return {
        weigher: weigher.name,
        raw: raw[at] as number,
        normalized: normalized[at] as number,
        multiplier,
        weight: (normalized[at] as number) * multiplier,
        notes: notes((this.#hosts[at] as HostView).aggregates),
      }
    })
  }
}

interface Column {
  readonly weigher: Weigher
  readonly raw: Float64Array
  readonly normalized: Float64Array
  readonly multipliers: Float64Array
  notes(aggregates: readonly AggregateView[]): readonly Note[]
}

/** Each weigher's measure is stretched over the hosts, multiplied, and added up. A lone host is not weighed. */
export function weighHosts(
  weighers: readonly Weigher[],
  request: SchedulingRequest,
  hosts: readonly HostView[],
  settings: SchedulingSettings,
): Weighing {
  if (hosts.length <= 1) return new Weighing(hosts, [])
  return new Weighing(
    hosts,
    weighers.map(weigher => columnOf(weigher, request, hosts, settings)),
  )
}

function columnOf(
  weigher: Weigher,
  request: SchedulingRequest,
  hosts: readonly HostView[],
  settings: SchedulingSettings,
): Column {
  const raw = measured(hosts, host => weigher.weigh(request, host, settings))
  const known = new Map<readonly AggregateView[], Least>()
  const multiplier = (aggregates: readonly AggregateView[]): Least =>
    knownOr(known, aggregates, () => multiplierOf(weigher, aggregates, settings))
  const sign = weigher.isNegated === true ? -1 : 1
  return {
    weigher,
    raw,
    normalized: normalized(raw, weigher.least),
    multipliers: measured(hosts, ({ aggregates }) => sign * multiplier(aggregates).value),
    notes: aggregates => multiplier(aggregates).notes,
  }
}

/** Of every host a number. A plain loop: it runs for every weigher over every host of a cloud. */
function measured(hosts: readonly HostView[], measure: (host: HostView) => number): Float64Array {
  const column = new Float64Array(hosts.length)
  for (let at = 0; at < hosts.length; at++) column[at] = measure(hosts[at] as HostView)
  assert(column.every(Number.isFinite), 'hosts are weighed with numbers')
  return column
}

/** From 0 to 1 between the least and the greatest; the least may be given. All equal: 0. */
export function normalized(raw: Float64Array, least?: number): Float64Array {
  let min = least ?? Number.POSITIVE_INFINITY
  let max = least ?? Number.NEGATIVE_INFINITY
  for (const one of raw) {
    if (one > max) max = one
    if (least === undefined && one < min) min = one
  }
  const range = max - min
  return range === 0 ? new Float64Array(raw.length) : raw.map(one => (Math.max(one, min) - min) / range)
}

/** As large as configuration lets them be: past that, sums have no end and no host could be told from another. */
const MULTIPLIER_MAX = 1e15

/** A multiplier that is no number, or too large a one, counts as unreadable. */
function finiteOf(text: string): number | null {
  const number = floatOf(text)
  return number !== null && Math.abs(number) <= MULTIPLIER_MAX ? number : null
}

/** What a setting says, or the weigher's own. */
export const multiplierFor = (
  { multiplierKey, multiplier }: Weigher,
  { weightMultipliers }: SchedulingSettings,
): number =>
  Object.hasOwn(weightMultipliers, multiplierKey) ? (weightMultipliers[multiplierKey] as number) : multiplier

const multiplierOf = (
  weigher: Weigher,
  aggregates: readonly AggregateView[],
  settings: SchedulingSettings,
): Least => leastNumber(aggregates, weigher.multiplierKey, multiplierFor(weigher, settings), finiteOf)
