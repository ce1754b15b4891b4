import type { AggregateView, HostView } from '../hosts/host-view.ts'
import type { SchedulingRequest } from '../hosts/request-view.ts'
import type { Filter } from './filter.ts'
import { getOrCompute } from './memoize.ts'
import { type FilterVerdict, keyOf, type Note, type Reason } from './refusal.ts'
import type { SchedulingSettings } from './settings.ts'

/** A refusal with the name of the filter, which the pipeline adds. */
export interface FilterRefusal {
  readonly filter: string
  readonly reasons: readonly [Reason, ...Reason[]]
}

export interface FilterNote {
  readonly filter: string
  readonly note: Note
}

export interface HostExplanation<Host = HostView> {
  readonly host: Host
  /** The refusals of every filter; empty for a host that passes. */
  readonly refusals: readonly FilterRefusal[]
  readonly notes: readonly FilterNote[]
}

/** A pipeline places something somewhere: an instance on a host, a share in a pool. */
interface AnyHost {
  readonly aggregates: readonly AggregateView[]
}
interface AnyRequest {
  readonly operation: string
}

/** The filters for one request. Verdicts by list of aggregates are cached. */
export class FilterPipeline<
  Host extends AnyHost = HostView,
  Request extends AnyRequest = SchedulingRequest,
  Settings = SchedulingSettings,
> {
  readonly filters: readonly Filter<Host, Request, Settings>[]
  readonly #request: Request
  readonly #settings: Settings
  /** By list of aggregates, the verdicts of filters that read nothing else, by index. */
  readonly #known = new Map<readonly AggregateView[], (FilterVerdict | undefined)[]>()
  /** The verdicts for the last host: the next one is mostly in the same aggregates. */
  #last: { readonly of: readonly AggregateView[] | null; readonly verdicts: (FilterVerdict | undefined)[] } =
    {
      of: null,
      verdicts: [],
    }

  constructor(filters: readonly Filter<Host, Request, Settings>[], request: Request, settings: Settings) {
    this.filters =
      request.operation === 'rebuild' ? filters.filter(({ onRebuild }) => onRebuild === true) : filters
    this.#request = request
    this.#settings = settings
  }

  /** The first refusal, in the order of the filters; null for a host that passes. */
  findFirstRefusal(host: Host): FilterRefusal | null {
    for (let at = 0; at < this.filters.length; at++) {
      const verdict = this.#verdict(at, host)
      if (!verdict.passes) return { filter: this.#filter(at).name, reasons: verdict.reasons }
    }
    return null
  }

  /** Runs every filter. */
  explain(host: Host): HostExplanation<Host> {
    const refusals: FilterRefusal[] = []
    const notes: FilterNote[] = []
    for (const [at, { name }] of this.filters.entries()) {
      const verdict = this.#verdict(at, host)
      if (!verdict.passes) refusals.push({ filter: name, reasons: verdict.reasons })
      for (const note of verdict.notes) notes.push({ filter: name, note })
    }
    return { host, refusals, notes }
  }

  /** The hosts that pass, in order, and how many each filter left and removed. */
  runFilters(hosts: Iterable<Host>): Sifted<Host> {
    const passed: Host[] = []
    const removed = new Map(this.filters.map(({ name }) => [name, new Map<string, number>()]))
    for (const host of hosts) {
      const refusal = this.findFirstRefusal(host)
      if (refusal === null) passed.push(host)
      else countUp(removed.get(refusal.filter) as Map<string, number>, refusal.reasons[0].code)
    }
    return { passed, funnel: makeFunnel(removed, passed.length) }
  }

  #filter(at: number): Filter<Host, Request, Settings> {
    return this.filters[at] as Filter<Host, Request, Settings>
  }

  #verdict(at: number, host: Host): FilterVerdict {
    const filter = this.#filter(at)
    if (filter.byAggregates !== true) return filter.check(this.#request, host, this.#settings)
    const verdicts = this.#getVerdicts(host.aggregates)
    const known = verdicts[at]
    if (known !== undefined) return known
    const verdict = filter.check(this.#request, host, this.#settings)
    verdicts[at] = verdict
    return verdict
  }

  #getVerdicts(aggregates: readonly AggregateView[]): (FilterVerdict | undefined)[] {
    if (this.#last.of !== aggregates)
      this.#last = {
        of: aggregates,
        verdicts: getOrCompute(this.#known, aggregates, () => this.filters.map(() => undefined)),
      }
    return this.#last.verdicts
  }
}

interface Sifted<Host = HostView> {
  readonly passed: readonly Host[]
  readonly funnel: readonly FunnelStep[]
}

/** How many hosts reached a filter, and how many passed it. */
export interface FunnelStep {
  readonly filter: string
  readonly before: number
  readonly after: number
  /** By the first reason of each host, most frequent first. */
  readonly removed: readonly { readonly code: string; readonly hosts: number }[]
}

function makeFunnel(
  removed: ReadonlyMap<string, ReadonlyMap<string, number>>,
  passed: number,
): readonly FunnelStep[] {
  const steps: FunnelStep[] = []
  let after = passed
  for (const [filter, counts] of [...removed].reverse()) {
    const before = after + counts.values().reduce((sum, hosts) => sum + hosts, 0)
    const byFrequency = [...counts]
      .map(([code, hosts]) => ({ code, hosts }))
      .sort((a, b) => b.hosts - a.hosts)
    steps.push({ filter, before, after, removed: byFrequency })
    after = before
  }
  return steps.reverse()
}

/** The same, from the first refusal of each host; null for a host that passed. */
export function makeFunnelOf(
  filters: readonly { readonly name: string }[],
  refusals: readonly (FilterRefusal | null)[],
): readonly FunnelStep[] {
  const removed = new Map(filters.map(({ name }) => [name, new Map<string, number>()]))
  let passed = 0
  for (const refusal of refusals)
    if (refusal === null) passed++
    else countUp(removed.get(refusal.filter) as Map<string, number>, refusal.reasons[0].code)
  return makeFunnel(removed, passed)
}

const countUp = <K>(counts: Map<K, number>, key: K): unknown => counts.set(key, (counts.get(key) ?? 0) + 1)

/** How many hosts a filter refuses for a reason and, if the reason has one, a key. */
export interface HistogramBar {
  readonly filter: string
  readonly code: string
  readonly key: string | null
  readonly hosts: number
  /** How many of these hosts have no other reason. */
  readonly onlyReason: number
}

/** Every reason of every host, most frequent first. A host counts once per bar. */
export function makeHistogram(explanations: Iterable<HostExplanation<unknown>>): HistogramBar[] {
  const bars = new Map<string, { -readonly [K in keyof HistogramBar]: HistogramBar[K] }>()
  for (const { refusals } of explanations) {
    const mine = new Map<string, { filter: string; code: string; key: string | null }>()
    for (const { filter, reasons } of refusals)
      for (const reason of reasons) {
        const { code } = reason
        const key = keyOf(reason)
        mine.set(`${filter} ${code} ${key}`, { filter, code, key })
      }
    for (const [id, of] of mine) {
      const bar = getOrCompute(bars, id, () => ({ ...of, hosts: 0, onlyReason: 0 }))
      bar.hosts++
      if (mine.size === 1) bar.onlyReason++
    }
  }
  return [...bars.values()].sort((a, b) => b.hosts - a.hosts || (a.filter < b.filter ? -1 : 1))
}
