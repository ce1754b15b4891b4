/** Behaviour that all resources of the API share, over HTTP. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ask, Berth } from '../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ only: 'catalog' })
})
afterAll(() => berth.end())

const N = '/v2/metadefs/namespaces'
const post = (path: string, body: unknown, more: Ask = {}) => berth.ask('POST', path, { body, ...more })
const get = (path: string, more: Ask = {}) => berth.ask('GET', path, more)
const made = async (body: { namespace: string; [key: string]: unknown }) => {
  const answer = await post(N, body)
  expect(answer.status).toBe(201)
  return `${N}/${encodeURIComponent(body.namespace)}`
}

describe('errors', () => {
  const missing = (accept?: string) =>
    get(`${N}/<nothing>`, accept === undefined ? {} : { headers: { accept } })

  test('are JSON for those who ask for it', async () => {
    const { status, headers, json } = await missing('application/json')
    expect(status).toBe(404)
    expect(headers.get('content-type')).toBe('application/json')
    expect(json).toEqual({
      message: 'There is no metadata definition namespace <nothing>.<br /><br />\n\n\n',
      code: '404 Not Found',
      title: 'Not Found',
    })
  })

  test('are a page for those who take anything, with all that came from the request quoted', async () => {
    const { headers, text } = await missing('*/*')
    expect(headers.get('content-type')).toBe('text/html; charset=UTF-8')
    expect(text).toContain('<h1>404 Not Found</h1>')
    expect(text).toContain('&lt;nothing&gt;')
  })

  test('a 401 and a 405 look alike', async () => {
    const json = { accept: 'application/json' }
    const nobody = await get(N, { headers: { ...json, 'x-auth-token': '' } })
    expect(nobody).toMatchObject({ status: 401, json: { code: '401 Unauthorized' } })
    const wrong = await berth.ask('PATCH', N, { headers: json })
    expect(wrong).toMatchObject({ status: 405, json: { code: '405 Method Not Allowed' } })
    expect(wrong.headers.get('allow')).toBe('GET, POST')
  })
})

describe('requests', () => {
  test('keep the id they bring, if it is one; no other version header is answered', async () => {
    const id = async (sent: string) =>
      (await get(N, { headers: { 'x-openstack-request-id': sent } })).headers.get('x-openstack-request-id')
    expect(await id('req-feed-beef')).toBe('req-feed-beef')
    expect(await id('feed')).toBe('req-feed')
    expect(await id('no good')).toMatch(/^req-[0-9a-f-]{36}$/)
    expect(await id('x'.repeat(65))).toMatch(/^req-[0-9a-f-]{36}$/)
    const { headers } = await get(N, { headers: { 'openstack-api-version': 'image 99.9' } })
    expect(headers.get('openstack-api-version')).toBeNull()
  })

  test('may call their body what they like', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', ''])
      expect((await post(N, {}, { headers: { 'content-type': type } })).status).toBe(400)
    const answer = await post(N, { namespace: 'typed' }, { headers: { 'content-type': 'image/png' } })
    expect(answer.status).toBe(201)
  })

  test.each([
    ['DELETE', ''],
    ['POST', '/tags/x'],
    ['DELETE', '/tags/x'],
    ['DELETE', '/objects/x'],
    ['DELETE', '/resource_types/x'],
  ])('%s %s takes no body', async (method, path) => {
    expect((await berth.ask(method, `${N}/typed${path}`, { raw: '{}' })).status).toBe(400)
  })
})

describe('a namespace that cannot be made whole is not made', () => {
  test.each([
    [{ objects: [{ name: 'x' }, { name: 'x' }] }, 409],
    [{ tags: [{ name: 'x' }, { name: 'y' }, { name: 'x' }] }, 409],
    [{ resource_type_associations: [{ name: 'OS::Half' }, { name: 'OS::Half' }] }, 409],
    [{ tags: [{ name: 'ok' }, { name: '' }] }, 400],
    [{ objects: [{ name: 'ok' }, { name: 'x', properties: { p: { type: 'nonsense' } } }] }, 400],
  ])('%j', async (content, status) => {
    const { headers } = await get('/v1/fleet')
    const answer = await post(N, {
      namespace: 'half',
      properties: { p: { title: 'P', type: 'string' } },
      resource_type_associations: [{ name: 'OS::Other' }],
      ...content,
    })
    expect(answer.status).toBe(status)
    expect((await get(`${N}/half`)).status).toBe(404)
    expect((await get('/v1/fleet')).headers.get('berth-revision')).toBe(headers.get('berth-revision'))
    expect((await get('/v2/metadefs/resource_types')).text).not.toContain('OS::Half')
  })

  test('nor are tags of which one is there already', async () => {
    const path = await made({ namespace: 'tags', tags: [{ name: 'a' }] })
    const append = { headers: { 'x-openstack-append': 'yes' } }
    expect((await post(`${path}/tags`, { tags: [{ name: 'b' }, { name: 'a' }] }, append)).status).toBe(409)
    expect((await get(`${path}/tags`)).json).toEqual({ tags: [{ name: 'a' }] })
  })
})

