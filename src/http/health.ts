import type { FastifyInstance } from 'fastify'
import { METRICS_CONTENT_TYPE, type Registry } from './metrics.ts'

export interface Health {
  /** Why requests should go elsewhere, in a few words; null when all is well. */
  notReady(): string | null
}

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
      const reason = parts.isDraining() ? 'draining' : parts.health.notReady()
      return reply
        .code(reason === null ? 200 : 503)
        .header('cache-control', 'no-store')
        .type('application/json')
        .send(JSON.stringify(reason === null ? { ready: true } : { ready: false, reason }))
    },
  })
  app.get('/metrics', (_request, reply) => reply.type(METRICS_CONTENT_TYPE).send(parts.metrics.text()))
}
