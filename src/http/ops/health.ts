import { type ApiAnswer, JSON_UTF8, type NoFeatures, type Route } from '../api.ts'
import type { Service } from '../service.ts'
import { METRICS_CONTENT_TYPE, type Registry } from './metrics.ts'

export interface Health {
  // Both go to the log with their cause; whoever asks without a token is not told paths and addresses.
  /** Why requests should go to another server, such as a database that cannot be reached. Null: they need not. */
  unready?(): string | null
  /** What is wrong without being a reason to go elsewhere: reads go on while writes fail. Null: nothing. */
  warning(): string | null
}

interface HealthParts {
  readonly health: Health
  readonly metrics: Registry
  readonly isDraining: () => boolean
}

const DATABASE_AWAY = 'the database cannot be used; see the log'
const WRITES_FAIL = 'the last write failed; see the log'

/** What load balancers and monitoring look at. No token is asked for. */
export function healthService(parts: HealthParts): Service<NoFeatures> {
  return {
    name: 'health',
    serviceType: 'health',
    versions: null,
    openPaths: 'all',
    routes: [
      ...readable('/healthz', () => ({ status: 200, contentType: JSON_UTF8, body: '{"alive":true}' })),
      ...readable('/readyz', () => readiness(parts)),
      ...readable('/metrics', () => ({
        status: 200,
        contentType: METRICS_CONTENT_TYPE,
        body: parts.metrics.text(),
      })),
    ],
  }
}

function readable(path: string, handle: () => ApiAnswer): Route<NoFeatures>[] {
  return (['GET', 'HEAD'] as const).map(method => ({ method, path, operation: null, handle }))
}

function readiness({ health, isDraining }: HealthParts): ApiAnswer {
  const isAway = (health.unready?.() ?? null) !== null
  const reason = isDraining() ? 'draining' : isAway ? DATABASE_AWAY : null
  const warning = health.warning() === null ? {} : { warning: WRITES_FAIL }
  const answer = reason === null ? { ready: true, ...warning } : { ready: false, reason }
  return {
    status: answer.ready ? 200 : 503,
    headers: { 'cache-control': 'no-store' },
    contentType: JSON_UTF8,
    body: JSON.stringify(answer),
  }
}