describe('names', () => {
  const odd = ['Ünïcødé 名前', 'a/b', '100%', '%2F', '🍵', '?', '#', 'a b', '__proto__', '+', "o'clock", ' ']

  test.each(odd)('%j is found where its links lead', async name => {
    const content = {
      properties: { [name]: { title: 'P', type: 'string' } },
      objects: [{ name }],
      tags: [{ name }],
      resource_type_associations: [{ name }],
    }
    // As text, because a literal with that key would be something else.
    const raw = JSON.stringify({ namespace: `odd ${name}` }).slice(0, -1)
    const properties = `${JSON.stringify(name)}:{"title":"P","type":"string"}`
    const answer = await berth.ask('POST', N, {
      raw: `${raw},"properties":{${properties}},${JSON.stringify({ ...content, properties: undefined }).slice(1)}`,
    })
    expect(answer.status).toBe(201)
    const path = (answer.headers.get('location') as string).slice(berth.server.url.length)
    expect(answer.json.self).toBe(path)
    const segment = encodeURIComponent(name)
    expect((await get(path)).json.namespace).toBe(`odd ${name}`)
    expect((await get(`${path}/properties/${segment}`)).json.name).toBe(name)
    expect((await get(`${path}/objects/${segment}`)).json.name).toBe(name)
    expect((await get(answer.json.objects[0].self)).json.name).toBe(name)
    expect((await get(`${path}/tags/${segment}`)).json.name).toBe(name)
    expect((await berth.ask('DELETE', `${path}/resource_types/${segment}`)).status).toBe(204)
    expect((await berth.ask('DELETE', path)).status).toBe(204)
  })

  test.each(['', '.', '..', 'x'.repeat(81), '🍵'.repeat(81)])(
    '%j is refused: a URL cannot contain it',
    async name => {
      const path = await made({ namespace: `for ${[...name].length} ${name.length}` })
      expect((await post(N, { namespace: name })).status).toBe(400)
      expect((await post(`${path}/properties`, { name, title: 'P', type: 'string' })).status).toBe(400)
      expect((await post(`${path}/objects`, { name })).status).toBe(400)
      expect((await post(`${path}/tags`, { tags: [{ name }] })).status).toBe(400)
      expect((await post(`${path}/resource_types`, { name })).status).toBe(400)
    },
  )

  test('a tag in a path is refused what it is refused in a body', async () => {
    const path = await made({ namespace: 'tags by path' })
    for (const name of ['\0', 'a\0b', 'x'.repeat(81)]) {
      expect((await berth.ask('POST', `${path}/tags/${encodeURIComponent(name)}`)).status, name).toBe(400)
      expect((await post(`${path}/tags`, { tags: [{ name }] })).status, name).toBe(400)
    }
    expect((await get(`${path}/tags`)).json).toEqual({ tags: [] })
  })

  test('eighty characters are eighty characters in every script', async () => {
    const namespace = '🍵'.repeat(80)
    expect((await get(await made({ namespace }))).json.namespace).toBe(namespace)
  })
})

describe('what goes in comes out', () => {
  test('numbers keep their digits, defaults their kind', async () => {
    const path = await made({ namespace: 'exact' })
    const words =
      '"minimum":0.5,"maximum":18446744073709551615,"default":1e400,"enum":[1.0,-0,9007199254740993,"1"]'
    const raw = `{"name":"p","title":"P","type":"number",${words}}`
    const answer = await berth.ask('POST', `${path}/properties`, { raw })
    expect(answer.text).toBe(raw)
    expect((await get(`${path}/properties/p`)).text).toBe(raw)
    expect((await get(path)).text).toContain(words)
    await berth.ask('POST', `${path}/objects`, {
      raw: `{"name":"o","properties":{"p":{"type":"number",${words}}}}`,
    })
    expect((await get(`${path}/objects/o`)).text).toContain(words)
  })

  test('a name inside the document of a property is kept, and does not rename it', async () => {
    const path = await made({
      namespace: 'inner',
      properties: { p: { name: 'other', title: 'P', type: 'string' } },
    })
    expect((await get(`${path}/properties/p`)).json).toEqual({ name: 'p', title: 'P', type: 'string' })
    expect((await get(path)).json.properties.p.name).toBe('other')
  })

  test('what is nested too deep is refused, not lost', async () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000)
    const raw = `{"name":"deep","title":"D","type":"array","default":${deep}}`
    const path = await made({ namespace: 'deep' })
    expect((await berth.ask('POST', `${path}/properties`, { raw })).status).toBe(400)
  })
})

