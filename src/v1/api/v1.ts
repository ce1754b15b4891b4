import {
  type ApiAnswer,
  type ApiRequest,
  type DescribedRoute,
  JSON_UTF8,
  type NoFeatures,
  RequestRefused,
  type Route,
} from '../../http/api.ts'
import type { ErrorDocument, ErrorFacts } from '../../http/formats/error-document.ts'
import { parseJsonText } from '../../http/formats/json-body.ts'
import { findFirstFault, type Schema } from '../../http/formats/json-schema.ts'
import type { Service } from '../../http/service.ts'
import type { IdempotencyKeys, KeyedWrite, WriteResponse } from './idempotency.ts'
import { Problem, renderProblem } from './problem.ts'
import { readQuery } from './query-values.ts'
import { CustomAnswer, type V1Read, type V1Route, type V1Write } from './route.ts'

type Request = ApiRequest<NoFeatures>

/** Berth's own API below /v1: every route names its policy operation, every error is a problem document. */
export function v1Service(keys: IdempotencyKeys, routes: readonly V1Route[]): Service<NoFeatures> {
  return {
    name: 'berth',
    serviceType: 'berth',
    versions: null,
    routes: routes.map(route => toRoute(route, keys)),
    openPaths: [],
    untypedBodies: true,
    errorDocument: renderError,
    unauthorizedDocument: renderError,
  }
}

function toRoute(route: V1Route, keys: IdempotencyKeys): Route<NoFeatures> {
  const { method, path, operation, bodyLimit } = route
  const isRaw = 'write' in route && route.rawBody !== undefined
  return {
    method,
    path,
    operation,
    bodyType: isRaw ? (route.rawBody as string) : 'application/json',
    ...(isRaw ? { takesRawBody: true } : {}),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...descriptionOf(route),
    handle: request => ('write' in route ? write(route, request, keys) : read(route, request)),
  }
}

/** The description that routes of all services have. The OpenAPI document of /v1 adds more. */
function descriptionOf({ summary, query, body, answer }: V1Route): Partial<DescribedRoute<NoFeatures>> {
  const { shape, mediaType, status = 200 } = answer
  return {
    summary,
    ...(query === undefined ? {} : { query: query.schema }),
    ...(body === undefined ? {} : { requestBody: body.schema }),
    ...(shape === undefined || mediaType !== undefined ? {} : { answers: { [status]: shape.schema } }),
  }
}

async function read(route: V1Read, request: Request): Promise<ApiAnswer> {
  const asked = parseRequest(route, parseBody(route, request), request)
  const answer = await route.handle(asked)
  if (answer instanceof CustomAnswer) return answer.answer
  return { status: 200, contentType: JSON_UTF8, body: JSON.stringify(answer) }
}

async function write(route: V1Write, request: Request, keys: IdempotencyKeys): Promise<ApiAnswer> {
  const { credentials, headers, method, url } = request
  const body = parseBody(route, request)
  const asked = parseRequest(route, body, request)
  const key = headers['idempotency-key'] as string | undefined
  const attempt = await keys.begin(credentials, key, `${method} ${url}`)
  try {
    const bytes = route.rawBody === undefined ? NO_BYTES : readDigested(request, attempt)
    if (route.rawBody === undefined) attempt.finishBody(JSON.stringify(body ?? null))
    const { status, text, isReplay } = attempt.isKnown
      ? await replay(attempt, bytes)
      : await route.write({ ...asked, bytes, once: attempt })
    return {
      status,
      contentType: JSON_UTF8,
      body: text,
      ...(isReplay ? { headers: { 'idempotent-replay': 'true' } } : {}),
    }
  } finally {
    attempt.end()
  }
}

async function replay(attempt: KeyedWrite, bytes: AsyncIterable<Uint8Array>): Promise<WriteResponse> {
  for await (const _ of bytes);
  return attempt.replay()
}

const NO_BYTES: AsyncIterable<Uint8Array> = (async function* () {})()

/** A raw body as a stream, added to the digest that recognizes a repeated request. */
async function* readDigested(request: Request, attempt: KeyedWrite): AsyncGenerator<Uint8Array> {
  for await (const chunk of request.readRawBody()) {
    attempt.addBytes(chunk)
    yield chunk
  }
  attempt.finishBody('')
}

function parseBody(route: V1Route, { body, headers }: Request): unknown {
  if (body.length > 0) return parseJsonText(body)
  if (route.body !== undefined && headers['content-type'] !== undefined)
    throw new Problem(400, 'request.invalid', 'The body is empty; JSON is expected.')
  return undefined
}

function parseRequest(route: V1Route, body: unknown, request: Request) {
  const { query, params, headers, credentials, requestId, reauthenticate, onClose } = request
  return {
    query: route.anyQuery === true ? undefined : readQuery(query, route.query?.schema),
    body: route.body === undefined ? undefined : checkBody(body, route.body.schema, 'write' in route),
    rawQuery: query,
    params,
    headers,
    credentials,
    requestId,
    reauthenticate,
    onClose,
  }
}

function checkBody(body: unknown, schema: Schema, isKept: boolean): unknown {
  // Only writes store their body.
  if (isKept) requireKeepable(body)
  const fault = findFirstFault(schema, body)
  if (fault === null) return body
  const where = fault.path === '' ? 'The body' : fault.path
  throw new Problem(400, 'request.invalid', `${where}: ${fault.message}`, { field: fault.path })
}

function renderError(facts: ErrorFacts): ErrorDocument {
  return {
    contentType: 'application/problem+json; charset=utf-8',
    body: JSON.stringify(renderProblem(toProblem(facts), facts.requestId)),
  }
}

function toProblem({ status, message, method, path, error }: ErrorFacts): Problem {
  if (error instanceof Problem) return error
  if (!(error instanceof RequestRefused))
    return new Problem(status, error?.code ?? 'request.invalid', message)
  return new Problem(status, error.reason, describeDetail(error, method, path ?? ''), error.facts)
}

/** OpenStack formats have their own texts for these. */
function describeDetail({ reason, message, headers }: RequestRefused, method: string, path: string): string {
  switch (reason) {
    case 'identity.token-needed':
      return 'A valid token is needed in the X-Auth-Token header.'
    case 'route.unknown':
      return `There is nothing at ${path}.`
    case 'route.method':
      return `${method} is not allowed here; allowed: ${headers.allow}.`
    default:
      return message
  }
}

/** Refuses bodies that could not be stored: with infinite numbers, or characters that no database stores. */
function requireKeepable(body: unknown): void {
  const waiting = [body]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'number' && !Number.isFinite(value))
      throw makeProblem('a number is too large: the maximum is 1.7976931348623157e308')
    if (typeof value === 'string') requireText(value)
    else if (Array.isArray(value)) for (const one of value) waiting.push(one)
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) waiting.push(key, one)
  }
}

/** How much of a text an error quotes. */
const SHOWN_MAX = 200

function requireText(text: string): void {
  if (!text.isWellFormed() || text.includes('\0'))
    throw makeProblem(
      `${JSON.stringify(text.slice(0, SHOWN_MAX))} has a character that is not allowed (U+0000 or half a surrogate pair)`,
    )
}

const makeProblem = (why: string): Problem => new Problem(400, 'request.invalid', `The body: ${why}.`)
