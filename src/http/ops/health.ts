import type { FastifyInstance } from 'fastify'
import { METRICS_CONTENT_TYPE, type Registry } from './metrics.ts'

export interface Health {
  // Both go to the log with their cause; whoever asks without a token is not told paths and addresses.
  /** Why requests should go to another server, such as a database that cannot be reached. Null: they need not. */
  unready?(): string | null
  /** What is wrong without being a reason to go elsewhere: reads go on while writes fail. Null: nothing. */
  warning(): string | null
}

const DATABASE_AWAY = 'the database cannot be used; see the log'
const WRITES_FAIL = 'the last write failed; see the log'

/** What load balancers and monitoring look at. No token is asked for. */
export function addHealthRoutes(
  app: FastifyInstance,
  parts: { readonly health: Health; readonly metrics: Registry; readonly isDraining: () => boolean },
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    handler: (_request, reply) => reply.type('application/json').send('{"alive":true}'),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/readyz',
    handler: (_request, reply) => {
      const isAway = (parts.health.unready?.() ?? null) !== null
      const reason = parts.isDraining() ? 'draining' : isAway ? DATABASE_AWAY : null
      const warning = parts.health.warning() === null ? {} : { warning: WRITES_FAIL }
      const answer = reason === null ? { ready: true, ...warning } : { ready: false, reason }
      return reply
        .code(answer.ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .type('application/json')
        .send(JSON.stringify(answer))
    },
  })
  app.get('/metrics', (_request, reply) => reply.type(METRICS_CONTENT_TYPE).send(parts.metrics.text()))
}
