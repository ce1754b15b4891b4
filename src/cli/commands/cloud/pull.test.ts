import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import type { FakeCloud } from '../../../openstack/cloud/fake-cloud.fixture.ts'
import { type SmallCloud, uuidOf } from '../../../openstack/pull/small-cloud.fixture.ts'
import { run } from '../run.fixture.ts'
import { PullableCloud } from './pullable-cloud.fixture.ts'

let cloud: PullableCloud
let berth: Berth
let fake: FakeCloud
let small: SmallCloud

beforeEach(async () => {
  cloud = await PullableCloud.start()
  ;({ berth, fake, small } = cloud)
})
afterEach(() => cloud.end())

const pull = (...more: string[]) => cloud.pull(...more)
const ask = (method: string, path: string, body?: object) => cloud.ask(method, path, body)

const countsOf = (json: { kinds: { kind: string }[] }) =>
  Object.fromEntries(json.kinds.map(({ kind, ...counts }) => [kind, counts]))

test('a dry run lists what differs and writes nothing', async () => {
  const { exitCode, out, err } = await pull('--dry-run')
  expect(exitCode).toBe(0)
  expect(out).toContain('+ flavors 1 (m1)\n')
  expect(out).toContain('+ flavor_extra_specs 1 aggregate_instance_extra_specs:ssd\n')
  expect(out).toMatch(/servers +2 +0 +0 +0/)
  expect(err).toContain('computes without a provider in the ledger, left out: cn3.example.org; ')
  expect(err).toContain('dry run: nothing was written')
  expect((await ask('GET', '/v1/pull')).json).toEqual({ clouds: [] })
})

test('after a pull Berth shows the flavors, hosts, zones, groups, servers, definitions and share types of the cloud', async () => {
  const { exitCode, json } = await pull('--json')
  expect(json.kinds.flatMap((one: { left: unknown[] }) => one.left)).toEqual([])
  expect(exitCode).toBe(0)
  const compute = '/compute/v2.1'
  expect((await ask('GET', `${compute}/flavors/1`)).json.flavor).toMatchObject({
    name: 'm1',
    extra_specs: { 'aggregate_instance_extra_specs:ssd': 'true' },
  })
  expect((await ask('GET', `${compute}/flavors/2/os-flavor-access`)).json.flavor_access).toMatchObject([
    { tenant_id: 'p' },
  ])
  expect((await ask('GET', '/v1/hosts/cn1.example.org')).json).toMatchObject({
    zone: 'az1',
    state: 'up',
    applied_by: 'cloud:prod',
  })
  expect((await ask('GET', '/v1/hosts/cn2.example.org')).json).toMatchObject({
    status: 'disabled',
    disabled_reason: 'broken fan',
    state: 'down',
  })
  const [service] = (await ask('GET', `${compute}/os-services?host=cn2.example.org`)).json.services
  expect(service).toMatchObject({ state: 'down', forced_down: false })
  expect((await ask('GET', `${compute}/os-server-groups/${uuidOf(31)}`)).json.server_group).toMatchObject({
    policy: 'anti-affinity',
    members: [uuidOf(101), uuidOf(102)],
  })
  expect((await ask('GET', `${compute}/servers/${uuidOf(101)}`)).json.server).toMatchObject({
    flavor: { original_name: 'm1', ram: 2048 },
    image: { id: uuidOf(900) },
  })
  expect((await ask('GET', '/image/v2/metadefs/namespaces/Lab::Racks')).json).toMatchObject({
    properties: { row: { title: 'Row' } },
    tags: [{ name: 'lab' }],
  })
  expect((await ask('GET', `/share/v2/types/${uuidOf(41)}`)).json.share_type).toMatchObject({ name: 'gold' })
})

