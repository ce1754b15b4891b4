import {
  type ApiAnswer,
  ApiError,
  type ApiRequest,
  BodyStream,
  JSON_UTF8,
  type NoFeatures,
  type Route,
} from '../api.ts'
import type { Service } from '../service.ts'
import { type HealthcheckSettings, healthcheckRoutes } from './healthcheck.ts'
import { METRICS_CONTENT_TYPE, type Registry } from './metrics.ts'

export interface Health {
  // The log has both with their cause; an answer without a token shows no paths and addresses.
  /** Why requests should go to another server, such as a database that cannot be reached. Null: they need not. */
  unready?(): string | null
  /** A problem for which requests need not go elsewhere: reads work while writes fail. Null: none. */
  warning(): string | null
  /** Which acknowledged writes a crash of the database may lose, by its settings; without addresses. Null: none. */
  readonly mayLose?: string | null
}

interface HealthParts {
  readonly health: Health
  readonly metrics: Registry
  readonly isDraining: () => boolean
  readonly healthcheck: HealthcheckSettings
}

const DATABASE_AWAY = 'the database cannot be used; see the log'
const WRITES_FAIL = 'the last write failed; see the log'

/** For load balancers and monitoring. Needs no token. */
export function healthService(parts: HealthParts): Service<NoFeatures> {
  return {
    name: 'health',
    serviceType: 'health',
    versions: null,
    openPaths: 'all',
    routes: [
      ...makeRoutes('/healthz', () => ({ status: 200, contentType: JSON_UTF8, body: '{"alive":true}' })),
      ...makeRoutes('/readyz', () => checkReadiness(parts)),
      ...healthcheckRoutes(parts.healthcheck, () => findUnreadyReason(parts)),
      ...metricsRoutes(parts.metrics),
    ],
  }
}

function makeRoutes(path: string, handle: () => ApiAnswer): Route<NoFeatures>[] {
  return (['GET', 'HEAD'] as const).map(method => ({ method, path, operation: null, handle }))
}

/** Concurrent scrapes with a series for each host: each takes a slice of every turn. */
const LONG_SCRAPES_MAX = 4

function metricsRoutes(metrics: Registry): Route<NoFeatures>[] {
  const answer = { status: 200, contentType: METRICS_CONTENT_TYPE }
  let scrapes = 0
  async function* pieces(): AsyncGenerator<string> {
    scrapes++
    try {
      yield* metrics.pieces()
    } finally {
      scrapes--
    }
  }
  const handle = ({ method }: ApiRequest<NoFeatures>): ApiAnswer => {
    if (!metrics.hasLongGauges) return { ...answer, body: metrics.render() }
    if (method === 'HEAD') return answer
    if (scrapes >= LONG_SCRAPES_MAX)
      throw new ApiError(503, `${scrapes} scrapes are running; try again later.`, undefined, RETRY_SOON)
    return { ...answer, body: new BodyStream(pieces()) }
  }
  return (['GET', 'HEAD'] as const).map(method => ({ method, path: '/metrics', operation: null, handle }))
}

const RETRY_SOON = { 'retry-after': '1' }

function findUnreadyReason({ health, isDraining }: HealthParts): string | null {
  if (isDraining()) return 'draining'
  return (health.unready?.() ?? null) === null ? null : DATABASE_AWAY
}

function checkReadiness(parts: HealthParts): ApiAnswer {
  const { health } = parts
  const reason = findUnreadyReason(parts)
  const warning = health.warning() === null ? {} : { warning: WRITES_FAIL }
  const mayLose = (health.mayLose ?? null) === null ? {} : { may_lose: health.mayLose }
  const answer = reason === null ? { ready: true, ...warning, ...mayLose } : { ready: false, reason }
  return {
    status: answer.ready ? 200 : 503,
    headers: { 'cache-control': 'no-store' },
    contentType: JSON_UTF8,
    body: JSON.stringify(answer),
  }
}