describe('lists', () => {
  beforeAll(async () => {
    for (const name of ['m', 'c', 'x', 'a', 'q'])
      await made({ namespace: `list ${name}`, display_name: name === 'c' ? 'z' : 'y', visibility: 'public' })
    await made({ namespace: 'objects', objects: ['m', 'c', 'x', 'a', 'q'].map(name => ({ name })) })
  })

  async function pages(first: string, list: string, key: string): Promise<string[][]> {
    const found: string[][] = []
    for (let path: string | undefined = first; path !== undefined; ) {
      const { json } = await get(path)
      found.push(json[list].map((one: Record<string, string>) => one[key]))
      path = json.next
    }
    return found
  }

  test('of namespaces are walked through by following next', async () => {
    const query = 'visibility=public&sort_key=namespace&sort_dir=asc&limit=2'
    expect(await pages(`${N}?${query}`, 'namespaces', 'namespace')).toEqual([
      ['list a', 'list c'],
      ['list m', 'list q'],
      ['list x'],
    ])
  })

  test('of objects are, too, and end with an empty page when the last one was full', async () => {
    const all = `${N}/objects/objects`
    expect(await pages(`${all}?limit=5&sort_key=name`, 'objects', 'name')).toEqual([
      ['x', 'q', 'm', 'c', 'a'],
      [],
    ])
    expect(await pages(`${all}?limit=3`, 'objects', 'name')).toEqual([
      ['q', 'a', 'x'],
      ['c', 'm'],
    ])
    expect(await pages(all, 'objects', 'name')).toEqual([['q', 'a', 'x', 'c', 'm']])
  })

  test('what has no value sorts before what has one', async () => {
    const { json } = await get(`${N}?sort_key=display_name&sort_dir=asc&limit=1`)
    expect(json.namespaces[0]).not.toHaveProperty('display_name')
  })

  test.each([
    'limit=abc',
    'limit=-1',
    'limit=1.5',
    'limit=',
    'sort_key=bogus',
    'sort_key=constructor',
    'sort_dir=sideways',
    'visibility=shared',
  ])('%s is 400', async query => {
    expect((await get(`${N}?${query}`)).status).toBe(400)
  })

  test('a marker that is not there is 404', async () => {
    for (const path of [N, `${N}/objects/objects`, `${N}/objects/tags`])
      expect((await get(`${path}?marker=nothing`)).status).toBe(404)
  })

  test('numbers beyond all limits are lowered quietly', async () => {
    expect((await get(`${N}?limit=${'9'.repeat(400)}`)).status).toBe(200)
  })
})

test('the prefix view does not touch what is stored', async () => {
  const path = await made({
    namespace: 'prefixed',
    resource_type_associations: [{ name: 'T', prefix: 'x:' }],
    properties: { p: { title: 'P', type: 'string' } },
    objects: [{ name: 'o', required: ['q'], properties: { q: { title: 'Q', type: 'string' } } }],
  })
  const { json } = await get(`${path}?resource_type=T`)
  expect(Object.keys(json.properties)).toEqual(['x:p'])
  expect(json.objects[0]).toMatchObject({ required: ['x:q'], properties: { 'x:q': { title: 'Q' } } })
  expect(Object.keys((await get(path)).json.properties)).toEqual(['p'])
  expect((await get(`${path}/properties/x:p?resource_type=T`)).json.name).toBe('p')
  expect((await get(`${path}/properties/p?resource_type=T`)).status).toBe(404)
})

