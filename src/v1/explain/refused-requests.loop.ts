import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { ApiRequest } from '../../http/api.ts'
import type { Log } from '../../http/ops/log.ts'
import { readGlobalRequestId } from '../../http/request/request-checks.ts'
import { TokenBuckets } from '../../identity/token-buckets.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ConsumerClaim } from '../../placement/allocations/ledger.ts'
import type { CandidateBehaviour, CandidateRequest } from '../../placement/candidates/request.ts'
import type { RefusalObserver } from '../../placement/context.ts'
import { EXPLAIN_LIMITS, explain } from '../../placement/explain/explain.ts'
import type { Features } from '../../placement/versions.ts'
import {
  type KeptClaimRefusal,
  type KeptSearch,
  makeClaimRows,
  makeSearchRows,
  type PlacementCall,
  type SearchRefusal,
  type Unexplained,
} from '../../scheduling/decisions/refused.rows.ts'
import type { DecisionPut } from '../../scheduling/decisions/rows.ts'
import type { Explanation } from '../../wire/explanation.ts'
import type { World } from '../../world/world.ts'
import { explanationBody, GROUPS_MAX } from './explanation.ts'
import { type RecentSearch, RecentSearches } from './recent-searches.ts'

interface RefusedRequestParts {
  readonly world: World
  readonly clock: Clock
  readonly newUuid: () => string
  readonly log: () => Pick<Log, 'warn'>
  /** Stores the rows of a decision. There is no caller. */
  readonly put: (rows: readonly DecisionPut[]) => Promise<unknown>
  readonly perHour: number
  /** Waits between two explanations; an abort ends the wait early. */
  readonly rest?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

interface WaitingSearch {
  readonly call: PlacementCall
  readonly search: KeptSearch
  readonly asked: CandidateRequest
  readonly behaviour: CandidateBehaviour
}

const HOUR_S = 3_600
/** With more searches waiting than this, further ones are stored without an explanation. */
const WAITING_MAX = 50
/** Explanations run for at most a quarter of the time, and at most twice a second. */
const REST_SHARE = 3
const REST_MS_MIN = 500
/** No client waits for these explanations, so in a busy cloud they give up early instead of delaying requests. */
const LIMITS = { ...EXPLAIN_LIMITS, providersAtOnceMax: 500 }
const QUERY_CHARS_MAX = 8_192
const VERSION_CHARS_MAX = 100
const TEXT_CHARS_MAX = 2_000
const CONSUMERS_KEPT_MAX = 100

class Stopped extends Error {
  override name = 'Stopped'
}

/**
 * Stores refused requests to Placement as decisions, up to a limit per hour. Searches without candidates are
 * explained one after the other, after their answer was sent, so that explanations do not delay requests.
 */
export class RefusedRequests implements RefusalObserver {
  readonly #parts: RefusedRequestParts
  readonly #recent = new RecentSearches()
  readonly #budget: TokenBuckets
  readonly #waiting: WaitingSearch[] = []
  readonly #writes = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #turn: Promise<void> | null = null
  #leftOut = 0
  /** The last explanation: a client that retries asks the same query on the same state. */
  #last: { readonly key: string; readonly refusal: SearchRefusal<Explanation> } | null = null

  constructor(parts: RefusedRequestParts) {
    this.#parts = parts
    this.#budget = new TokenBuckets({ burst: parts.perHour, perSecond: parts.perHour / HOUR_S }, parts.clock)
  }

  candidatesFound(request: ApiRequest<Features>, count: number, revision: number): void {
    if (request.headers['x-openstack-request-id'] === undefined) return
    const call = this.#describeCall(request, revision)
    if (call.globalRequestId !== null)
      this.#recent.remember({ ...call, search: describeSearch(request, count) })
  }

