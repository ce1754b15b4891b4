import type { RequestFront } from '../http/mounted-services.ts'
import { askHandler, type InternalAnswer } from '../http/request/internal-request.ts'
import {
  type AnswerDifference,
  compareAnswers,
  countCandidates,
  isCandidates,
  isPartOf,
  type Mounts,
  withoutLimit,
} from './compare-answers.ts'
import type { Answer, KeptRequest } from './exchange.ts'
import type { Forwarder } from './forwarder.ts'
import type { ShadowReport } from './report.ts'

/**
 * `real` changes the ledger, `dry` decides without changing it, `trusted` changes it for a caller whom Placement allowed the write and
 * Berth does not.
 */
type How = 'real' | 'dry' | 'trusted'

/** Sends requests to the Placement that is shadowed and to Berth itself. */
export class Sides {
  readonly #forwarder: Forwarder
  readonly #handlers: Readonly<Record<How, RequestFront>>
  readonly #mounts: Mounts
  readonly #report: ShadowReport

  constructor(
    forwarder: Forwarder,
    handlers: Readonly<Record<How, RequestFront>>,
    mount: string,
    report: ShadowReport,
  ) {
    this.#forwarder = forwarder
    this.#handlers = handlers
    this.#mounts = { theirs: new URL(forwarder.url).pathname.replace(/\/$/, ''), ours: mount }
    this.#report = report
  }

  async askTheirs(request: KeptRequest): Promise<Answer> {
    const startMs = performance.now()
    const answer = await this.#forwarder.ask(request)
    this.#report.addLatency('placement', performance.now() - startMs)
    return answer
  }

  async askOurs(request: KeptRequest, how: How): Promise<Answer> {
    const startMs = performance.now()
    const { method, path, headers, body, requestId, caller } = request
    const asked = { method, url: `${this.#mounts.ours}${path}`, headers, body, requestId, caller }
    const answer = await askHandler(this.#handlers[how], asked, this.#mounts.ours)
    this.#report.addLatency('berth', performance.now() - startMs)
    return toAnswer(answer)
  }

  compare(theirs: Answer, ours: Answer): AnswerDifference | null {
    return compareAnswers(theirs, ours, this.#mounts)
  }

  /** Compares candidates as sets. If a limit truncated them, each must be valid on the other side. */
  async compareRead(request: KeptRequest, theirs: Answer, ours: Answer): Promise<AnswerDifference | null> {
    const difference = this.compare(theirs, ours)
    if (difference !== 'body' || !isCandidates(request.path)) return difference
    const path = withoutLimit(request.path)
    if (path === null || countCandidates(theirs) !== countCandidates(ours)) return 'candidates'
    const whole = { ...request, path }
    if (!isPartOf(theirs, await this.askOurs(whole, 'real'))) return 'candidates'
    return isPartOf(ours, await this.askTheirs(whole)) ? null : 'candidates'
  }
}

/** `latest` differs between the sides, so Berth is asked in the version of Placement's answer. */
export function askInVersionOf(request: KeptRequest, answer: Answer): KeptRequest {
  const asked = request.headers['openstack-api-version']
  const given = answer.headers['openstack-api-version']
  if (typeof asked !== 'string' || !/\blatest\b/i.test(asked) || given === undefined) return request
  const rawHeaders = request.rawHeaders.map((value, at) =>
    at % 2 === 1 && request.rawHeaders[at - 1]?.toLowerCase() === 'openstack-api-version' ? given : value,
  )
  return { ...request, rawHeaders, headers: { ...request.headers, 'openstack-api-version': given } }
}

function toAnswer({ status, headers: flat, body }: InternalAnswer): Answer {
  const pairs = Array.from({ length: flat.length / 2 }, (_, nth) => [
    (flat[2 * nth] as string).toLowerCase(),
    flat[2 * nth + 1] as string,
  ])
  const headers: Record<string, string> = Object.fromEntries(pairs)
  return { status, headers, rawHeaders: flat, body }
}
