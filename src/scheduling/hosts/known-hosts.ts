import { assert } from '../../kernel/assert.ts'
import { NO_PROVIDER, type ProviderSlot } from '../../kernel/ids.ts'
import { growFloat64, growInt32, growLength } from '../../world/columns.ts'
import type { World } from '../../world/world.ts'
import { type FilterPipeline, type FunnelStep, makeFunnel } from '../framework/pipeline.ts'
import type { SchedulingSettings } from '../framework/settings.ts'
import type { Weigher } from '../framework/weigher.ts'
import { type Contribution, findMultiplier, findSignedMultiplier } from '../framework/weighing.ts'
import { isHost } from './hosts.ts'
import { getRequestMix, type RequestMix } from './packing/request-mix.ts'
import type { SchedulingRequest } from './request-view.ts'
import type { WishedSearch } from './wished-search.ts'
import type { WorldHost } from './world-host.ts'

/** Searching a tree that takes more is not worth knowing: then the limit of all steps together may matter too. */
const STEPS_MAX = 50

/** Instead of the index of a refusal. */
const PASSES = -1
const NO_SPACE = -2
const NO_HOST = -3

interface KnownRefusal {
  readonly filter: string
  /** Of its first reason. */
  readonly code: string
}

interface KnownColumn {
  readonly weigher: Weigher
  /** By row. */
  raw: Float64Array
  multiplier: Float64Array
  /** 1 where an aggregate of the host sets the multiplier. */
  isSet: Int32Array
}

/** How hosts are made for filters and weighers. */
interface HostViews {
  readonly view: (root: ProviderSlot) => WorldHost
  /** The host with what weighers compare on it; null if that is not found. */
  readonly forWeighers: (host: WorldHost) => WorldHost | null
}

/** What the hosts are judged for, and by. */
interface HostsOfRequest {
  readonly world: World
  readonly pipeline: FilterPipeline
  readonly weighers: readonly Weigher[]
  readonly request: SchedulingRequest
  readonly settings: SchedulingSettings
}

/**
 * The verdicts of filters and the measures of weighers for one request, host by host. A host is judged again when the
 * stamp of its tree was raised, all hosts when the expected mix of requests changed and a weigher reads it. All else that
 * they read is the same: see `KnownQueries`. So the order of hosts, limits and weights come from the present, and only what
 * is the same as before is not computed again.
 */
export class KnownHosts {
  readonly #of: HostsOfRequest
  readonly #rowOf = new Map<ProviderSlot, number>()
  readonly #refusals: KnownRefusal[] = []
  readonly #refusalAt = new Map<string, number>()
  readonly #columns: readonly KnownColumn[]
  #slots = new Int32Array(0)
  #stamps = new Int32Array(0)
  #verdicts = new Int32Array(0)
  readonly #byMix: boolean
  /** The mix that hosts were weighed with. */
  #mix: RequestMix | null = null

  constructor(of: HostsOfRequest) {
    this.#of = of
    const { world, weighers, request, settings } = of
    const all = world.compute.listAggregates()
    this.#columns = weighers
      .filter(
        weigher =>
          weigher.isIdle?.(request, settings) !== true &&
          (findMultiplier(weigher, settings) !== 0 ||
            all.some(({ metadata }) => metadata.has(weigher.multiplierKey))),
      )
      .map(weigher => ({
        weigher,
        raw: new Float64Array(0),
        multiplier: new Float64Array(0),
        isSet: new Int32Array(0),
      }))
    this.#byMix = this.#columns.some(({ weigher }) => weigher.byMix === true)
  }

  /** The number of hosts that something is known of. */
  get size(): number {
    return this.#rowOf.size
  }