test('pulled again, nothing is written; what changed or went in the cloud does so here', async () => {
  await pull()
  const revision = async () => (await berth.ask('GET', '/v1/fleet')).headers.get('berth-revision')
  const before = await revision()
  const again = countsOf((await pull('--json')).json)
  expect(again.flavors).toMatchObject({ created: 0, updated: 0, removed: 0, unchanged: 4 })
  expect(await revision()).toBe(before)
  small.flavors.pop()
  Object.assign(small.flavors[0] as object, { ram: 4096, extra_specs: {} })
  Object.assign(small.services[1] as object, { status: 'enabled', state: 'up' })
  small.groups.pop()
  small.servers.pop()
  const third = countsOf((await pull('--json')).json)
  expect(third).toMatchObject({
    flavors: { updated: 1, removed: 2 },
    hosts: { updated: 1 },
    groups: { removed: 1 },
    servers: { removed: 1 },
  })
  expect((await ask('GET', '/compute/v2.1/flavors')).json.flavors).toMatchObject([{ name: 'm1' }])
  expect((await ask('GET', '/v1/hosts/cn2.example.org')).json).toMatchObject({
    status: 'enabled',
    state: 'up',
  })
})

test('servers have their names of the cloud, also after they are renamed, restored from an export, or gone', async () => {
  const names = async () =>
    (await ask('GET', '/v1/consumers?q=vm-')).json.consumers.map(({ name }: { name: string }) => name).sort()
  Object.assign(small.servers[1] as object, { name: '' })
  await pull()
  expect(await names()).toEqual(['vm-101'])
  const headers = { 'x-auth-token': 'admin' }
  const exported = await (await fetch(`${berth.server.url}/v1/export`, { headers })).text()
  expect(exported).toContain('"name":"vm-101"')
  Object.assign(small.servers[1] as object, { name: 'vm-renamed' })
  expect(countsOf((await pull('--json')).json)).toMatchObject({ servers: { updated: 1, unchanged: 1 } })
  expect(await names()).toEqual(['vm-101', 'vm-renamed'])
  const fresh = await Berth.start()
  onTestFinished(() => fresh.end())
  const taken = await fetch(`${fresh.server.url}/v1/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: exported,
  })
  expect(taken.status).toBe(200)
  expect((await fresh.ask('GET', `/v1/consumers/${uuidOf(101)}`)).json).toMatchObject({ name: 'vm-101' })
  const long = await fetch(`${fresh.server.url}/v1/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: exported.replaceAll('"name":"vm-101"', `"name":"${'x'.repeat(256)}"`),
  })
  expect([long.status, await long.text()]).toEqual([400, expect.stringContaining('server_requests.name')])
  small.servers.pop()
  await pull()
  expect(await names()).toEqual(['vm-101'])
})

test('what was pulled is not changed here: each API refuses with 409, the owner and the remedy', async () => {
  small.shares = []
  await pull()
  const message = (what: string) =>
    `The ${what} belongs to cloud prod, from which it was pulled. Change it there, or end that with berth pull --cloud prod --forget.`
  const service = { host: 'cn1.example.org', binary: 'nova-compute' }
  const { services } = (await ask('GET', `/compute/v2.1/os-services?host=${service.host}`)).json
  const aggregate = (await ask('GET', '/compute/v2.1/os-aggregates')).json.aggregates[0].id
  for (const [method, path, body, what] of [
    ['DELETE', '/compute/v2.1/flavors/1', undefined, 'flavor m1'],
    ['POST', '/compute/v2.1/flavors/1/os-extra_specs', { extra_specs: { a: 'b' } }, 'flavor m1'],
    ['PUT', `/compute/v2.1/os-aggregates/${aggregate}`, { aggregate: { name: 'x' } }, 'host aggregate ssd'],
    ['PUT', `/compute/v2.1/os-services/${services[0].id}`, { status: 'disabled' }, 'host cn1.example.org'],
    ['DELETE', `/compute/v2.1/os-server-groups/${uuidOf(31)}`, undefined, `server group ${uuidOf(31)}`],
  ] as const)
    expect(await ask(method, path, body)).toEqual({
      status: 409,
      json: { conflictingRequest: { code: 409, message: message(what) } },
    })
  const tag = await ask('POST', '/image/v2/metadefs/namespaces/Lab::Racks/tags/new')
  expect([tag.status, JSON.stringify(tag.json)]).toEqual([
    409,
    expect.stringContaining('namespace Lab::Racks belongs to cloud prod'),
  ])
  const type = await ask('DELETE', `/share/v2/types/${uuidOf(41)}`)
  expect([type.status, JSON.stringify(type.json)]).toEqual([
    409,
    expect.stringContaining('share type gold belongs to cloud prod'),
  ])
  const move = { instance: uuidOf(101) }
  expect(await ask('POST', '/v1/move', move)).toMatchObject({
    status: 409,
    json: { code: 'cloud.owned', cloud: 'prod' },
  })
  expect((await ask('POST', '/v1/move', { ...move, dry_run: true })).json.code).not.toBe('cloud.owned')
  const applied = await ask('POST', '/v1/apply', { hosts: [{ name: 'cn1.example.org', disabled: true }] })
  expect(applied).toMatchObject({ status: 409, json: { code: 'cloud.owned', what: 'host cn1.example.org' } })
})

