import { assert } from '../../kernel/assert.ts'
import { ownValue } from '../../kernel/records.ts'
import { findLeastNumber, type Least } from '../hosts/aggregate-metadata.ts'
import type { AggregateView, HostView } from '../hosts/host-view.ts'
import type { SchedulingRequest } from '../hosts/request-view.ts'
import { parseFloat64 } from '../operators/python-text.ts'
import { getOrCompute } from './memoize.ts'
import type { Note } from './refusal.ts'
import type { SchedulingSettings } from './settings.ts'
import type { Weigher } from './weigher.ts'

/** What one weigher adds to the weight of a host: normalized × multiplier. */
export interface Contribution {
  readonly weigher: string
  readonly raw: number
  /** From 0 for the worst host to 1 for the best; 0 for all if they are equal. */
  readonly normalized: number
  readonly multiplier: number
  readonly weight: number
  readonly notes: readonly Note[]
  /** What was measured, in words. */
  readonly text?: string
}

/** Hosts by weight. Contributions are stored in columns, and combined only for requested hosts. */
export class Weighing<Host extends AnyHost = HostView> {
  readonly #hosts: readonly Host[]
  readonly #columns: readonly Column<Host>[]
  /** In the order of the given hosts. */
  readonly weights: Float64Array
  #ranking: readonly number[] | null = null

  constructor(hosts: readonly Host[], columns: readonly Column<Host>[]) {
    this.#hosts = hosts
    this.#columns = columns
    this.weights = new Float64Array(hosts.length)
    const { weights } = this
    for (const { normalized, multipliers } of columns)
      for (let at = 0; at < hosts.length; at++) weights[at]! += normalized[at]! * multipliers[at]!
  }

  /** Best first; hosts of the same weight in the given order. */
  get ranking(): readonly number[] {
    this.#ranking ??= rankWeights(this.weights)
    return this.#ranking
  }

  listRanked(): Host[] {
    return this.ranking.map(at => this.#hosts[at] as Host)
  }

  /**
   * The contributions to a host's weight, by its index. Empty for a single host. Weighers explain `host`: that host, or
   * what was weighed as it.
   */
  listContributions(at: number, host: Host = this.#hosts[at] as Host): Contribution[] {
    return this.#columns.map(({ weigher, raw, normalized, multipliers, notes, explain }) => {
      const multiplier = multipliers[at] as number
      const text = explain(host)
      return {
        weigher: weigher.name,
        raw: raw[at] as number,
        normalized: normalized[at] as number,
        multiplier,
        weight: (normalized[at] as number) * multiplier,
        notes: notes(host.aggregates),
        ...(text !== undefined && { text }),
      }
    })
  }
}

/** The indexes of weights, highest first; equal ones in order. */
export const rankWeights = (weights: Float64Array): number[] =>
  Array.from(weights, (_, at) => at).sort((a, b) => weights[b]! - weights[a]!)

/** The first `count` of that, without sorting the others. */
export function rankBest(weights: Float64Array, count: number): number[] {
  const best: number[] = []
  for (let at = 0; at < weights.length; at++) {
    const weight = weights[at] as number
    if (best.length === count && weight <= (weights[best[count - 1] as number] as number)) continue
    let place = best.length
    while (place > 0 && weight > (weights[best[place - 1] as number] as number)) place--
    best.splice(place, 0, at)
    if (best.length > count) best.pop()
  }
  return best
}

interface AnyHost {
  readonly aggregates: readonly AggregateView[]
}
interface AnySettings {
  readonly weightMultipliers: Readonly<Record<string, number>>
}

type Multiplied = Pick<Weigher, 'multiplierKey' | 'multiplier'>

interface Column<Host> {
  readonly weigher: { readonly name: string }
  readonly raw: Float64Array
  readonly normalized: Float64Array
  readonly multipliers: Float64Array
  notes(aggregates: readonly AggregateView[]): readonly Note[]
  explain(host: Host): string | undefined
}

/** Normalizes each weigher's measure over the hosts, multiplies, and adds up. A single host is not weighed. */
export function weighHosts<
  Host extends AnyHost = HostView,
  Request = SchedulingRequest,
  Settings extends AnySettings = SchedulingSettings,
>(
  weighers: readonly Weigher<Host, Request, Settings>[],
  request: Request,
  hosts: readonly Host[],
  settings: Settings,
): Weighing<Host> {
  if (hosts.length <= 1) return new Weighing(hosts, [])
  return new Weighing(
    hosts,
    weighers.map(weigher => makeColumn(weigher, request, hosts, settings)),
  )
}

/**
 * The same order and weights for a choice that needs no explanation: skips weighers that add nothing, and
 * lists only the contributions of the others.
 */
