import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { explainedErrorSchema, placementErrorSchema } from '../../http/formats/error-document.ts'
import { faultSchema } from '../../http/formats/fault-document.ts'
import { findFirstFault } from '../../http/formats/json-schema.ts'
import { identityErrorSchema } from '../../identity/api/errors.ts'

const SERVICES = ['placement', 'compute', 'image', 'share', 'identity'] as const

// biome-ignore lint/suspicious/noExplicitAny: parts of documents
type Described = any

let berth: Berth
let token: string
const documents: Record<string, Described> = {}
const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${berth.server.url}${path}`, { headers: { 'x-auth-token': token, ...headers } })

beforeAll(async () => {
  berth = await Berth.start({ auth: 'token' })
  token = (await readFile(join(berth.directory, 'admin-token'), 'utf8')).trim()
  for (const name of SERVICES) documents[name] = await (await get(`/v1/openapi/${name}.json`)).json()
})
afterAll(() => berth.end())

function operationsOf(name: string): [string, string, Described][] {
  return Object.entries(documents[name].paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(
      ([method, operation]): [string, string, Described] => [method.toUpperCase(), path, operation],
    ),
  )
}

test('every route of every OpenStack mount is in the document of its service', () => {
  const served = berth.server.routes
    .filter(({ mount }) => SERVICES.some(name => mount === `/${name}`))
    .map(({ method, mount, path }) => `${method} ${mount}${path}`)
  const described = SERVICES.flatMap(name =>
    operationsOf(name).map(([method, path]) => `${method} ${documents[name].servers[0].url}${path}`),
  )
  expect(served.length).toBeGreaterThan(120)
  expect(described.sort()).toEqual([...new Set(served)].sort())
})

describe.each(SERVICES)('%s', name => {
  test('is valid by the schema of OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(documents[name]))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('every reference leads somewhere', () => {
    const references = [...JSON.stringify(documents[name]).matchAll(/"\$ref":"#\/([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(20)
    for (const [, path = ''] of references) {
      const found = path.split('/').reduce((part, step) => part?.[step], documents[name])
      expect(found, path).toBeTypeOf('object')
    }
  })

  test('every operation has a summary, an id of its own, its path parameters and a success', () => {
    const ids = operationsOf(name).map(([method, path, operation]) => {
      expect(operation.summary, `${method} ${path}`).toMatch(/^[A-Z].*[^.]$/)
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
      expect(
        operation.parameters.filter((one: Described) => one.in === 'path').map((one: Described) => one.name),
      ).toEqual(named)
      expect(
        Object.keys(operation.responses).some(
          status => status.startsWith('2') || status === '300' || status === '501',
        ),
      ).toBe(true)
      return operation.operationId
    })
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('every operation with a body describes it', () => {
  const bodiless = SERVICES.flatMap(name =>
    operationsOf(name)
      .filter(([method, , operation]) => ['POST', 'PUT', 'PATCH'].includes(method) && !operation.requestBody)
      .map(([method, path]) => `${method} /${name}${path}`),
  )
  expect(bodiless).toEqual([
    'PUT /placement/traits/{name}',
    'POST /compute/v2.1/os-aggregates/{aggregate_id}/images',
    'POST /compute/v2.1/{project_id}/os-aggregates/{aggregate_id}/images',
    'POST /image/v2/metadefs/namespaces/{namespace}/tags/{tag}',
    'PUT /identity/v3/projects/{project_id}/users/{user_id}/roles/{role_id}',
  ])
})

test('microversions are described as OpenStack does', () => {
  const { paths, components } = documents.placement
  const candidates = paths['/allocation_candidates'].get
  expect(candidates['x-openstack']).toEqual({ 'min-ver': '1.10' })
  const parameter = (name: string) => candidates.parameters.find((one: Described) => one.name === name)
  expect(parameter('in_tree')['x-openstack']).toEqual({ 'min-ver': '1.31' })
  expect(parameter('resources')).toMatchObject({ 'x-openstack': { 'min-ver': '1.10' } })
  expect(candidates.parameters).toContainEqual({ $ref: '#/components/parameters/version' })
  expect(components.parameters.version.name).toBe('OpenStack-API-Version')
  const { schema } = paths['/allocations/{consumer_uuid}'].put.requestBody.content['application/json']
  expect(schema['x-openstack']).toEqual({ discriminator: 'microversion' })
  const branches = schema.oneOf.map(
    ({ $ref }: { $ref: string }) => components.schemas[$ref.split('/').at(-1) as string],
  )
  expect(branches.map((one: Described) => one['x-openstack'])).toEqual([
    { 'min-ver': '1.0', 'max-ver': '1.7' },
    { 'min-ver': '1.8', 'max-ver': '1.11' },
    { 'min-ver': '1.12', 'max-ver': '1.27' },
    { 'min-ver': '1.28', 'max-ver': '1.33' },
    { 'min-ver': '1.34', 'max-ver': '1.37' },
    { 'min-ver': '1.38' },
  ])
  expect(paths['/resource_classes/{name}'].put).toMatchObject({
    'x-openstack': { 'min-ver': '1.2' },
    responses: {
      200: { 'x-openstack': { 'min-ver': '1.2', 'max-ver': '1.6' } },
      201: { 'x-openstack': { 'min-ver': '1.7' } },
    },
  })
})

test('what went away has a last version', () => {
  expect(documents.compute.paths['/v2.1/os-hosts'].get['x-openstack']).toEqual({
    'min-ver': '2.1',
    'max-ver': '2.42',
  })
  expect(documents.compute.info.version).toBe('2.93')
})

test('actions are described by name and version, with answers that may be empty', () => {
  const { paths, components } = documents.share
  const { requestBody, responses } = paths['/v2/shares/{share_id}/action'].post
  const { oneOf, 'x-openstack': mark } = requestBody.content['application/json'].schema
  expect(mark).toEqual({ discriminator: 'action' })
  const marks = oneOf.map(
    ({ $ref }: { $ref: string }) => components.schemas[$ref.split('/').at(-1) as string]['x-openstack'],
  )
  expect(marks).toContainEqual({ 'action-name': 'os-extend', 'min-ver': '2.0', 'max-ver': '2.6' })
  expect(marks).toContainEqual({ 'action-name': 'extend', 'min-ver': '2.7' })
  expect(marks).toContainEqual({ 'action-name': 'soft_delete', 'min-ver': '2.69' })
  expect(responses[200].description).toBe('OK. Some requests get no body.')
  expect(responses[202].description).toBe('Accepted.')
})

test('a token is in a header of the answer, and of the requests that are about it', () => {
  const { get, head, post, delete: revoke } = documents.identity.paths['/v3/auth/tokens']
  const subject = { name: 'X-Subject-Token', in: 'header', required: true }
  for (const operation of [get, head, revoke])
    expect(operation.parameters).toContainEqual(expect.objectContaining(subject))
  expect(post.parameters).not.toContainEqual(expect.objectContaining(subject))
  for (const answer of [get.responses[200], head.responses[200], post.responses[201]])
    expect(answer.headers).toHaveProperty(['x-subject-token'])
  expect(head.responses[200]).not.toHaveProperty('content')
  expect(post.security).toEqual([])
})

test.each([
  ['/placement/nowhere', placementErrorSchema],
  ['/placement/resource_providers?no=1', placementErrorSchema],
  ['/compute/v2.1/flavors/nowhere', faultSchema],
  ['/image/v2/metadefs/namespaces/nowhere', explainedErrorSchema],
  ['/share/v2/shares/nowhere', faultSchema],
  ['/identity/v3/users/nowhere', identityErrorSchema],
])('an error at %s is as described', async (path, schema) => {
  const answer = await get(path, { accept: 'application/json' })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(findFirstFault(schema, await answer.json())).toBeNull()
})

test('a document that is not there is 404 and names those that are', async () => {
  const answer = await get('/v1/openapi/volume.json')
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({
    code: 'openapi.missing',
    documents: ['placement.json', 'compute.json', 'image.json', 'share.json', 'identity.json'],
  })
})

test('a server with one service has the document of that one, for paths at its root', async () => {
  const alone = await Berth.start({ only: 'placement' })
  const { json } = await alone.ask('GET', '/v1/openapi/placement.json')
  expect(json.servers).toEqual([{ url: '/' }])
  expect((await alone.ask('GET', '/v1/openapi/compute.json')).status).toBe(404)
  await alone.end()
})
