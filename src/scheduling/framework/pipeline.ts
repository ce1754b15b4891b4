import type { AggregateView, HostView } from '../hosts/host-view.ts'
import type { SchedulingRequest } from '../hosts/request-view.ts'
import type { Filter } from './filter.ts'
import { getOrCompute } from './memoize.ts'
import { type FilterVerdict, keyOf, type Note, PASS, type Reason } from './refusal.ts'
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

/** What all filters say about a host. */
export interface Judgement {
  /** The refusals of every filter; empty for a host that passes. */
  readonly refusals: readonly FilterRefusal[]
  readonly notes: readonly FilterNote[]
}

interface HostExplanation<Host = HostView> extends Judgement {
  readonly host: Host
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

  readonly #saidNothing = new Said([], [])
  /** The aggregates of the last host that was refused because of them. */
  #lastRefusal: { readonly of: readonly AggregateView[] } | null = null

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

  /** Whether all filters pass. Asks those first that know the answer by the aggregates of a host. */
  passes(host: Host): boolean {
    const { aggregates } = host
    if (this.#lastRefusal?.of === aggregates) return false
    for (let at = 0; at < this.filters.length; at++)
      if (this.#filter(at).byAggregates === true && !this.#verdict(at, host).passes) {
        this.#lastRefusal = { of: aggregates }
        return false
      }
    for (let at = 0; at < this.filters.length; at++)
      if (this.#filter(at).byAggregates !== true && !this.#verdict(at, host).passes) return false
    return true
  }

  /** Runs every filter. Hosts with the same verdicts share the result. */
  judge(host: Host): Judgement {
    let said = this.#saidNothing
    for (let at = 0; at < this.filters.length; at++) {
      const verdict = this.#verdict(at, host)
      if (verdict !== PASS) said = said.with(this.#filter(at).name, verdict)
    }
    return said
  }

  explain(host: Host): HostExplanation<Host> {
    const { refusals, notes } = this.judge(host)
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

/** A judgement that grows filter by filter. Hosts with the same verdicts have the same object. */
class Said implements Judgement {
  readonly refusals: readonly FilterRefusal[]
  readonly notes: readonly FilterNote[]
  readonly #further = new Map<string, Map<FilterVerdict, Said>>()

  constructor(refusals: readonly FilterRefusal[], notes: readonly FilterNote[]) {
    this.refusals = refusals
    this.notes = notes
  }

  /** Together with the verdict of one more filter. */
  with(filter: string, verdict: FilterVerdict): Said {
    const known = getOrCompute(this.#further, filter, () => new Map<FilterVerdict, Said>())
    return getOrCompute(known, verdict, () => {
      const refusal = verdict.passes ? [] : [{ filter, reasons: verdict.reasons }]
      const notes = verdict.notes.map(note => ({ filter, note }))
      return new Said([...this.refusals, ...refusal], [...this.notes, ...notes])
    })
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

export function makeFunnel(
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
  return makeFunnelOfAlike(
    filters,
    refusals.map(one => [one, 1]),
  )
}

/** The same, with the number of hosts that have this first refusal. */
export function makeFunnelOfAlike(
  filters: readonly { readonly name: string }[],
  refusals: Iterable<readonly [FilterRefusal | null, number]>,
): readonly FunnelStep[] {
  const removed = new Map(filters.map(({ name }) => [name, new Map<string, number>()]))
  let passed = 0
  for (const [refusal, hosts] of refusals)
    if (refusal === null) passed += hosts
    else countUp(removed.get(refusal.filter) as Map<string, number>, refusal.reasons[0].code, hosts)
  return makeFunnel(removed, passed)
}

const countUp = <K>(counts: Map<K, number>, key: K, more = 1): unknown =>
  counts.set(key, (counts.get(key) ?? 0) + more)

/** How many hosts a filter refuses for a reason and, if the reason has one, a key. */
export interface HistogramBar {
  readonly filter: string
  readonly code: string
  readonly key: string | null
  readonly hosts: number
  /** How many of these hosts have no other reason. */
  readonly onlyReason: number
}

type Refusals = readonly FilterRefusal[]

/** Every reason of every host, most frequent first. A host counts once per bar. */
export function makeHistogram(judgements: Iterable<{ readonly refusals: Refusals }>): HistogramBar[] {
  const alike = new Map<Refusals, number>()
  for (const { refusals } of judgements) countUp(alike, refusals)
  return makeHistogramOfAlike(alike)
}

/** The same, with the number of hosts that have these refusals. */
export function makeHistogramOfAlike(alike: Iterable<readonly [Refusals, number]>): HistogramBar[] {
  const bars = new Map<string, { -readonly [K in keyof HistogramBar]: HistogramBar[K] }>()
  for (const [refusals, hosts] of alike) {
    const mine = new Map<string, { filter: string; code: string; key: string | null }>()
    for (const { filter, reasons } of refusals)
      for (const reason of reasons) {
        const { code } = reason
        const key = keyOf(reason)
        mine.set(`${filter} ${code} ${key}`, { filter, code, key })
      }
    for (const [id, of] of mine) {
      const bar = getOrCompute(bars, id, () => ({ ...of, hosts: 0, onlyReason: 0 }))
      bar.hosts += hosts
      if (mine.size === 1) bar.onlyReason += hosts
    }
  }
  return [...bars.values()].sort((a, b) => b.hosts - a.hosts || (a.filter < b.filter ? -1 : 1))
}
