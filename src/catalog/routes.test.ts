import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../test/running-berth.ts'
import type { AnswerSchemas } from '../http/api.ts'
import { findFirstFault, type Schema } from '../http/formats/json-schema.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ only: 'catalog' })
})
/** Fails where an answer is not as its route declares it. */
afterAll(() => berth.end())

const ALL = '/v2/metadefs/namespaces'
const ONE = `${ALL}/{namespace}`
const string = { title: 'T', type: 'string' }
const whole = {
  namespace: 'n',
  display_name: 'N',
  description: 'A namespace.',
  properties: { p: { ...string, name: 'q', default: 'x' } },
  objects: [{ name: 'o', description: 'An object.', required: ['p'], properties: { p: { type: 'string' } } }],
  tags: [{ name: 't' }],
  resource_type_associations: [{ name: 'r', prefix: 'r:', properties_target: 'image' }],
}

type Step = readonly [asked: string, status: number, body?: unknown]

const steps: readonly Step[] = [
  ['GET /versions', 200],
  [`POST ${ALL}`, 201, whole],
  [`POST ${ALL}`, 201, { namespace: 'bare' }],
  [`GET ${ALL}?limit=1&visibility=private&resource_types=r&sort_key=namespace&sort_dir=asc`, 200],
  [`GET ${ONE}?resource_type=r`, 200],
  [`PUT ${ONE}`, 200, { namespace: 'n', visibility: 'public', tags: [{ name: 't' }] }],
  [`GET ${ONE}/properties`, 200],
  [`POST ${ONE}/properties`, 201, { name: 'p2', ...string }],
  [`GET ${ONE}/properties/{property}?resource_type=`, 200],
  [`PUT ${ONE}/properties/{property}`, 200, { name: 'p', ...string, operators: ['<in>'] }],
  [`GET ${ONE}/objects?limit=1`, 200],
  [`POST ${ONE}/objects`, 201, { name: 'o2' }],
  [`GET ${ONE}/objects/{object}`, 200],
  [`PUT ${ONE}/objects/{object}`, 200, { name: 'o', namespace: 'n', properties: { p: string } }],
  [`GET ${ONE}/tags?limit=0`, 200],
  [`POST ${ONE}/tags`, 201, { tags: [{ name: 't2' }, { name: 't3' }] }],
  [`POST ${ONE}/tags/{tag}`, 201],
  [`GET ${ONE}/tags/{tag}`, 200],
  [`PUT ${ONE}/tags/{tag}`, 200, { name: 't' }],
  ['GET /v2/metadefs/resource_types', 200],
  [`POST ${ONE}/resource_types`, 201, { name: 'r2' }],
  [`GET ${ONE}/resource_types`, 200],
  [`DELETE ${ONE}/resource_types/{resource_type}`, 204],
  ...['property', 'object', 'tag'].flatMap((part): Step[] => {
    const parts = part === 'property' ? 'properties' : `${part}s`
    return [
      [`DELETE ${ONE}/${parts}/{${part}}`, 204],
      [`DELETE ${ONE}/${parts}`, 204],
    ]
  }),
  [`DELETE ${ONE}`, 204],
  ['GET /v2/images?limit=5', 200],
]

test('every route answers as it is described', async () => {
  const schemas = berth.server.routes.filter(({ path }) => path.startsWith('/v2/schemas/'))
  const all: Step[] = [...steps, ...schemas.map(({ path }): Step => [`GET ${path}`, 200])]
  for (const [asked, status, body] of all) {
    const [method, path] = asked.split(' ') as [string, string]
    const answer = await berth.ask(
      method,
      path.replaceAll(/\{(\w)\w+\}/g, '$1'),
      body === undefined ? {} : { body },
    )
    expect(answer.status, asked).toBe(status)
  }
  const served = berth.server.routes
    .filter(({ mount, path, route }) => mount === '' && route.answers !== undefined && path !== '/')
    .map(({ method, path }) => `${method} ${path}`)
  expect([...new Set(all.map(([asked]) => asked.split('?')[0]))].sort()).toEqual(served.sort())
})

test('the root describes its 300', async () => {
  const [root] = berth.server.routes.filter(({ mount, path }) => mount === '' && path === '/')
  const schemas = { ...(root?.route.answers as AnswerSchemas) }
  const { status, json } = await berth.ask('GET', '/')
  expect(status).toBe(300)
  expect(findFirstFault(schemas[300] as Schema, json)).toBeNull()
})