  /**
   * The hosts with space, in the order of the search, at most `limit`; null if that takes too much searching to be known.
   */
  list(
    search: WishedSearch,
    limit: number,
    isLeftOut: ((root: ProviderSlot) => boolean) | null,
    views: HostViews,
  ): ListedHosts | null {
    this.#forgetIfMixChanged()
    const roots = search.findRoots()
    const stamps = this.#of.world.providers.treeStamp
    const tally = new Tally(this.#refusals.length)
    // Hosts mostly come in the same order as before.
    let row = -1
    for (let root = roots.next(); root !== null; root = roots.next()) {
      row = this.#slots[row + 1] === root ? row + 1 : this.#findRow(root)
      if (this.#stamps[row] !== stamps[root]) {
        const serves = roots.serves(root)
        if (search.searchExhausted || search.stepsOfLast > STEPS_MAX) return null
        const judged = serves ? this.#judge(row, root, views) : NO_SPACE
        if (judged === null) return null
        this.#verdicts[row] = judged
        this.#stamps[row] = stamps[root] as number
      }
      const verdict = this.#verdicts[row] as number
      if (verdict < PASSES || isLeftOut?.(root) === true) continue
      if (tally.hosts >= limit) return this.#conclude(tally, true)
      tally.hosts++
      if (verdict === PASSES) tally.passed.push(row)
      else tally.countRefusal(verdict)
    }
    return this.#conclude(tally, false)
  }

  #conclude({ hosts, passed, met, counts }: Tally, truncated: boolean): ListedHosts {
    const removed = new Map(this.#of.pipeline.filters.map(({ name }) => [name, new Map<string, number>()]))
    for (const one of met) {
      const { filter, code } = this.#refusals[one] as KnownRefusal
      removed.get(filter)?.set(code, counts[one] as number)
    }
    return {
      candidates: hosts,
      truncated,
      funnel: makeFunnel(removed, passed.length),
      passed: passed.map(row => this.#slots[row] as ProviderSlot),
      weighing: this.#weigh(passed),
    }
  }

  /** As `rankHosts` with these hosts: the same sums in the same order, so that equal weights stay equal. */
  #weigh(passed: readonly number[]): KnownWeighing {
    const { request, settings } = this.#of
    const weights = new Float64Array(passed.length)
    const columns = passed.length <= 1 ? [] : this.#columns.filter(column => this.#counts(column, passed))
    const ranges = columns.map(({ weigher, raw }) => rangeOf(raw, passed, weigher.least))
    columns.forEach(({ raw, multiplier }, nth) => {
      const { min, range } = ranges[nth] as Range
      if (range === 0) return
      for (let at = 0; at < passed.length; at++) {
        const row = passed[at] as number
        weights[at]! += ((Math.max(raw[row] as number, min) - min) / range) * (multiplier[row] as number)
      }
    })
    return {
      weights,
      listContributions: (at, host) =>
        columns.map(({ weigher, raw, multiplier: multipliers }, nth) => {
          const row = passed[at] as number
          const { min, range } = ranges[nth] as Range
          const normalized = range === 0 ? 0 : (Math.max(raw[row] as number, min) - min) / range
          const multiplier = multipliers[row] as number
          const text = weigher.explain?.(request, host, settings)
          return {
            weigher: weigher.name,
            raw: raw[row] as number,
            normalized,
            multiplier,
            weight: normalized * multiplier,
            notes: findSignedMultiplier(weigher, host.aggregates, settings).notes,
            ...(text !== undefined && { text }),
          }
        }),
    }
  }

  /** As `listCounting`. */
  #counts({ weigher, isSet }: KnownColumn, passed: readonly number[]): boolean {
    return findMultiplier(weigher, this.#of.settings) !== 0 || passed.some(row => isSet[row] === 1)
  }

  /** All hosts are judged again, as if their trees had changed. */
  #forgetIfMixChanged(): void {
    if (!this.#byMix) return
    const { world } = this.#of
    const mix = getRequestMix(world)
    if (mix === this.#mix) return
    this.#mix = mix
    for (let row = 0; row < this.size; row++)
      this.#stamps[row] = (world.providers.treeStamp[this.#slots[row] as number] as number) - 1
  }

  /** Null if a weigher compares candidates of the host, and none is found. */
  #judge(row: number, root: ProviderSlot, { view, forWeighers }: HostViews): number | null {
    const { world, pipeline, request, settings } = this.#of
    if (!isHost(world, root)) return NO_HOST
    const host = view(root)
    const refusal = pipeline.findFirstRefusal(host)
    if (refusal !== null) return this.#numberRefusal(refusal.filter, refusal.reasons[0].code)
    const weighed = forWeighers(host)
    if (weighed === null) return null
    const { aggregates } = host
    for (const column of this.#columns) {
      const { weigher } = column
      const raw = weigher.weigh(request, weighed, settings)
      assert(Number.isFinite(raw), 'hosts are weighed with numbers')
      column.raw[row] = raw
      column.multiplier[row] = findSignedMultiplier(weigher, aggregates, settings).value
      column.isSet[row] = aggregates.some(({ metadata }) => metadata.has(weigher.multiplierKey)) ? 1 : 0
    }
    return PASSES
  }

  #numberRefusal(filter: string, code: string): number {
    const name = `${filter} ${code}`
    const known = this.#refusalAt.get(name)
    if (known !== undefined) return known
    this.#refusalAt.set(name, this.#refusals.length)
    return this.#refusals.push({ filter, code }) - 1
  }

  #findRow(root: ProviderSlot): number {
    const known = this.#rowOf.get(root)
    if (known !== undefined) return known
    const row = this.#rowOf.size
    this.#rowOf.set(root, row)
    this.#reach(row)
    this.#slots[row] = root
    // Not judged yet.
    this.#stamps[row] = (this.#of.world.providers.treeStamp[root] as number) - 1
    return row
  }

  #reach(row: number): void {
    if (row < this.#slots.length) return
    const length = growLength(this.#slots.length, row + 1)
    this.#slots = growInt32(this.#slots, length, NO_PROVIDER)
    this.#stamps = growInt32(this.#stamps, length)
    this.#verdicts = growInt32(this.#verdicts, length)
    for (const column of this.#columns) {
      column.raw = growFloat64(column.raw, length)
      column.multiplier = growFloat64(column.multiplier, length)
      column.isSet = growInt32(column.isSet, length)
    }
  }
}

/** The hosts of one list: rows that passed, and how often each refusal was met. */
class Tally {
  hosts = 0
  readonly passed: number[] = []
  readonly counts: number[]
  /** In the order of the hosts, which a funnel keeps for equal counts. */
  readonly met: number[] = []

  constructor(refusals: number) {
    this.counts = Array.from({ length: refusals }, () => 0)
  }

  countRefusal(at: number): void {
    const before = this.counts[at] ?? 0
    if (before === 0) this.met.push(at)
    this.counts[at] = before + 1
  }
}

interface Range {
  readonly min: number
  readonly range: number
}

/** As `normalize`. */
function rangeOf(raw: Float64Array, rows: readonly number[], least: number | undefined): Range {
  let min = least ?? Number.POSITIVE_INFINITY
  let max = least ?? Number.NEGATIVE_INFINITY
  for (const row of rows) {
    const one = raw[row] as number
    if (one > max) max = one
    if (least === undefined && one < min) min = one
  }
  return { min, range: max - min }
}

/** Weights in the order of the hosts that passed. */
interface KnownWeighing {
  readonly weights: Float64Array
  readonly listContributions: (at: number, host: WorldHost) => Contribution[]
}

export interface ListedHosts {
  readonly candidates: number
  readonly truncated: boolean
  readonly funnel: readonly FunnelStep[]
  readonly passed: readonly ProviderSlot[]
  readonly weighing: KnownWeighing
}
