import { SMALL_BODY_BYTES } from '../../http/api.ts'
import type { Json } from '../../kernel/json.ts'
import { emptyRecord } from '../../kernel/records.ts'
import type { V1Answer, V1Route } from '../api/route.ts'
import { schemaDocument } from './schema-document.ts'

/** Every route of /v1 as an OpenAPI 3.1 document, from the same descriptions that serve them. */
export function v1Document(routes: readonly V1Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = emptyRecord()
  for (const route of routes) {
    const path = `/v1${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Berth',
      version,
      description:
        "Berth's own API: reads of the whole fleet, what changes, explanations, transfer and backup.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' } },
      schemas: { Problem: problem },
    },
  }
}

const problem: Json = {
  type: 'object',
  description: 'The problem (RFC 9457). Further members are the facts of its code: numbers and names.',
  properties: {
    title: { type: 'string', description: 'The status in words.' },
    status: { type: 'integer', description: 'The status.' },
    code: { type: 'string', description: 'The error code for programs; it never changes.' },
    detail: { type: 'string', description: 'The message, for people.' },
    request_id: { type: 'string', description: 'The id of the request in the server log.' },
  },
  required: ['title', 'status', 'code', 'detail', 'request_id'],
}

function operationOf(route: V1Route): Json {
  const body = bodyOf(route)
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^a-z0-9]+/gi, '_')}`,
    summary: route.summary,
    description: route.description,
    'x-berth-operation': route.operation,
    parameters: parametersOf(route),
    ...(body === null ? {} : { requestBody: requestBodyOf(route, body) }),
    responses: responsesOf(route),
  }
}

function parametersOf(route: V1Route): Json[] {
  const query = route.query?.schema
  return [
    ...Object.entries(route.params ?? {}).map(([name, description]) => ({
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      required: query?.required?.includes(name) ?? false,
      description: schema.description,
      schema: schemaDocument(schema),
      ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
    })),
    ...(route.anyQuery === true ? [FREE_QUERY] : []),
    ...Object.entries(headersOf(route)).map(([name, description]) => ({
      name,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
    })),
  ]
}

/** Parameters that another API defines: any name, any text. */
const FREE_QUERY = {
  name: 'query',
  in: 'query',
  required: false,
  style: 'form',
  explode: true,
  description: 'The query parameters, such as `resources` and `required`, each by its own name.',
  schema: { type: 'object', additionalProperties: { type: 'string' } },
}

const IDEMPOTENCY_KEY =
  'At most 255 visible characters that identify this request. Sent again within 24 hours with the same ' +
  'body, the request has no second effect and gets the first answer, with the header `idempotent-replay: true`. With ' +
  'another body it is refused with 422; while the first is in progress, with 409. A refused request ' +
  'is not remembered; what an import wrote before the refused line stays.'

/** The request headers that a route reads; every write takes a key. */
export function headersOf(route: V1Route): Readonly<Record<string, string>> {
  return { ...route.headers, ...('write' in route ? { 'idempotency-key': IDEMPOTENCY_KEY } : {}) }
}

function bodyOf(route: V1Route): Json | null {
  if (route.body !== undefined) return { 'application/json': { schema: schemaDocument(route.body.schema) } }
  if (!('write' in route) || route.rawBody === undefined) return null
  return { [route.rawBody]: { schema: { type: 'string' }, example: route.rawBodyExample } }
}

function responsesOf(route: V1Route): Json {
  const refusals = Object.entries(problemsOf(route)).map(([status, description]) => [
    status,
    Number(status) < 400 ? { description } : { description, content: problemContent },
  ])
  return { [route.answer.status ?? 200]: answerOf(route.answer), ...Object.fromEntries(refusals) }
}

const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

function requestBodyOf(route: V1Route, content: Json): Json {
  if (route.body === undefined) return { required: true, content }
  return { description: `At most ${bodySizeOf(route)}.`, required: true, content }
}

/** The limit of the body in words. */
export function bodySizeOf({ bodyLimit = SMALL_BODY_BYTES }: V1Route): string {
  if (bodyLimit === 'max_body_bytes') return '`max_body_bytes` of the configuration'
  return bodyLimit < MIB ? `${bodyLimit / 1024} KiB` : `${bodyLimit / MIB} MiB`
}

const MIB = 1024 * 1024

const UNAVAILABLE = 'The store is unavailable (`store.unavailable`); nothing was changed.'
const UNCERTAIN =
  'Or the connection was lost during a commit, so that its outcome is unknown (`store.uncertain`): check before you repeat the request.'

/** All statuses but 200: the route's own, and those that any route may answer. */
export function problemsOf(route: V1Route): Readonly<Record<number, string>> {
  const describeTwice = (status: number, more: string) => {
    const own = route.problems?.[status]
    return own === undefined ? more : `${own} ${more}`
  }
  return {
    ...route.problems,
    401: describeTwice(401, 'No valid token.'),
    403: describeTwice(403, 'The policy does not allow it.'),
    ...(route.body === undefined
      ? {}
      : { 413: describeTwice(413, `The body has more than ${bodySizeOf(route)}.`) }),
    ...('write' in route && route.rawBody !== undefined ? { 415: 'The body is of another media type.' } : {}),
    ...('write' in route
      ? {
          409: describeTwice(409, 'Or a request with the same key is in progress.'),
          422: describeTwice(422, 'The key was used for another request.'),
          507: 'The disk of the store is full (`store.full`); nothing was changed.',
        }
      : {}),
    503: describeTwice(503, 'write' in route ? `${UNAVAILABLE} ${UNCERTAIN}` : UNAVAILABLE),
  }
}

function answerOf({ description, mediaType = 'application/json', shape, example, headers }: V1Answer): Json {
  const content = {
    ...(shape === undefined ? {} : { schema: schemaDocument(shape.schema) }),
    ...(example === undefined ? {} : { example }),
  }
  return {
    description,
    ...(headers === undefined
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, text]) => [
              name,
              { description: text, schema: { type: 'string' } },
            ]),
          ),
        }),
    content: { [mediaType]: content },
  }
}