  noCandidates(
    request: ApiRequest<Features>,
    asked: CandidateRequest,
    behaviour: CandidateBehaviour,
    revision: number,
  ): void {
    if (!this.#mayKeep('candidates', request)) return
    const call = this.#describeCall(request, revision)
    const waiting = { call, search: describeSearch(request, 0), asked, behaviour }
    if (this.#waiting.length >= WAITING_MAX || this.#stopping.signal.aborted)
      this.#keepUnexplained(waiting, 'busy')
    else {
      this.#waiting.push(waiting)
      this.#turn ??= this.#explainAll()
    }
  }

  claimRefused(
    request: ApiRequest<Features>,
    claims: readonly ConsumerClaim[],
    refusal: { readonly kind: string; readonly provider?: string },
    text: string,
  ): void {
    if (!this.#mayKeep('claim', request)) return
    const call = this.#describeCall(request, this.#parts.world.revision)
    if (call.globalRequestId !== null) this.keepSearches(call.globalRequestId)
    const projects = new Set(claims.map(({ projectId }) => projectId))
    const first = claims.slice(0, CONSUMERS_KEPT_MAX)
    const claim = {
      user: call.user,
      consumers: first.map(({ consumer }) => consumer),
      providers: [
        ...new Set(first.flatMap(({ allocations }) => allocations.map(({ provider }) => provider))),
      ].slice(0, CONSUMERS_KEPT_MAX),
    }
    const kept: KeptClaimRefusal = {
      kind: refusal.kind,
      text: text.slice(0, TEXT_CHARS_MAX),
      provider: refusal.provider ?? null,
    }
    const [project = null] = projects.size === 1 ? projects : []
    this.#write(makeClaimRows(this.#parts.newUuid(), call, claim, project, kept))
  }

  /** Stores the successful searches of a boot that failed later. */
  keepSearches(globalRequestId: string): void {
    for (const { search, ...call } of this.#recent.take(globalRequestId))
      this.#write(makeSearchRows(this.#parts.newUuid(), call, search, null, call.revision))
  }

  /** Successful searches that are not stored yet. */
  findSearches(globalRequestId: string): readonly RecentSearch[] {
    return this.#recent.find(globalRequestId)
  }

  /** Stores waiting searches without an explanation. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#turn
    while (this.#writes.size > 0) await Promise.all(this.#writes)
  }

  /** Each user has its own budget, so that a monitor that asks in a loop cannot use up Nova's. */
  #mayKeep(kind: 'candidates' | 'claim', { credentials }: ApiRequest<Features>): boolean {
    if (!this.#budget.take(`${kind} ${credentials.userId}`)) {
      this.#leftOut++
      return false
    }
    if (this.#leftOut > 0)
      this.#parts
        .log()
        .warn('refused requests were not kept: there were more than refused_requests_per_hour', {
          left_out: this.#leftOut,
        })
    this.#leftOut = 0
    return true
  }

  #describeCall({ headers, credentials, requestId }: ApiRequest<Features>, revision: number): PlacementCall {
    return {
      user: credentials.userId,
      requestId,
      globalRequestId: readGlobalRequestId(headers),
      revision,
      atMs: this.#parts.clock.nowMs(),
    }
  }

  async #explainAll(): Promise<void> {
    // Waits until the answer was sent.
    await nextTurn()
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const startedMs = performance.now()
      const refusal = await this.#explain(next)
      this.#keep(next, refusal)
      if (this.#waiting.length > 0)
        await this.#rest(Math.max(REST_MS_MIN, REST_SHARE * (performance.now() - startedMs)))
    }
    this.#turn = null
  }

  async #rest(ms: number): Promise<void> {
    const { rest = (time, signal) => sleep(time, undefined, { signal }) } = this.#parts
    const { signal } = this.#stopping
    if (!signal.aborted) await rest(ms, signal).catch(() => undefined)
  }

  async #explain({ search, asked, behaviour }: WaitingSearch): Promise<SearchRefusal<Explanation>> {
    const { world } = this.#parts
    const key = `${world.lives} ${world.revision} ${search.version} ${search.query}`
    if (search.query !== null && this.#last?.key === key) return this.#last.refusal
    if (asked.groups.length > GROUPS_MAX) return explainNot('too-costly')
    const turn = async () => {
      if (this.#stopping.signal.aborted) throw new Stopped()
      await nextTurn()
    }
    try {
      const explained = await explain(world, asked, behaviour, turn, LIMITS)
      if (explained.kind === 'too-costly' || explained.kind === 'restless') return explainNot(explained.kind)
      // The name of a trait or class was deleted meanwhile.
      if (explained.kind === 'refused') return explainNot('restless')
      const body = explanationBody(world, explained)
      const refusal: SearchRefusal<Explanation> = {
        kind: 'no-candidates',
        explained: body,
        unexplained: null,
      }
      this.#last = { key, refusal }
      return refusal
    } catch (error) {
      if (error instanceof Stopped) return explainNot('stopped')
      this.#parts.log().warn('a refused request could not be explained', { error: error as Error })
      return explainNot('too-costly')
    }
  }

  #keepUnexplained(waiting: WaitingSearch, why: Unexplained): void {
    this.#keep(waiting, explainNot(why))
  }

  #keep({ call, search }: WaitingSearch, refusal: SearchRefusal<Explanation>): void {
    const revision = refusal.explained?.revision ?? call.revision
    this.#write(makeSearchRows(this.#parts.newUuid(), call, search, refusal, revision))
  }

  #write(rows: readonly DecisionPut[]): void {
    const writing = this.#parts.put(rows).then(
      () => undefined,
      error => this.#parts.log().warn('a refused request was not kept', { error: error as Error }),
    )
    this.#writes.add(writing)
    void writing.then(() => this.#writes.delete(writing))
  }
}

const explainNot = (unexplained: Unexplained): SearchRefusal<Explanation> => ({
  kind: 'no-candidates',
  explained: null,
  unexplained,
})

function describeSearch({ query, headers, credentials }: ApiRequest<Features>, found: number): KeptSearch {
  const version = headers['openstack-api-version']
  return {
    user: credentials.userId,
    query: query.text.length <= QUERY_CHARS_MAX ? query.text : null,
    version: typeof version === 'string' && version.length <= VERSION_CHARS_MAX ? version : null,
    found,
  }
}
