import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, bodyBytesMaxOf, type Credentials } from '../../http/api.ts'
import { AuthenticationUnavailable, type Authenticator, RateLimited } from '../../http/authenticator.ts'
import { parseJsonText } from '../../http/formats/json-body.ts'
import { firstFault, type Schema } from '../../http/formats/json-schema.ts'
import { storeTroubleOf } from '../../http/formats/store-errors.ts'
import type { Log } from '../../http/ops/log.ts'
import { forbiddenText, type Policy } from '../../http/policy.ts'
import { callers, pathOf } from '../../http/request/caller-context.ts'
import { hasBody, NO_BODY, RequestAborted, readBody } from '../../http/request/request-body.ts'
import type { BerthServer } from '../../http/server.ts'
import { assert } from '../../kernel/assert.ts'
import { StoreUnavailable, StoreUncertain } from '../../store/store.ts'
import { ChangeRefused } from '../../world/change-refused.ts'
import { NotStorable } from '../../world/storable.ts'
import type { Attempt, IdempotencyKeys, WriteResponse } from './idempotency.ts'
import { requireKeepable } from './keepable.ts'
import { Problem, problemDocument } from './problem.ts'
import { readQuery } from './query-values.ts'
import { bytesOf } from './request-bytes.ts'
import type { V1Read, V1Route, V1Write } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    credentials: Credentials
  }
}

export interface V1Parts {
  readonly authenticator: Authenticator
  readonly policy: Policy
  /** Resolves once memory may be read for a request that has come; null if it may at once. */
  readonly upToDate: () => Promise<void> | null
  readonly log: Log
  readonly keys: IdempotencyKeys
}

/** Berth's own API below /v1: every route names its policy operation, every error is a problem document. */
export function addV1(server: BerthServer, parts: V1Parts, routes: readonly V1Route[]): void {
  server.register(
    async scope => {
      server.observe(scope, 'berth')
      scope.decorateRequest('credentials', null as unknown as Credentials)
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        const problem = asProblem(error, request, parts.log)
        if (problem.status === 503) reply.header('retry-after', '1')
        if (problem.status === 429) reply.header('retry-after', String(problem.facts.retry_after_s))
        return reply
          .code(problem.status)
          .type('application/problem+json')
          .send(JSON.stringify(problemDocument(problem, request.id)))
      })
      scope.removeAllContentTypeParsers()
      for (const route of routes) addRoute(scope, route, parts, server)
      // Found only where no route is: before anything of the request is read.
      scope.all('/*', {
        onRequest: (request, reply) => turnAway(request, reply, routes),
        handler: () => null,
      })
    },
    { prefix: '/v1' },
  )
}

function addRoute(scope: FastifyInstance, route: V1Route, parts: V1Parts, server: BerthServer): void {
  assert(parts.policy.knows(route.operation), () => `no policy for operation ${route.operation}`)
  scope.register(async inner => {
    // A raw body is not read here: the handler takes it as it comes, however long it is.
    if ('write' in route && route.rawBody !== undefined)
      inner.addContentTypeParser(route.rawBody, (_request, _payload, done) => done(null, undefined))
    else
      inner.addContentTypeParser('application/json', (request: FastifyRequest) =>
        readJson(request, route, server),
      )
    inner.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: request => admit(request, route, parts),
      handler: async (request, reply) => {
        if (!('write' in route)) return read(route, request, reply, parts)
        return callers.run(callerOf(request, route), () => write(route, request, reply, parts))
      },
    })
  })
}

async function readJson(request: FastifyRequest, route: V1Route, server: BerthServer): Promise<unknown> {
  // A request without a body is no stream, and never ends.
  const body = hasBody(request.raw) ? await readWhole(request, route, server) : NO_BODY
  if (body.length === 0)
    throw new Problem(400, 'request.invalid', 'The body: it is empty, and JSON is expected.')
  return parseJsonText(body)
}

const readWhole = (request: FastifyRequest, route: V1Route, server: BerthServer): Promise<Buffer> =>
  readBody(request.raw, {
    bytesMax: bodyBytesMaxOf(route.bodyLimit, server.initialConfig.bodyLimit as number),
    memory: server.bodyMemory,
    owner: request.credentials.userId,
  })

const callerOf = ({ credentials, id, method, url }: FastifyRequest, { operation }: V1Route) => ({
  credentials,
  requestId: id,
  service: 'berth',
  operation,
  method,
  path: pathOf(url),
})

async function read(
  route: V1Read,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: V1Parts,
): Promise<unknown> {
  const answer = await route.handle({ ...asked(route, request, parts), raw: request, reply })
  return reply.sent || answer === undefined ? reply : answer
}

async function write(
  route: V1Write,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: V1Parts,
): Promise<string> {
  const all = asked(route, request, parts)
  const key = request.headers['idempotency-key'] as string | undefined
  const attempt = await parts.keys.begin(request.credentials, key, `${request.method} ${request.url}`)
  try {
    const bytes = route.rawBody === undefined ? NO_BYTES : bytesOf(request.raw, attempt)
    if (route.rawBody === undefined) attempt.sawAll(JSON.stringify(request.body ?? null))
    const written = attempt.isKnown
      ? await replayed(attempt, bytes)
      : await route.write({ ...all, bytes, once: attempt })
    if (written.isReplay) reply.header('idempotent-replay', 'true')
    reply.code(written.status).type('application/json; charset=utf-8')
    return written.text
  } finally {
    attempt.end()
    // What a refused client still sends is read and dropped, so that it gets to see the answer.
    request.raw.resume()
  }
}

