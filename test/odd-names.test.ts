/** Names that every JavaScript object inherits are names like any other: kept, found, and absent where nobody gave them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addImplied } from '../src/identity/rules/roles.ts'
import { ShareClient } from '../src/shares/share-client.fixture.ts'

const NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'toString']
/** Own members, which a literal would not give `__proto__`. */
const all = Object.fromEntries(NAMES.map(name => [name, 'x']))
const text = JSON.stringify(all)

let client: ShareClient
beforeAll(async () => {
  client = await ShareClient.start()
})
afterAll(() => client.berth.end())

async function ask(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${client.berth.server.url}${path}`, {
    method,
    headers: {
      'x-auth-token': 'admin:ops',
      'content-type': 'application/json',
      'openstack-api-version': path.startsWith('/placement') ? 'placement 1.39' : 'compute 2.90',
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

test('metadata of shares', async () => {
  const id = await client.create({ metadata: all })
  const path = `/shares/${id}/metadata`
  const metadata = async () => (await client.ask('GET', path)).text
  expect(await metadata()).toBe(`{"metadata":${text}}`)
  for (const name of NAMES) {
    expect((await client.ask('GET', `${path}/${name}`)).text).toBe(`{"meta":{"${name}":"x"}}`)
    const filter = encodeURIComponent(`{'${name}': 'x'}`)
    expect((await client.ask('GET', `/shares?metadata=${filter}`)).json.shares).toHaveLength(1)
    expect((await client.ask('DELETE', `${path}/${name}`)).status).toBe(200)
    expect((await client.ask('GET', `${path}/${name}`)).status).toBe(404)
  }
  expect((await client.ask('POST', path, { body: { metadata: all } })).text).toBe(`{"metadata":${text}}`)
})

test('metadata of aggregates, and extra specs of flavors', async () => {
  const body = {
    aggregates: [{ name: '__proto__', metadata: all }],
    flavors: [{ name: 'constructor', id: 'f', vcpus: 1, ram: 1, disk: 1, extra_specs: all }],
  }
  expect((await ask('POST', '/v1/apply', body)).status).toBe(200)
  expect((await ask('GET', '/compute/v2.1/os-aggregates')).text).toContain(text)
  expect((await ask('GET', '/compute/v2.1/flavors/f/os-extra_specs')).text).toContain(text)
  const again = JSON.parse((await ask('POST', '/v1/apply?dry_run=true', body)).text)
  expect(again.plan.map((one: { action: string }) => one.action)).toEqual(['unchanged', 'unchanged'])
})

test('groups of candidates', async () => {
  const uuid = '00000000-0000-4000-8000-000000000001'
  const provider = `/placement/resource_providers/${uuid}`
  await ask('POST', '/placement/resource_providers', { name: 'toString', uuid })
  const inventories = { VCPU: { total: 8 } }
  await ask('PUT', `${provider}/inventories`, { resource_provider_generation: 0, inventories })
  const groups = NAMES.map(name => `resources${name}=VCPU:1`).join('&')
  const found = await ask('GET', `/placement/allocation_candidates?${groups}&group_policy=none`)
  const [{ mappings }] = JSON.parse(found.text).allocation_requests
  expect(Object.entries(mappings).sort()).toEqual(NAMES.map(name => [name, [uuid]]))
  for (const name of NAMES) {
    const wrong = { resource_provider_generation: 1, inventories: { [name]: { total: 1 } } }
    expect((await ask('PUT', `${provider}/inventories`, wrong)).status, name).toBe(400)
  }
})

test.each([
  ['POST', '/share/v2/shares/none/action', 400],
  ['POST', '/compute/v2.1/os-aggregates/1/action', 400],
  ['GET', '/share/v2/shares?sort_key=', 400],
  ['GET', '/compute/v2.1/flavors?sort_key=', 400],
  ['GET', '/image/v2/metadefs/namespaces?sort_key=', 400],
])('%s %s knows nothing by such a name', async (method, path, status) => {
  for (const name of NAMES) {
    const answer = await (method === 'GET'
      ? ask(method, `${path}${name}`)
      : ask(method, path, { [name]: {} }))
    expect([name, answer.status, answer.text]).toEqual([name, status, answer.text])
  }
})

test('roles imply nothing that is not declared', () => {
  expect(addImplied(NAMES)).toEqual(NAMES)
  expect(addImplied(['manager'])).toEqual(['manager', 'member', 'reader'])
})

test.each([
  ['PUT', '/share/v2/os-quota-sets/ops', { quota_set: { force: { toString: 1 } } }],
  ['POST', '/share/v2/shares', { share: { share_proto: 'NFS', size: 1, is_public: [{ toString: 1 }] } }],
  ['POST', '/share/v2/shares', { share: { share_proto: 'NFS', size: { toString: 1 } } }],
  [
    'POST',
    '/share/v2/types',
    { share_type: { name: 't', extra_specs: { 'provisioning:max_share_size': { toString: 1 } } } },
  ],
  [
    'POST',
    '/compute/v2.1/flavors',
    { flavor: { name: 'f', ram: 1, vcpus: 1, disk: 1, 'os-flavor-access:is_public': { toString: 1 } } },
  ],
])(
  '%s %s with an object that String() does not take is no error of the server',
  async (method, path, body) => {
    expect((await ask(method, path, body)).status).toBeLessThan(500)
  },
)
