/** Numbers that no store holds, wherever an API takes a number: refused or clamped, never an error of our own. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { IdentityClient } from '../src/identity/api/identity-client.fixture.ts'

/** As digits, because JSON has numbers that JavaScript has not. */
const NUMBERS = ['9007199254740993', '9223372036854775808', '-9223372036854775809', '1e308', '9'.repeat(400)]

const RACK = '11111111-2222-4333-8444-555555555555'
const CONSUMER = '21111111-2222-4333-8444-555555555555'

let client: IdentityClient
beforeAll(async () => {
  client = await IdentityClient.start()
  await ask('POST', '/placement/resource_providers', `{"name":"rack","uuid":"${RACK}"}`)
  const inventory =
    '{"resource_provider_generation":0,"inventories":{"VCPU":{"total":8},"MEMORY_MB":{"total":8}}}'
  await ask('PUT', `/placement/resource_providers/${RACK}/inventories`, inventory)
  const farm = `{"shares":{"host":"farm","default_share_type":"default","share_types":[{"name":"default","extra_specs":{}}],
    "backends":[{"name":"a","pools":[{"name":"p","total_gb":100}]}]}}`
  expect((await ask('POST', '/v1/apply?owner=x', farm)).status).toBe(200)
  const share = await ask('POST', '/share/v2/shares', '{"share":{"share_proto":"NFS","size":1}}')
  shareId = share.json.share.id
  const made = await ask('POST', '/compute/v2.1/os-aggregates', '{"aggregate":{"name":"a"}}')
  expect(made.status).toBe(200)
})
afterAll(() => client.end())

let shareId = ''

const ask = (method: string, path: string, body?: string) =>
  client.ask(method, path, {
    token: client.adminToken,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(path === '/v1/import' ? { 'content-type': 'application/x-ndjson' } : {}),
      'openstack-api-version': path.startsWith('/placement') ? 'placement 1.39' : 'compute latest',
      'x-openstack-manila-api-version': '2.72',
      'x-openstack-manila-api-experimental': 'True',
    },
  })

const inventory = (fields: string) => [
  'PUT',
  `/placement/resource_providers/${RACK}/inventories/VCPU`,
  `{"resource_provider_generation":GEN,"total":8,${fields}}`,
]
const flavor = (fields: string) => [
  'POST',
  '/compute/v2.1/flavors',
  `{"flavor":{"name":"UNIQUE","ram":1,"vcpus":1,"disk":1,${fields}}}`,
]
const allocations = (resources: string, generation: string) =>
  `{"allocations":{"${RACK}":{"resources":${resources}}},"project_id":"p","user_id":"u",
    "consumer_generation":${generation},"consumer_type":"INSTANCE"}`
const applied = (kind: string, fields: string) => [
  'POST',
  '/v1/apply?owner=y',
  `{"${kind}":[{"name":"n",${fields}}]}`,
]
const pool = (fields: string) => [
  'POST',
  '/v1/apply?owner=z',
  `{"shares":{"host":"far","backends":[{"name":"b","pools":[{"name":"p",${fields}}]}]}}`,
]
const line = (fields: string, inventory: string) => [
  'POST',
  '/v1/import',
  `{"provider":{"uuid":"UUID","name":"UNIQUE","generation":0,"parent_provider_uuid":null,
    "inventories":{"VCPU":{"total":1,"reserved":0,"min_unit":1,"max_unit":1,"step_size":1,"allocation_ratio":1,${inventory}}},
    "traits":[],"aggregates":[],${fields}}}`.replaceAll(/\s+/g, ''),
]