test('no request gets a 500, and what was accepted can be read', async () => {
  const path = await made({ namespace: 'fuzz', objects: [{ name: 'o' }], tags: [{ name: 't' }] })
  const words = [
    'name',
    'namespace',
    'title',
    'type',
    'properties',
    'objects',
    'tags',
    'required',
    'items',
    'enum',
  ]
  const json = fc.letrec(tie => ({
    value: fc.oneof({ maxDepth: 4 }, tie('leaf'), tie('list'), tie('object'), tie('object')),
    leaf: fc.oneof(fc.constantFrom('string', 'o', 't', '', null, true, 0.5, -1), fc.string()),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(fc.constantFrom(...words), tie('value'), { maxKeys: 5 }),
  })).value
  const targets: [string, string][] = [
    ['POST', N],
    ['PUT', path],
    ['POST', `${path}/properties`],
    ['POST', `${path}/objects`],
    ['PUT', `${path}/objects/o`],
    ['POST', `${path}/tags`],
    ['PUT', `${path}/tags/t`],
    ['POST', `${path}/resource_types`],
    ['POST', '/v1/catalog/import?merge=overwrite'],
  ]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...targets), json, async ([method, at], body) => {
      const { status } = await berth.ask(method, at, { body })
      expect([200, 201, 400, 403, 404, 409]).toContain(status)
    }),
    { numRuns: 300 },
  )
  expect((await get(`${N}?limit=1000`)).status).toBe(200)
})

test('an update tells the time that a read tells', async () => {
  const path = await made({ namespace: 'timed' })
  const { json } = await berth.ask('PUT', path, { body: { namespace: 'timed', display_name: 'T' } })
  expect(json.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  expect((await get(path)).json.updated_at).toBe(json.updated_at)
})

test('beside the other services it is at /image, and links work behind that address', async () => {
  const whole = await Berth.start()
  const ask = async (path: string, how: RequestInit = {}) =>
    fetch(`${whole.server.url}${path}`, { ...how, headers: { 'x-auth-token': 'root:ops:admin' } })
  const created = await ask(`/image${N}`, { method: 'POST', body: '{"namespace":"n"}' })
  expect(created.headers.get('location')).toBe(`${whole.server.url}/image${N}/n`)
  const { self } = (await created.json()) as { self: string }
  expect(self).toBe(`${N}/n`)
  expect((await ask(`/image${self}`)).status).toBe(200)
  const versions = await ask('/image/versions')
  expect(await versions.json()).toMatchObject({
    versions: [{ links: [{ href: `${whole.server.url}/image/v2/` }] }],
  })
  expect((await ask('/image')).status).toBe(300)
  expect((await (await ask('/')).json()) as object).toMatchObject({
    services: [
      { name: 'placement' },
      { name: 'compute' },
      { name: 'catalog', path: '/image/' },
      { name: 'share', path: '/share/' },
    ],
  })
  await whole.end()
})

test('what was written is there after a stop and a start, and verify finds nothing wrong', async () => {
  const first = await Berth.start({ only: 'catalog' })
  const body = {
    namespace: 'durable',
    properties: { b: { title: 'B', type: 'string' }, a: { title: 'A', type: 'string' } },
    objects: [{ name: 'o', required: ['x'] }],
    tags: [{ name: 't' }, { name: 's' }],
    resource_type_associations: [{ name: 'T', prefix: 'p_' }],
  }
  await first.ask('POST', N, { body })
  const before = (await first.ask('GET', `${N}/durable`)).text
  await first.stop()
  const second = await Berth.start({ only: 'catalog', data_dir: first.directory })
  expect((await second.ask('GET', `${N}/durable`)).text).toBe(before)
  expect((await second.ask('POST', '/v1/verify')).json).toMatchObject({
    differences_total: 0,
    problems_total: 0,
  })
  await second.end()
})

describe('images', () => {
  test('are none, and the list says so as Glance does', async () => {
    const { json } = await get('/v2/images?limit=20&sort_key=created_at&sort_dir=desc&marker=x')
    expect(json).toEqual({
      images: [],
      first: '/v2/images?limit=20&sort_key=created_at&sort_dir=desc',
      schema: '/v2/schemas/images',
    })
    expect((await get('/v2/images?limit=many')).status).toBe(400)
    expect((await get('/v2/images/7f2c')).status).toBe(404)
  })

  test('have a schema that names the fields of an image and takes any other text', async () => {
    const { json } = await get('/v2/schemas/image')
    expect(json).toMatchObject({ name: 'image', additionalProperties: { type: 'string' } })
    expect(Object.keys(json.properties)).toEqual(expect.arrayContaining(['id', 'visibility', 'min_ram']))
    expect((await get('/v2/schemas/images')).json.properties.images.items).toEqual(json)
  })
})
