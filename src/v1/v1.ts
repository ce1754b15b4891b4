import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { Credentials } from '../http/api.ts'
import type { Log } from '../http/log.ts'
import type { BerthServer } from '../http/server.ts'
import { AuthenticationUnavailable, type Authenticator } from '../identity/authenticator.ts'
import { forbiddenText, type Policy } from '../identity/policy.ts'
import { StoreUnavailable } from '../store/store.ts'
import { Problem, problemDocument } from './problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The policy operation that a route of /v1 is. */
    operation?: string
  }
  interface FastifyRequest {
    credentials: Credentials
  }
}

export interface V1Parts {
  readonly authenticator: Authenticator
  readonly policy: Policy
  readonly log: Log
}

/** Berth's own API below /v1: every route names its policy operation, every error is a problem document. */
export function addV1(
  server: BerthServer,
  parts: V1Parts,
  rooms: readonly ((scope: FastifyInstance) => void)[],
): void {
  server.register(
    async scope => {
      server.observe(scope, 'berth')
      scope.decorateRequest('credentials', null as unknown as Credentials)
      scope.addHook('onRequest', request => admit(request, parts))
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        const problem = asProblem(error, request, parts.log)
        if (problem.status === 503) reply.header('retry-after', '1')
        return reply
          .code(problem.status)
          .type('application/problem+json')
          .send(JSON.stringify(problemDocument(problem, request.id)))
      })
      for (const room of rooms) room(scope)
    },
    { prefix: '/v1' },
  )
}

async function admit(request: FastifyRequest, { authenticator, policy }: V1Parts): Promise<void> {
  const verdict = await authenticator.authenticate(request.headers)
  if (verdict instanceof AuthenticationUnavailable)
    throw new Problem(503, 'identity.unavailable', verdict.reason)
  if (verdict === null)
    throw new Problem(401, 'identity.token-needed', 'A valid token is needed in the X-Auth-Token header.')
  request.credentials = verdict
  const operation = request.routeOptions.config.operation
  if (operation === undefined) throw new Error(`route ${request.routeOptions.url} names no operation`)
  if (!policy.allows(operation, verdict, { project_id: verdict.projectId }))
    throw new Problem(403, 'policy.forbidden', forbiddenText(operation), { operation })
}

function asProblem(error: FastifyError, request: FastifyRequest, log: Log): Problem {
  if (error instanceof Problem) return error
  if (error instanceof StoreUnavailable) return new Problem(503, 'store.unavailable', error.message)
  const status = error.statusCode ?? 500
  if (status < 500) return new Problem(status, 'request.invalid', error.message)
  log.error('request failed', { request_id: request.id, error })
  return new Problem(500, 'internal', `An internal error, noted in the log as ${request.id}.`)
}
