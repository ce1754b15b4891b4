import { parseBody } from './compare-answers.ts'
import { type Answer, findRoute, type KeptRequest } from './exchange.ts'
import type { KnownBug } from './known-bugs.ts'

/**
 * `raced`: the ledger changed between the answers of the two sides, in every try. `skipped`: there was too much to compare.
 * `unknown`: Placement gave no answer to a write. `failed`: Berth did not answer.
 */
type Outcome = 'equal' | 'known' | 'different' | 'raced' | 'skipped' | 'unknown' | 'failed'

interface KeptAnswer {
  readonly status: number
  readonly body: string
}

/** Two different answers to one request. */
interface Difference {
  readonly number: number
  readonly at: string
  readonly request_id: string
  readonly method: string
  readonly path: string
  readonly version: string | null
  readonly route: string
  /** What differs. */
  readonly what: string
  readonly known: KnownBug | null
  readonly placement: KeptAnswer | null
  readonly berth: KeptAnswer | null
}

/** A difference of the ledgers, and its repair. */
interface Repair {
  readonly at: string
  readonly why: string
  readonly what: string
  /** The side that was changed; null if the repair failed. */
  readonly repaired: 'placement' | 'berth' | null
}

interface Count {
  readonly method: string
  readonly route: string
  readonly outcome: Outcome
  readonly count: number
}

const DIFFERENCES_MAX = 1_000
const KNOWN_MAX = 200
const REPAIRS_MAX = 1_000
const BODY_CHARS_MAX = 4_096
const LATENCIES_MAX = 2_000

/** Observes results of comparisons, for metrics and the log. */
export interface ReportObserver {
  counted(method: string, route: string, outcome: Outcome): void
  differed(difference: Difference): void
  repaired(repair: Repair): void
  took(side: 'placement' | 'berth', ms: number): void
}

/** Results of comparisons since the start of this process: counts of all, the latest differences and repairs. */
export class ShadowReport {
  readonly since: string
  readonly #counts = new Map<string, { method: string; route: string; outcome: Outcome; count: number }>()
  readonly #observer: ReportObserver
  #differences: Difference[] = []
  #known: Difference[] = []
  #repairs: Repair[] = []
  #differencesTotal = 0
  #knownTotal = 0
  #repairsTotal = 0
  readonly #latencies = { placement: new Recent(), berth: new Recent() }

  constructor(observer: ReportObserver) {
    this.#observer = observer
    this.since = new Date().toISOString()
  }

  count(request: KeptRequest, outcome: Outcome): void {
    const route = findRoute(request.path)
    const key = `${request.method} ${route} ${outcome}`
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { method: request.method, route, outcome, count: 1 })
    else known.count++
    this.#observer.counted(request.method, route, outcome)
  }

  addDifference(
    request: KeptRequest,
    what: string,
    known: KnownBug | null,
    theirs: Answer | null,
    ours: Answer | null,
  ): void {
    this.count(request, known === null ? 'different' : 'known')
    const difference: Difference = {
      number: known === null ? ++this.#differencesTotal : ++this.#knownTotal,
      at: new Date().toISOString(),
      request_id: request.requestId,
      method: request.method,
      path: request.path,
      version: (request.headers['openstack-api-version'] as string | undefined) ?? null,
      route: findRoute(request.path),
      what: what === 'body' || what === 'candidates' ? describeBodies(what, theirs, ours) : what,
      known,
      placement: keepAnswer(theirs),
      berth: keepAnswer(ours),
    }
    if (known === null) this.#differences = keepLast(this.#differences, difference, DIFFERENCES_MAX)
    else this.#known = keepLast(this.#known, difference, KNOWN_MAX)
    this.#observer.differed(difference)
  }

  /** A failed repair is added once, however often it fails. */
  addRepair(why: string, what: string, repaired: Repair['repaired']): void {
    const isKnown = (one: Repair) => one.repaired === null && one.what === what
    if (repaired === null && this.#repairs.some(isKnown)) return
    const repair = { at: new Date().toISOString(), why, what, repaired }
    this.#repairsTotal++
    this.#repairs = keepLast(this.#repairs, repair, REPAIRS_MAX)
    this.#observer.repaired(repair)
  }

  addLatency(side: 'placement' | 'berth', ms: number): void {
    this.#latencies[side].add(ms)
    this.#observer.took(side, ms)
  }

  get counts(): Count[] {
    return [...this.#counts.values()].sort(
      (a, b) => a.route.localeCompare(b.route) || a.method.localeCompare(b.method),
    )
  }

  get totals(): { readonly differences: number; readonly known: number; readonly repairs: number } {
    return {
      differences: this.#differencesTotal,
      known: this.#knownTotal,
      repairs: this.#repairsTotal,
    }
  }

  get latencies() {
    return { placement: this.#latencies.placement.summary, berth: this.#latencies.berth.summary }
  }

  /** The newest first. */
  listDifferences(includesKnown: boolean): readonly Difference[] {
    const all = includesKnown ? [...this.#differences, ...this.#known] : this.#differences
    return all.toSorted((a, b) => (a.at < b.at ? 1 : -1))
  }

  listRepairs(): readonly Repair[] {
    return this.#repairs.toReversed()
  }
}

function keepLast<T>(list: readonly T[], one: T, max: number): T[] {
  return [...(list.length >= max ? list.slice(1) : list), one]
}

function keepAnswer(answer: Answer | null): KeptAnswer | null {
  if (answer === null) return null
  const body = parseBody(answer)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status: answer.status, body: text.slice(0, BODY_CHARS_MAX) }
}

const NAMED_MAX = 3

/** Names only what one of two bodies lacks, as bodies may be long. */
function describeBodies(what: string, theirs: Answer | null, ours: Answer | null): string {
  if (theirs === null || ours === null) return what
  const [left, right] = [listLeaves(parseBody(theirs)), listLeaves(parseBody(ours))]
  const some = (leaves: ReadonlySet<string>) => [...leaves].slice(0, NAMED_MAX).join(' ') || 'nothing'
  return `${what}: only Placement has ${some(left.difference(right))}, only Berth ${some(right.difference(left))}`
}

function listLeaves(value: unknown, path = '', found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) found.add(`${path}=${JSON.stringify(value)}`)
  else
    for (const [key, one] of Object.entries(value))
      if (key !== 'links') listLeaves(one, Array.isArray(value) ? `${path}[]` : `${path}.${key}`, found)
  return found
}

/** The latest latencies, and their percentiles. */
class Recent {
  readonly #values: number[] = []
  #at = 0

  add(value: number): void {
    this.#values[this.#at] = value
    this.#at = (this.#at + 1) % LATENCIES_MAX
  }

  get summary(): { readonly p50_ms: number; readonly p99_ms: number } | null {
    if (this.#values.length === 0) return null
    const sorted = this.#values.toSorted((a, b) => a - b)
    const at = (part: number) =>
      Math.round((sorted[Math.floor(part * (sorted.length - 1))] as number) * 100) / 100
    return { p50_ms: at(0.5), p99_ms: at(0.99) }
  }
}