async function replayed(attempt: Attempt, bytes: AsyncIterable<Uint8Array>): Promise<WriteResponse> {
  for await (const _ of bytes);
  return attempt.replay()
}

const NO_BYTES: AsyncIterable<Uint8Array> = (async function* () {})()

function asked(route: V1Route, request: FastifyRequest, parts: V1Parts) {
  return {
    query: route.anyQuery === true ? undefined : readQuery(request.url, route.query?.schema),
    body: route.body === undefined ? undefined : checked(request.body, route.body.schema, 'write' in route),
    params: request.params as Readonly<Record<string, string>>,
    credentials: request.credentials,
    requestId: request.id,
    again: () => lookAgain(request, route, parts),
  }
}

/** For answers that take long: a token may end while they are given. An identity service that cannot be asked lets nobody go on. */
async function lookAgain(
  { headers }: FastifyRequest,
  { operation }: V1Route,
  { authenticator, policy }: V1Parts,
): Promise<Credentials | null> {
  const verdict = await (authenticator.again ?? authenticator.authenticate)(headers)
  if (verdict === null || verdict instanceof AuthenticationUnavailable || verdict instanceof RateLimited)
    return null
  return policy.allows(operation, verdict, { project_id: verdict.projectId }) ? verdict : null
}

async function admit(request: FastifyRequest, route: V1Route, parts: V1Parts): Promise<void> {
  // Before it is asked who that is: another process may have revoked the token. What comes after is no older.
  await parts.upToDate()
  const verdict = await parts.authenticator.authenticate(request.headers)
  if (verdict instanceof AuthenticationUnavailable) {
    parts.log.warn('cannot authenticate', { request_id: request.id, reason: verdict.reason })
    throw new Problem(503, 'identity.unavailable', 'The identity service cannot be reached.')
  }
  if (verdict instanceof RateLimited)
    throw new Problem(429, 'identity.rate-limited', 'Too many requests of this user.', {
      retry_after_s: verdict.waitS,
    })
  if (verdict === null)
    throw new Problem(401, 'identity.token-needed', 'A valid token is needed in the X-Auth-Token header.')
  request.credentials = verdict
  const { operation } = route
  if (!parts.policy.allows(operation, verdict, { project_id: verdict.projectId }))
    throw new Problem(403, 'policy.forbidden', forbiddenText(operation), { operation })
}

function checked(body: unknown, schema: Schema, isKept: boolean): unknown {
  // Who only asks may ask about whatever there is.
  if (isKept) requireKeepable(body)
  const fault = firstFault(schema, body)
  if (fault === null) return body
  const where = fault.path === '' ? 'The body' : fault.path
  throw new Problem(400, 'request.invalid', `${where}: ${fault.message}`, { field: fault.path })
}

function asProblem(error: FastifyError, request: FastifyRequest, log: Log): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ApiError)
    return new Problem(
      error.status,
      error.code ?? CODES.get(error.status) ?? 'request.invalid',
      error.message,
    )
  if (error instanceof NotStorable) return new Problem(400, 'value.out-of-range', error.message)
  if (error instanceof RequestAborted) return new Problem(400, 'request.aborted', error.message)
  if (error instanceof StoreUnavailable || error instanceof StoreUncertain) {
    // Why is for the log: it names paths and addresses, and may come before anybody has shown a token.
    log.warn('store unavailable', { request_id: request.id, error })
    const { status, code, detail } = storeTroubleOf(error)
    return new Problem(status, code, detail)
  }
  if (error instanceof ChangeRefused && error.why === 'taken')
    return new Problem(409, 'store.conflict', `Nothing was changed: ${error.message}.`)
  const status = error.statusCode ?? 500
  if (status < 500) return new Problem(status, 'request.invalid', error.message)
  log.error('request failed', { request_id: request.id, error })
  return new Problem(500, 'internal', `An internal error, noted in the log as ${request.id}.`)
}

/** Of errors that all APIs share. */
const CODES: ReadonlyMap<number, string> = new Map([
  [413, 'request.too-large'],
  [503, 'request.no-room'],
])

async function turnAway(
  request: FastifyRequest,
  reply: FastifyReply,
  routes: readonly { readonly method: string; readonly path: string }[],
): Promise<void> {
  const path = (request.url.split('?')[0] as string).slice('/v1'.length)
  const here = routes.filter(route => patternOf(route.path).test(path)).map(route => route.method)
  if (here.length === 0) throw new Problem(404, 'route.unknown', `There is nothing at /v1${path}.`)
  const allowed = [...new Set(here)].join(', ')
  reply.header('allow', allowed)
  throw new Problem(405, 'route.method', `${request.method} is not allowed here; ${allowed} is.`)
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