/** N is where the number goes. */
const REQUESTS: readonly (readonly string[])[] = [
  inventory('"reserved":N'),
  inventory('"min_unit":N'),
  inventory('"max_unit":N'),
  inventory('"step_size":N'),
  inventory('"allocation_ratio":N'),
  inventory('"total":N'),
  [
    'PUT',
    `/placement/resource_providers/${RACK}/inventories/VCPU`,
    '{"resource_provider_generation":N,"total":8}',
  ],
  ['PUT', `/placement/resource_providers/${RACK}/traits`, '{"resource_provider_generation":N,"traits":[]}'],
  [
    'PUT',
    `/placement/resource_providers/${RACK}/aggregates`,
    '{"resource_provider_generation":N,"aggregates":[]}',
  ],
  ['PUT', `/placement/allocations/${CONSUMER}`, allocations('{"VCPU":N}', 'null')],
  ['PUT', `/placement/allocations/${CONSUMER}`, allocations('{"VCPU":1}', 'N')],
  ['GET', '/placement/allocation_candidates?resources=VCPU:N'],
  ['GET', '/placement/allocation_candidates?resources=VCPU:1&limit=N'],
  ['GET', '/placement/resource_providers?resources=VCPU:N'],
  flavor('"ram":N'),
  flavor('"vcpus":N'),
  flavor('"disk":N'),
  flavor('"swap":N'),
  flavor('"OS-FLV-EXT-DATA:ephemeral":N'),
  flavor('"rxtx_factor":N'),
  ['GET', '/compute/v2.1/flavors?limit=N'],
  ['GET', '/compute/v2.1/flavors?minRam=N&minDisk=N'],
  ['GET', '/compute/v2.1/os-hypervisors?limit=N'],
  ['GET', '/compute/v2.1/os-aggregates/N'],
  ['GET', '/compute/v2.1/os-server-groups?limit=N&offset=N'],
  ['DELETE', '/compute/v2.1/os-aggregates/N'],
  [
    'POST',
    '/compute/v2.1/os-server-groups',
    '{"server_group":{"name":"g","policy":"anti-affinity","rules":{"max_server_per_host":N}}}',
  ],
  ['GET', '/image/v2/metadefs/namespaces?limit=N'],
  ['POST', '/share/v2/shares', '{"share":{"share_proto":"NFS","size":N}}'],
  ['POST', '/share/v2/shares', '{"share":{"share_proto":"NFS","size":"N"}}'],
  ['POST', '/share/v2/shares/SHARE/action', '{"extend":{"new_size":N}}'],
  ['POST', '/share/v2/shares/SHARE/action', '{"shrink":{"new_size":N}}'],
  ['GET', '/share/v2/shares?limit=N'],
  ['GET', '/share/v2/shares?offset=N'],
  ['GET', '/share/v2/messages?limit=N&offset=N'],
  ['PUT', '/share/v2/quota-sets/admin', '{"quota_set":{"gigabytes":N,"force":true}}'],
  ['PUT', '/share/v2/quota-sets/admin', '{"quota_set":{"shares":"N","force":true}}'],
  ['PUT', '/share/v2/quota-class-sets/default', '{"quota_class_set":{"per_share_gigabytes":N}}'],
  [
    'POST',
    '/share/v2/types',
    '{"share_type":{"name":"UNIQUE","extra_specs":{"driver_handles_share_servers":"False","provisioning:max_share_size":"N"}}}',
  ],

  ['GET', '/v1/audit?limit=N'],
  ['GET', '/v1/audit?before=N-x'],
  ['GET', '/v1/decisions?limit=N'],
  ['POST', '/v1/schedule', '{"groups":{"":{"resources":{"VCPU":N}}},"dry_run":true}'],
  ['POST', '/v1/schedule', '{"groups":{"":{"resources":{"VCPU":1}}},"count":N,"dry_run":true}'],
  ['POST', '/v1/schedule', '{"groups":{"":{"resources":{"VCPU":1}}},"seed":N,"dry_run":true}'],
  ['POST', '/v1/simulate', '{"groups":{"":{"resources":{"VCPU":1}}},"seed":N}'],
  ['POST', '/v1/plan', '{"goal":"consolidate","free":N}'],
  ['POST', '/v1/hosts', '{"name":"UNIQUE","inventories":{"VCPU":{"total":N}}}'],
  applied('flavors', '"ram":N,"vcpus":1,"disk":1'),
  applied('flavors', '"ram":1,"vcpus":1,"disk":1,"swap":N'),
  applied('flavors', '"ram":1,"vcpus":1,"disk":1,"rxtx_factor":N'),
  pool('"total_gb":N'),
  pool('"total_gb":1,"reserved_percentage":N'),
  pool('"total_gb":1,"max_over_subscription_ratio":N'),
  ['POST', '/v1/tokens', '{"name":"UNIQUE","token_sha256":"HASH","roles":["reader"],"expires_in_s":N}'],
  line('"generation":N', '"total":1'),
  line('"generation":0', '"total":N'),
  line('"generation":0', '"allocation_ratio":N'),
]

let last = 0

async function send([method = '', path = '', body]: readonly string[], number: string) {
  const isGuarded = body?.includes('GEN') === true
  const rack = isGuarded ? await ask('GET', `/placement/resource_providers/${RACK}`) : null
  const fill = (text: string) =>
    text
      .replaceAll(/(?<![A-Za-z_])N(?![A-Za-z_])/g, number)
      .replaceAll('SHARE', shareId)
      .replaceAll('UUID', randomUUID())
      .replaceAll('HASH', randomUUID().replaceAll('-', '').repeat(2))
      .replaceAll('UNIQUE', `n${++last}`)
      .replaceAll('GEN', String(rack?.json.generation))
  return ask(method, fill(path), body === undefined ? undefined : fill(body))
}

test('each of the requests is one that a small number makes sense in', async () => {
  for (const request of REQUESTS) {
    const { status, text } = await send(request, '2')
    // 404: no aggregate has the number. 409: it is no generation, or the cloud is full.
    const isFine = status < 400 || status === 404 || status === 409 || /has [12] GB|has the status/.test(text)
    expect(isFine, `${request.join(' ')}: ${status} ${text}`).toBe(true)
  }
})

test.each(NUMBERS)('$0 is refused by all that write it, and stops nothing', async number => {
  const taken: string[] = []
  for (const request of REQUESTS) {
    const { status, text } = await send(request, number)
    const what = `${request.join(' ')}: ${status} ${text.slice(0, 200)}`
    expect(status, what).toBeLessThan(500)
    if (status < 400 && request[0] !== 'GET' && !IS_FRACTION.test(what)) taken.push(what)
  }
  expect(taken).toEqual([])
  const verified = await ask('POST', '/v1/verify')
  expect(verified.json).toMatchObject({ differences: [], problems: [] })
})

/** What need not be a whole number, and what is kept as its digits. */
const IS_FRACTION = /allocation_ratio":N|rxtx_factor":N|max_over_subscription_ratio":N|max_share_size":"N/
