/** Who may see and do what, over HTTP. Hidden things look like missing ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth } from '../../test/running-berth.ts'

let berth: Berth
const N = '/v2/metadefs/namespaces'
const as = (token: string) => ({ headers: { 'x-auth-token': token } })
const ADMIN = as('root:ops:admin')
const READER = as('ann:alpha:reader')
const STRANGER = as('zoe:alpha:gardener')

beforeAll(async () => {
  berth = await Berth.start({ only: 'catalog', rbac: 'secure' })
  for (const [namespace, owner, visibility] of [
    ['open', 'beta', 'public'],
    ['own', 'alpha', 'private'],
    ['hidden', 'beta', 'private'],
  ])
    await berth.ask('POST', N, {
      ...ADMIN,
      body: {
        namespace,
        owner,
        visibility,
        properties: { p: { title: 'P', type: 'string' } },
        objects: [{ name: 'o' }],
        tags: [{ name: 't' }],
        resource_type_associations: [{ name: 'r' }],
      },
    })
})
afterAll(() => berth.end())

const property = { name: 'q', title: 'Q', type: 'string' }
const reads = [
  '',
  '/properties',
  '/properties/p',
  '/objects',
  '/objects/o',
  '/tags',
  '/tags/t',
  '/resource_types',
]
const writes: [method: string, path: string, body?: unknown][] = [
  ['PUT', '', { namespace: 'x' }],
  ['DELETE', ''],
  ['POST', '/properties', property],
  ['PUT', '/properties/p', property],
  ['DELETE', '/properties/p'],
  ['DELETE', '/properties'],
  ['POST', '/objects', { name: 'x' }],
  ['PUT', '/objects/o', { name: 'x' }],
  ['DELETE', '/objects/o'],
  ['DELETE', '/objects'],
  ['POST', '/tags', { tags: [] }],
  ['POST', '/tags/x'],
  ['PUT', '/tags/t', { name: 'x' }],
  ['DELETE', '/tags/t'],
  ['DELETE', '/tags'],
  ['POST', '/resource_types', { name: 'x' }],
  ['DELETE', '/resource_types/r'],
]
const ask = async (method: string, path: string, how: object, body?: unknown) =>
  berth.ask(method, path, { ...how, ...(body === undefined ? {} : { body }) })

describe('reading', () => {
  test.each(reads)('%s: a reader sees public namespaces and those of its project', async path => {
    expect((await ask('GET', `${N}/open${path}`, READER)).status).toBe(200)
    expect((await ask('GET', `${N}/own${path}`, READER)).status).toBe(200)
    expect((await ask('GET', `${N}/hidden${path}`, ADMIN)).status).toBe(200)
  })

  test.each(reads)('%s: a hidden namespace answers to the letter like one that is not there', async path => {
    const hidden = await ask('GET', `${N}/hidden${path}`, READER)
    const missing = await ask('GET', `${N}/absent${path}`, READER)
    expect(hidden.status).toBe(404)
    expect(hidden.text.replaceAll('hidden', 'absent')).toBe(missing.text)
  })

  test.each(reads)('%s: a role that means nothing sees nothing', async path => {
    expect((await ask('GET', `${N}/open${path}`, STRANGER)).status).toBe(404)
  })

  test('lists need the role reader', async () => {
    expect((await ask('GET', N, STRANGER)).status).toBe(403)
    expect((await ask('GET', '/v2/metadefs/resource_types', STRANGER)).status).toBe(403)
    expect((await ask('GET', N, READER)).json.namespaces).toHaveLength(2)
  })
})

describe('writing', () => {
  test.each(writes)('%s %s: 403 where one sees the namespace, 404 where not', async (method, path, body) => {
    expect((await ask(method, `${N}/open${path}`, READER, body)).status).toBe(403)
    expect((await ask(method, `${N}/own${path}`, READER, body)).status).toBe(403)
    const hidden = await ask(method, `${N}/hidden${path}`, READER, body)
    expect(hidden.status).toBe(404)
    expect(hidden.text.replaceAll('hidden', 'absent')).toBe(
      (await ask(method, `${N}/absent${path}`, READER, body)).text,
    )
  })

  test.each(writes.filter(([, , body]) => body !== undefined))(
    '%s %s: a bad body is told before rights and existence',
    async (method, path) => {
      for (const namespace of ['open', 'hidden', 'absent'])
        expect((await ask(method, `${N}/${namespace}${path}`, STRANGER, { colour: 'red' })).status).toBe(400)
    },
  )

  test('creating is refused to non-admins, also under a name that is taken, without telling that it is', async () => {
    for (const namespace of ['hidden', 'new'])
      expect((await ask('POST', N, READER, { namespace })).status).toBe(403)
  })

  test('nothing of that changed anything', async () => {
    const { json } = await ask('GET', `${N}/open`, ADMIN)
    expect(Object.keys(json.properties)).toEqual(['p'])
    expect(json).toMatchObject({ objects: [{ name: 'o' }], tags: [{ name: 't' }] })
    expect(json.resource_type_associations).toHaveLength(1)
  })
})

describe('by the old defaults', () => {
  test('no role is needed to read, and still one to write', async () => {
    const old = await Berth.start({ only: 'catalog', rbac: 'legacy' })
    await old.ask('POST', N, { ...ADMIN, body: { namespace: 'open', visibility: 'public' } })
    await old.ask('POST', N, { ...ADMIN, body: { namespace: 'hidden' } })
    expect((await old.ask('GET', `${N}/open`, STRANGER)).status).toBe(200)
    expect((await old.ask('GET', `${N}/hidden`, STRANGER)).status).toBe(404)
    expect((await old.ask('GET', N, STRANGER)).json.namespaces).toHaveLength(1)
    expect((await old.ask('DELETE', `${N}/open`, STRANGER)).status).toBe(403)
    await old.end()
  })
})

describe('tokens', () => {
  test.each(['', 'garbage', 'a:b', 'a:b:c:d', ':p:admin'])('%j is nobody', async token => {
    const answer = await ask('GET', N, as(token))
    expect(answer.status).toBe(401)
    expect((await ask('GET', '/v2/schemas/metadefs/tag', as(token))).status).toBe(401)
  })

  test('the root needs none', async () => {
    const root = await ask('GET', '/', as(''))
    expect(root.status).toBe(300)
    expect(root.json.versions[0]).toMatchObject({
      status: 'CURRENT',
      links: [{ rel: 'self', href: `${berth.server.url}/v2/` }],
    })
  })

  test('one that is percent-encoded is read as what it spells', async () => {
    expect((await ask('GET', N, as('root%3Aops%3Aadmin'))).json.namespaces).toHaveLength(3)
  })
})