test('an export with what was pulled imports again, but does not change it', async () => {
  Object.assign(small.shares[0] as object, { status: 'a_state_of_manila', task_state: 'another' })
  await pull()
  const token = { 'x-auth-token': 'admin' }
  const headers = { ...token, 'content-type': 'application/x-ndjson' }
  const exported = await (await fetch(`${berth.server.url}/v1/export`, { headers: token })).text()
  const send = (body: string) => fetch(`${berth.server.url}/v1/import`, { method: 'POST', headers, body })
  const again = await send(exported)
  expect([again.status, again.status === 200 ? '' : await again.text()]).toEqual([200, ''])
  const refused = await send(exported.replace('"memory_mb":2048', '"memory_mb":4096'))
  expect([refused.status, ((await refused.json()) as { why: string }).why]).toEqual([
    409,
    'the flavor m1 belongs to cloud prod, from which it was pulled',
  ])
})

test('what exists only in Berth stays; the same id or name is named and left out, or taken over with --adopt', async () => {
  const own = (id: string, name: string) =>
    ask('POST', '/compute/v2.1/flavors', { flavor: { id, name, ram: 1, vcpus: 1, disk: 1 } })
  await own('1', 'mine')
  await own('77', 'private')
  await own('78', 'other')
  const { exitCode, out } = await pull()
  expect(exitCode).toBe(1)
  expect(out).toContain('  flavors m1: it exists here already\n')
  expect(out).toMatch(/flavors private: another has the same name/)
  const names = async () =>
    (await ask('GET', '/compute/v2.1/flavors')).json.flavors.map(({ name }: { name: string }) => name).sort()
  expect(await names()).toEqual(['mine', 'other', 'private'])
  await ask('DELETE', '/compute/v2.1/flavors/77')
  expect((await pull('--adopt')).exitCode).toBe(0)
  expect((await ask('GET', '/compute/v2.1/flavors/1')).json.flavor).toMatchObject({ name: 'm1', ram: 2048 })
})

test('--forget removes what was pulled and nothing else; the ledger stays', async () => {
  await ask('POST', '/compute/v2.1/flavors', {
    flavor: { id: '78', name: 'other', ram: 1, vcpus: 1, disk: 1 },
  })
  await pull()
  expect((await ask('GET', '/v1/pull')).json.clouds).toMatchObject([
    { name: 'prod', counts: { flavors: 2, hosts: 2 } },
  ])
  await fake.end()
  expect((await pull('--forget')).exitCode).toBe(0)
  expect((await ask('GET', '/v1/pull')).json).toEqual({ clouds: [] })
  expect((await ask('GET', '/compute/v2.1/flavors')).json.flavors).toMatchObject([{ name: 'other' }])
  expect((await ask('GET', '/v1/hosts/cn2.example.org')).json).toMatchObject({
    status: 'enabled',
    consumers: 1,
  })
})

