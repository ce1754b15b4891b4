import { ApiError } from '../../http/api.ts'
import { jsonText } from '../../kernel/records.ts'
import { type CloudOwned, describeCloudOwned } from '../../world/cloud-owned.ts'

/** An error of Berth's own API: a problem document (RFC 9457) with a stable code. */
export class Problem extends ApiError {
  override name = 'Problem'
  declare readonly code: string
  /** The compared values: numbers and names, never prose. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, detail: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(status, detail, code, retryHeaders(status, facts))
    this.facts = facts
  }
}

/** For routes that run few requests at a time. */
export const makeBusyProblem = (code: string, atOnceMax: number): Problem =>
  new Problem(503, code, `${atOnceMax} such requests are running: try again.`)

/** Only the cloud that owns a resource may change it. */
export const toCloudOwnedProblem = (owned: CloudOwned): Problem =>
  new Problem(409, 'cloud.owned', describeCloudOwned(owned), { cloud: owned.cloud, what: owned.what })

function retryHeaders(status: number, facts: Readonly<Record<string, unknown>>): Record<string, string> {
  if (status === 503) return { 'retry-after': '1' }
  return status === 429 ? { 'retry-after': jsonText(facts.retry_after_s) } : {}
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
}

export function renderProblem(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    title: TITLES[problem.status] ?? 'Error',
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    request_id: requestId,
    ...problem.facts,
  }
}
