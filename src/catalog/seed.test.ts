/** Every body and sentence of the document that brought operators to the catalog, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth } from '../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ only: 'catalog', rbac: 'secure' })
})
afterAll(() => berth.end())

const N = '/v2/metadefs/namespaces'
const get = async (path: string) => (await berth.ask('GET', path)).json
const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const put = (path: string, body: unknown) => berth.ask('PUT', path, { body })

const FEATURES = {
  title: 'Features',
  description: 'Specifies CPU flags/features.',
  type: 'array',
  items: { type: 'string', enum: ['aes', 'vme', 'de'] },
}
const EXTENDED = {
  title: 'Features',
  description: 'Specifies CPU flags/features.',
  operators: ['<or>', '<all-in>'],
  type: 'array',
  items: { type: 'string', enum: ['aes', 'vme', 'de'] },
}

describe('properties are extended with a new section under the key operators', () => {
  test('the property as it was structured before is taken and has no operators', async () => {
    const made = await post(N, { namespace: 'before', properties: { 'cpu_info:features': FEATURES } })
    expect(made.status).toBe(201)
    expect((await get(`${N}/before`)).properties['cpu_info:features']).toEqual(FEATURES)
  })

  test('the property after extension is taken, and comes back wherever it is shown, keys in the order given', async () => {
    await post(N, {
      namespace: 'after',
      resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'capabilities:' }],
      properties: { 'cpu_info:features': EXTENDED },
    })
    const inText = (text: string) => expect(text).toContain(`${JSON.stringify(EXTENDED).slice(1, -1)}}`)
    inText((await berth.ask('GET', `${N}/after`)).text)
    inText((await berth.ask('GET', `${N}/after/properties`)).text)
    inText((await berth.ask('GET', `${N}/after/properties/cpu_info:features`)).text)
    inText((await berth.ask('GET', `${N}/after?resource_type=OS::Nova::Flavor`)).text)
  })

  test('and also properties inside objects', async () => {
    const object = { name: 'cpu', properties: { 'cpu_info:features': EXTENDED } }
    expect((await post(`${N}/after/objects`, object)).status).toBe(201)
    for (const path of ['', '/objects', '/objects/cpu', '?resource_type=OS::Nova::Flavor'])
      expect((await berth.ask('GET', `${N}/after${path}`)).text).toContain('"operators":["<or>","<all-in>"]')
  })

  test('a property where <or> is the only operator that works has just that', async () => {
    const model = { name: 'cpu_info:model', title: 'Model', type: 'string', operators: ['<or>'] }
    expect((await post(`${N}/after/properties`, model)).json).toEqual(model)
  })
})

describe('the section is optional', () => {
  test('a property that is an integer does not need an operator, and none is invented for it', async () => {
    const cores = { name: 'cores', title: 'Cores', type: 'integer' }
    expect((await post(`${N}/after/properties`, cores)).json).toEqual(cores)
    expect(await get(`${N}/after/properties/cores`)).toEqual(cores)
  })

  test('a consumer has to expect it to be missing, and an empty list is not the same as none', async () => {
    await post(`${N}/after/properties`, { name: 'empty', title: 'E', type: 'string', operators: [] })
    const { properties } = await get(`${N}/after/properties`)
    expect(properties.empty.operators).toEqual([])
    expect(properties.cores).not.toHaveProperty('operators')
  })
})

describe('operators are not checked', () => {
  test.each([['<or>'], ['<in>'], ['<all-in>'], ['s=='], ['anything at all'], ['']])(
    'the operator %j is kept as it is given',
    async operator => {
      const name = `free ${operator}`
      const made = await post(`${N}/after/properties`, {
        name,
        title: 'Free',
        type: 'string',
        operators: [operator, operator],
      })
      expect(made.status).toBe(201)
      expect((await get(`${N}/after/properties/${encodeURIComponent(name)}`)).operators).toEqual([
        operator,
        operator,
      ])
    },
  )

  test('only the form is: a list of texts', async () => {
    for (const operators of ['<or>', [1], null, { '<or>': 1 }])
      expect(
        (await post(`${N}/after/properties`, { name: 'bad', title: 'B', type: 'string', operators })).status,
      ).toBe(400)
  })
})

test('operators are part of the blob in the column json_schema', async () => {
  const { text } = await berth.ask('GET', '/v1/changes?since=0&follow=false', {
    headers: { accept: 'text/event-stream' },
  })
  expect(text).toContain(JSON.stringify({ json_schema: JSON.stringify(EXTENDED) }).slice(1, -1))
})

describe('the example bodies', () => {
  const LISTED = {
    name: 'object1',
    description: 'my-description',
    properties: {
      prop1: {
        title: 'My Property',
        description: 'More info here',
        operators: ['<all-in>'],
        type: 'string',
        readonly: true,
      },
    },
  }
  const PRINTED = {
    name: 'StorageQOS',
    description: 'Our available storage QOS.',
    required: ['MyProperty'],
    properties: {
      MyProperty: {
        type: 'string',
        readonly: false,
        description: 'The My Property',
        operators: ['<or>'],
        enum: ['type1', 'type2'],
      },
    },
  }
  beforeAll(async () => {
    await post(N, { namespace: 'my-namespace', objects: [LISTED] })
  })

  test('the listing of objects, a page of one, with links that lead somewhere', async () => {
    const page = await get(`${N}/my-namespace/objects?limit=1`)
    expect(page).toMatchObject({
      objects: [{ ...LISTED, namespace: 'my-namespace' }],
      first: `${N}/my-namespace/objects?limit=1`,
      next: `${N}/my-namespace/objects?limit=1&marker=object1`,
      schema: '/v2/schemas/metadefs/objects',
    })
    expect((await get(page.first)).objects).toEqual(page.objects)
    expect(await get(page.next)).toEqual({ objects: [], first: page.first, schema: page.schema })
    expect((await get(page.schema)).name).toBe('objects')
  })

  test('the body of POST is accepted as printed; the title that it lacks is the name', async () => {
    const made = await post(`${N}/my-namespace/objects`, PRINTED)
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      ...PRINTED,
      properties: { MyProperty: { title: 'MyProperty', ...PRINTED.properties.MyProperty } },
    })
    const shown = { ...made.json, namespace: 'my-namespace' }
    expect(await get(`${N}/my-namespace/objects/StorageQOS`)).toEqual(shown)
  })

  test('so is the body of PUT', async () => {
    const replaced = await put(`${N}/my-namespace/objects/StorageQOS`, PRINTED)
    expect(replaced.status).toBe(200)
    expect(replaced.json.properties.MyProperty).toEqual({
      title: 'MyProperty',
      ...PRINTED.properties.MyProperty,
    })
  })

  test('the listed object is taken as printed, with its namespace; another namespace is refused by name', async () => {
    const printed = { ...LISTED, name: 'object2', namespace: 'my-namespace' }
    expect((await post(`${N}/my-namespace/objects`, printed)).status).toBe(201)
    const {
      created_at: _,
      updated_at: __,
      self: ___,
      schema: ____,
      ...shown
    } = await get(`${N}/my-namespace/objects/object2`)
    expect(shown).toMatchObject(printed)
    expect((await put(`${N}/my-namespace/objects/object2`, shown)).status).toBe(200)
    const elsewhere = { ...printed, namespace: 'yours' }
    const fresh = { namespace: 'fresh', objects: [{ ...printed, namespace: 'fresh' }] }
    const mixed = { ...fresh, objects: [...fresh.objects, { ...elsewhere, name: 'object3' }] }
    for (const [answer, text] of [
      [await post(`${N}/my-namespace/objects`, { ...elsewhere, name: 'object3' }), /yours.*my-namespace/],
      [await put(`${N}/my-namespace/objects/object2`, elsewhere), /yours.*my-namespace/],
      [await post(N, mixed), /objects\.1\.namespace.*yours.*fresh/],
    ] as const)
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(text)])
    expect((await post(`${N}/my-namespace/objects`, { name: 'x', namespace: 7 })).status).toBe(400)
    expect((await post(N, fresh)).status).toBe(201)
  })

  test('the schema that clients check answers with has the namespace of an object', async () => {
    const schema = await get('/v2/schemas/metadefs/object')
    expect(Object.keys(schema.patternProperties)).toEqual(['^namespace$'])
    const { objects } = (await get('/v2/schemas/metadefs/objects')).properties
    expect(objects.items.patternProperties).toEqual(schema.patternProperties)
  })

  test('and inside a namespace', async () => {
    const made = await post(N, { namespace: 'printed', objects: [PRINTED] })
    expect(made.status).toBe(201)
    expect(made.json.objects[0].properties.MyProperty.title).toBe('MyProperty')
  })
})

describe('definitions from before operators', () => {
  test('need no upgrade: they are read, changed and deleted like any other', async () => {
    expect((await get(`${N}/before/properties/cpu_info:features`)).name).toBe('cpu_info:features')
    const changed = { name: 'cpu_info:features', ...FEATURES, title: 'Flags' }
    expect((await put(`${N}/before/properties/cpu_info:features`, changed)).json).toEqual(changed)
    expect(await get(`${N}/before/properties/cpu_info:features`)).not.toHaveProperty('operators')
  })

  test('get the operators of a newer set when a deployer imports it, and not before', async () => {
    const newer = { namespace: 'before', properties: { 'cpu_info:features': EXTENDED } }
    const imported = async (merge: string) =>
      (await post(`/v1/catalog/import?merge=${merge}`, newer)).json.namespaces[0].outcome
    expect(await imported('skip')).toBe('skipped')
    expect(await imported('add')).toBe('unchanged')
    expect((await get(`${N}/before`)).properties['cpu_info:features']).not.toHaveProperty('operators')
    expect(await imported('prefer-new')).toBe('updated')
    expect((await get(`${N}/before`)).properties['cpu_info:features']).toEqual(EXTENDED)
  })
})

describe('the API schema has the new option', () => {
  const operators = { type: 'array', items: { type: 'string' } }

  test('on a property, not required', async () => {
    const schema = await get('/v2/schemas/metadefs/property')
    expect(schema.properties.operators).toEqual(operators)
    expect(schema.required.toSorted()).toEqual(['name', 'title', 'type'])
  })

  test.each(['object', 'namespace', 'objects', 'namespaces'])('on the properties inside: %s', async name => {
    const { definitions } = await get(`/v2/schemas/metadefs/${name}`)
    expect(definitions.property.additionalProperties.properties.operators).toEqual(operators)
  })

  test('on the properties of a namespace', async () => {
    const schema = await get('/v2/schemas/metadefs/properties')
    expect(schema.properties.properties.additionalProperties.properties.operators).toEqual(operators)
  })
})