test('--follow keeps in step with what changed, and asks only for servers that changed since', async () => {
  const around = cloud.environment()
  const following = run(cloud.args('--follow', '--interval', '5', '--json'), { around })
  await vi.waitFor(() => expect(around.stdout.text).toContain('"servers"'), 20_000)
  await cloud.claim(103, 1)
  small.servers.push({
    ...(small.servers[0] as SmallCloud['servers'][number]),
    id: uuidOf(103),
    updated: '2026-01-01T00:05:00Z',
  })
  small.flavors.pop()
  fake.asked.length = 0
  await vi.waitFor(
    async () => expect((await ask('GET', '/compute/v2.1/flavors')).json.flavors).toHaveLength(1),
    20_000,
  )
  await vi.waitFor(
    async () =>
      expect(
        (await ask('GET', `/compute/v2.1/servers/${uuidOf(103)}`)).json.server.flavor.original_name,
      ).toBe('m1'),
    20_000,
  )
  expect(fake.asked.filter(path => path.includes('/servers/'))[0]).toContain(
    'changes-since=2025-12-31T23%3A59%3A00Z',
  )
  expect(fake.asked.some(path => path.includes('metadefs') || path.includes('os-flavor-access'))).toBe(false)
  around.signal('SIGINT')
  expect((await following).exitCode).toBe(0)
}, 60_000)

test('a cloud that refuses is told in one line, with its own exit code', async () => {
  fake.password = 'another'
  const { exitCode, err } = await pull()
  expect(err).toMatch(
    /^berth: Keystone at .* refuses user berth of cloud prod: correct it in .*clouds\.yaml\n$/,
  )
  expect(exitCode).toBe(77)
  const missing = await run(['pull', '--cloud', 'nope', '--url', berth.server.url], {
    around: cloud.environment(),
  })
  expect(missing.err).toMatch(/there is no cloud named nope: .* has prod/)
})

test('hosts of a cloud are not changed in bulk, but what would come of it is told', async () => {
  await pull()
  const hosts = ['cn1.example.org']
  const post = (path: string, body: object) => berth.ask('POST', path, { body })
  for (const change of [{ disabled: true }, { allocation_ratios: { VCPU: 2 } }]) {
    const { status, json } = await post('/v1/hosts/change', { hosts, ...change })
    expect([status, json.code, json.cloud]).toEqual([409, 'compute.cloud-owned', 'prod'])
  }
  const { status, json } = await post('/v1/hosts/preview', { hosts, drain: true })
  expect([status, json.servers, json.changed]).toEqual([200, 1, hosts])
  expect(json.refused).toContain('belongs to cloud prod')
})

test('a preview says that an aggregate of a cloud takes no host here, as the change does', async () => {
  await pull()
  const post = (path: string, body: object) => berth.ask('POST', path, { body })
  await post('/v1/apply?owner=me', {
    hosts: [{ name: 'own', inventories: { VCPU: { total: 8 } } }],
  })
  const body = { hosts: ['own'], join: ['ssd'] }
  const preview = await post('/v1/hosts/preview', body)
  expect([preview.status, preview.json.refused]).toEqual([
    200,
    expect.stringContaining('host aggregate ssd belongs to cloud prod'),
  ])
  expect((await post('/v1/hosts/change', body)).json).toMatchObject({ code: 'compute.cloud-owned' })
})

test('a change of hosts that a cloud owns since is not undone', async () => {
  const post = (path: string, body: object) => berth.ask('POST', path, { body })
  const { json } = await post('/v1/hosts/change', {
    hosts: ['cn1.example.org'],
    allocation_ratios: { VCPU: 2 },
  })
  await pull()
  const undone = await post('/v1/hosts/undo', { revision: json.revision })
  expect([undone.status, undone.json.code]).toEqual([409, 'compute.cloud-owned'])
})
