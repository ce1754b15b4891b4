import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { isKnownOperation } from '../../identity/policy/compile-policy.ts'
import { type V1Context, v1Routes } from '../routes.ts'

let berth: Berth
// biome-ignore lint/suspicious/noExplicitAny: a document
let document: any
beforeAll(async () => {
  berth = await Berth.start()
  document = (await berth.ask('GET', '/v1/openapi.json')).json
})
afterAll(() => berth.end())

const routes = v1Routes({ placement: {} } as V1Context)

// biome-ignore lint/suspicious/noExplicitAny: a document
const operations = (): [string, string, any][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]): [string, string, unknown] => [
      method,
      path,
      operation,
    ]),
  )

test('it is OpenAPI 3.1 and has every route, itself included', () => {
  expect(document.openapi).toBe('3.1.0')
  const told = operations().map(([method, path]) => `${method.toUpperCase()} ${path}`)
  expect(told.sort()).toEqual(routes.map(route => `${route.method} /v1${route.path}`).sort())
  expect(told).toContain('GET /v1/openapi.json')
  const ids = operations().map(([, , operation]) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every caller with a token may read it', async () => {
  const asked = (headers: Record<string, string>) => berth.ask('GET', '/v1/openapi.json', { headers })
  expect((await asked({ 'x-roles': 'nobody' })).status).toBe(200)
  expect((await asked({ 'x-auth-token': '' })).status).toBe(401)
})

test('every path parameter and every answer of a route is described, errors too', () => {
  for (const [method, path, operation] of operations()) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    // biome-ignore lint/suspicious/noExplicitAny: a document
    const inPath = operation.parameters.filter((one: any) => one.in === 'path').map((one: any) => one.name)
    expect(inPath, `${method} ${path}`).toEqual(named)
    expect((operation.responses['200'] ?? operation.responses['201']).description).toBeTruthy()
    for (const status of ['401', '403', '503'])
      expect(operation.responses[status].content['application/problem+json'].schema.$ref).toBe(
        '#/components/schemas/Problem',
      )
  }
  expect(document.components.schemas.Problem.required).toContain('code')
})

test('every route has its body, its answer and its problems, as it declares them', () => {
  for (const route of routes) {
    const name = `${route.method} ${route.path}`
    const operation = document.paths[`/v1${route.path}`][route.method.toLowerCase()]
    const rawBody = 'write' in route ? route.rawBody : undefined
    const body = operation.requestBody?.content ?? {}
    expect(Object.keys(body), name).toEqual(route.body ? ['application/json'] : rawBody ? [rawBody] : [])
    if (route.body)
      expect(Object.keys(body['application/json'].schema.properties), name).toEqual(
        Object.keys(route.body.schema.properties ?? {}),
      )
    const { mediaType = 'application/json', shape } = route.answer
    const content = operation.responses[route.answer.status ?? 200].content[mediaType]
    const isBinary = mediaType === 'application/vnd.sqlite3'
    expect(isBinary || content.schema !== undefined || content.example !== undefined, name).toBe(true)
    if (mediaType === 'application/json')
      expect(Object.keys(content.schema.properties ?? {}), name).toEqual(
        Object.keys(shape?.schema.properties ?? {}),
      )
    for (const [status, text] of Object.entries(route.problems ?? {}))
      expect(operation.responses[status]?.description, `${name} ${status}`).toContain(text)
  }
})

test('every write takes an Idempotency-Key, and nothing else does', () => {
  const takes = operations()
    // biome-ignore lint/suspicious/noExplicitAny: a document
    .filter(([, , { parameters }]) => parameters.some((one: any) => one.name === 'idempotency-key'))
    .map(([method, path]) => `${method} ${path}`)
  expect(takes).toEqual([
    'post /v1/schedule',
    'post /v1/move',
    'post /v1/rebuild',
    'post /v1/nova/filter',
    'post /v1/manila/filter',
    'post /v1/manila/place',
    'post /v1/manila/forget',
    'post /v1/reservations',
    'delete /v1/reservations/{reservation}',
    'post /v1/import',
    'post /v1/hosts',
    'put /v1/hosts/{name}',
    'delete /v1/hosts/{name}',
    'post /v1/hosts/change',
    'post /v1/hosts/undo',
    'post /v1/pull/{cloud}',
    'post /v1/apply',
    'post /v1/catalog/import',
    'post /v1/tokens',
    'delete /v1/tokens/{token}',
    'delete /v1/user-tokens/{user_token}',
    'post /v1/user-tokens/revoke',
    'post /v1/standard-traits',
    'put /v1/shadow',
    'post /v1/shadow/sweep',
    'post /v1/shadow/end',
  ])
})

test('lists may be repeated in a query, and maps are described as maps', () => {
  const fleet = document.paths['/v1/fleet'].get
  // biome-ignore lint/suspicious/noExplicitAny: a document
  const uuid = fleet.parameters.find((one: any) => one.name === 'uuid')
  expect(uuid).toMatchObject({ in: 'query', explode: true, schema: { type: 'array' } })
  const line = fleet.responses['200'].content['application/x-ndjson'].schema
  expect(line.properties.usages).toMatchObject({
    type: 'object',
    additionalProperties: { type: 'integer' },
  })
  expect(JSON.stringify(document)).not.toContain('patternProperties')
})

test('every route names a policy operation that exists', () => {
  for (const { operation } of routes) expect(isKnownOperation(operation), operation).toBe(true)
})
