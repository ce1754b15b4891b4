import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
const AGGREGATE = uuid(50)
const inventory = {
  total: 8,
  reserved: 1,
  min_unit: 1,
  max_unit: 8,
  step_size: 1,
  allocation_ratio: 2,
}

function lines(): string {
  const provider = (number: number, name: string, more = {}) => ({
    provider: {
      uuid: uuid(number),
      name,
      generation: number,
      parent_provider_uuid: null,
      inventories: {},
      traits: [],
      aggregates: [],
      ...more,
    },
  })
  const all = [
    { trait: { name: 'CUSTOM_FAST' } },
    { trait: { name: 'CUSTOM_SLOW' } },
    provider(1, 'rack-1-host', {
      inventories: { VCPU: inventory, DISK_GB: inventory },
      traits: ['CUSTOM_FAST'],
      aggregates: [AGGREGATE],
    }),
    provider(2, 'rack-1-numa', { parent_provider_uuid: uuid(1), inventories: { VCPU: inventory } }),
    provider(3, 'rack-2-host', { inventories: { VCPU: inventory }, traits: ['CUSTOM_SLOW'] }),
    provider(4, 'r?ck*'),
    {
      consumer: {
        uuid: uuid(100),
        generation: 1,
        project_id: 'p',
        user_id: 'u',
        consumer_type: 'INSTANCE',
        allocations: { [uuid(1)]: { resources: { VCPU: 3 } } },
      },
    },
  ]
  return all.map(line => `${JSON.stringify(line)}\n`).join('')
}

beforeAll(async () => {
  berth = await Berth.start()
  const headers = { 'content-type': 'application/x-ndjson' }
  expect((await berth.ask('POST', '/v1/import', { raw: lines(), headers })).status).toBe(200)
})
afterAll(() => berth.end())

async function fleet(query = '') {
  const { status, text } = await berth.ask('GET', `/v1/fleet${query}`)
  expect(status, text).toBe(200)
  return text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
}

const numbers = async (query: string) => (await fleet(query)).map(line => line.generation)

test('every provider is a line with everything on it, and the header has the revision', async () => {
  const { text, headers } = await berth.ask('GET', '/v1/fleet')
  const revision = Number(headers.get('berth-revision'))
  expect(headers.get('content-type')).toBe('application/x-ndjson')
  expect(headers.get('etag')).toMatch(new RegExp(`^"${revision}-[0-9a-f]{16}"$`))
  expect(JSON.parse(text.split('\n')[0] as string)).toEqual({
    uuid: uuid(1),
    name: 'rack-1-host',
    generation: 1,
    parent_provider_uuid: null,
    root_provider_uuid: uuid(1),
    inventories: { VCPU: inventory, DISK_GB: inventory },
    usages: { VCPU: 3, DISK_GB: 0 },
    traits: ['CUSTOM_FAST'],
    aggregates: [AGGREGATE],
    revision,
  })
  expect(JSON.parse(text.split('\n')[1] as string)).toMatchObject({
    parent_provider_uuid: uuid(1),
    root_provider_uuid: uuid(1),
    usages: { VCPU: 0 },
  })
})

test.each([
  ['?name=rack-1-host', [1]],
  ['?name=rack-*-host', [1, 3]],
  ['?name=rack-%3F-numa', [2]],
  ['?name=r%3Fck*', [1, 2, 3, 4]],
  ['?name=nothing', []],
  [`?uuid=${uuid(1)}&uuid=${uuid(4)}&uuid=${uuid(9)}`, [1, 4]],
  [`?in_tree=${uuid(2)}`, [1, 2]],
  [`?in_tree=${uuid(9)}`, []],
  ['?required=CUSTOM_FAST', [1]],
  ['?required=!CUSTOM_FAST', [2, 3, 4]],
  ['?required=in:CUSTOM_FAST,CUSTOM_SLOW', [1, 3]],
  ['?required=in:CUSTOM_FAST,CUSTOM_SLOW&required=!CUSTOM_FAST', [3]],
  [`?member_of=${AGGREGATE}`, [1]],
  [`?member_of=in:${AGGREGATE},${uuid(51)}`, [1]],
  [`?member_of=!${AGGREGATE}`, [2, 3, 4]],
  [`?member_of=${uuid(51)}`, []],
  ['?resource_class=VCPU', [1, 2, 3]],
  ['?resource_class=VCPU&resource_class=DISK_GB', [1]],
  [`?name=rack-*&resource_class=VCPU&required=!CUSTOM_SLOW&in_tree=${uuid(1)}`, [1, 2]],
])('%s shows %j', async (query, expected) => {
  expect(await numbers(query)).toEqual(expected)
})

test.each([
  ['?required=CUSTOM_NO', 'fleet.unknown-name'],
  ['?resource_class=CUSTOM_NO', 'fleet.unknown-name'],
  ['?required=', 'request.invalid'],
  ['?member_of=nonsense', 'request.invalid'],
  ['?uuid=nonsense', 'request.invalid'],
  ['?colour=red', 'request.invalid'],
])('%s is refused as %s', async (query, code) => {
  const { status, json } = await berth.ask('GET', `/v1/fleet${query}`)
  expect([status, json.code]).toEqual([400, code])
})

test('nothing new since an ETag is 304; a change, or other filters, is not', async () => {
  const etag = (await berth.ask('GET', '/v1/fleet')).headers.get('etag') as string
  const asked = async (path: string, header: string) =>
    (await berth.ask('GET', path, { headers: { 'if-none-match': header } })).status
  expect(await asked('/v1/fleet', etag)).toBe(304)
  expect(await asked('/v1/fleet', `"x", W/${etag}`)).toBe(304)
  expect(await asked('/v1/fleet?name=rack*', etag)).toBe(200)
  await berth.ask('PUT', '/traits/CUSTOM_NEW', { minor: 6 })
  expect(await asked('/v1/fleet', etag)).toBe(200)
})

test('it is for admins and services', async () => {
  const { status, json } = await berth.ask('GET', '/v1/fleet', { headers: { 'x-roles': 'reader' } })
  expect([status, json.code, json.operation]).toEqual([403, 'policy.forbidden', 'berth:fleet'])
})