export function rankHosts<Host extends AnyHost, Request, Settings extends AnySettings>(
  weighers: readonly Weigher<Host, Request, Settings>[],
  request: Request,
  hosts: readonly Host[],
  settings: Settings,
): Weighing<Host> {
  return weighHosts(listCounting(weighers, request, hosts, settings), request, hosts, settings)
}

/** The weighers that may tell some of the hosts apart. */
export function listCounting<Host extends AnyHost, Request, Settings extends AnySettings>(
  weighers: readonly Weigher<Host, Request, Settings>[],
  request: Request,
  hosts: readonly Host[],
  settings: Settings,
): readonly Weigher<Host, Request, Settings>[] {
  const aggregates = new Set([...new Set(hosts.map(host => host.aggregates))].flat())
  return weighers.filter(
    weigher =>
      weigher.isIdle?.(request, settings) !== true &&
      (findMultiplier(weigher, settings) !== 0 ||
        aggregates.values().some(({ metadata }) => metadata.has(weigher.multiplierKey))),
  )
}

function makeColumn<Host extends AnyHost, Request, Settings extends AnySettings>(
  weigher: Weigher<Host, Request, Settings>,
  request: Request,
  hosts: readonly Host[],
  settings: Settings,
): Column<Host> {
  const raw = measureAll(hosts, host => weigher.weigh(request, host, settings))
  const known = new Map<readonly AggregateView[], Least>()
  const multiplier = (aggregates: readonly AggregateView[]): Least =>
    getOrCompute(known, aggregates, () => multiplierOf(weigher, aggregates, settings))
  // The next host is mostly in the same aggregates.
  let last: { readonly of: readonly AggregateView[] | null; readonly value: number } = { of: null, value: 0 }
  const readSigned = ({ aggregates }: AnyHost): number => {
    if (last.of !== aggregates)
      last = { of: aggregates, value: signOf(weigher) * multiplier(aggregates).value }
    return last.value
  }
  return {
    weigher,
    raw,
    normalized: normalize(raw, weigher.least),
    multipliers: measureAll(hosts, readSigned),
    notes: aggregates => multiplier(aggregates).notes,
    explain: host => weigher.explain?.(request, host, settings),
  }
}

/** One number per host. A plain loop: it runs for every weigher over every host of a cloud. */
function measureAll<Host>(hosts: readonly Host[], measure: (host: Host) => number): Float64Array {
  const column = new Float64Array(hosts.length)
  let areNumbers = true
  for (let at = 0; at < hosts.length; at++) {
    const value = measure(hosts[at] as Host)
    column[at] = value
    if (!Number.isFinite(value)) areNumbers = false
  }
  assert(areNumbers, 'hosts are weighed with numbers')
  return column
}

/** From 0 to 1 between the minimum and the maximum; the minimum may be given. All equal: 0. */
export function normalize(raw: Float64Array, least?: number): Float64Array {
  let min = least ?? Number.POSITIVE_INFINITY
  let max = least ?? Number.NEGATIVE_INFINITY
  for (let at = 0; at < raw.length; at++) {
    const one = raw[at] as number
    if (one > max) max = one
    if (least === undefined && one < min) min = one
  }
  const range = max - min
  const stretched = new Float64Array(raw.length)
  if (range !== 0)
    for (let at = 0; at < raw.length; at++) stretched[at] = (Math.max(raw[at] as number, min) - min) / range
  return stretched
}

/** The maximum in the configuration: beyond it, sums become infinite and hosts cannot be compared. */
const MULTIPLIER_MAX = 1e15

/** A multiplier that is not a number or is too large counts as invalid. */
function parseFinite(text: string): number | null {
  const number = parseFloat64(text)
  return number !== null && Math.abs(number) <= MULTIPLIER_MAX ? number : null
}

/** The setting, or the weigher's default. */
export const findMultiplier = (
  { multiplierKey, multiplier }: Multiplied,
  { weightMultipliers }: AnySettings,
): number =>
  Object.hasOwn(weightMultipliers, multiplierKey)
    ? (ownValue(weightMultipliers, multiplierKey) as number)
    : multiplier

const signOf = ({ isNegated }: Pick<Weigher, 'isNegated'>): number => (isNegated === true ? -1 : 1)

/** The multiplier of hosts in these aggregates, with its sign, and notes about metadata. */
export function findSignedMultiplier(
  weigher: Multiplied & Pick<Weigher, 'isNegated'>,
  aggregates: readonly AggregateView[],
  settings: AnySettings,
): Pick<Least, 'value' | 'notes'> {
  const { value, notes } = multiplierOf(weigher, aggregates, settings)
  return { value: signOf(weigher) * value, notes }
}

const multiplierOf = (
  weigher: Multiplied,
  aggregates: readonly AggregateView[],
  settings: AnySettings,
): Least => findLeastNumber(aggregates, weigher.multiplierKey, findMultiplier(weigher, settings), parseFinite)
