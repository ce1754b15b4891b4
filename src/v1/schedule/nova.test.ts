import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
})
afterAll(() => berth.end())

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const flavor = { id: '1', name: 'm1', vcpus: 1, ram: 512, disk: 1, ephemeral: 0, swap: 0, extra_specs: {} }
const gold = { id: 7, uuid: uuid(7), name: 'gold', metadata: { tier: 'gold' } }

const request = (given: object = {}) => ({
  operation: 'create',
  instance: uuid(1),
  project: 'p',
  zone: null,
  flavor,
  hints: {},
  group: null,
  aggregates: [gold],
  hosts: [
    { name: 'a', aggregates: [7] },
    { name: 'b', aggregates: [] },
  ],
  ...given,
})
const wantsGold = { flavor: { ...flavor, extra_specs: { tier: 'gold' } } }

const filter = (body: object) => berth.ask('POST', '/v1/nova/filter', { body })
const claim = (server: string, provider: string) =>
  berth.ask('PUT', `/allocations/${server}`, {
    minor: 36,
    body: {
      allocations: { [provider]: { resources: { VCPU: 1 } } },
      project_id: 'p',
      user_id: 'u',
      consumer_generation: null,
    },
  })

async function addHost(n: number): Promise<string> {
  const provider = uuid(n)
  await berth.ask('POST', '/resource_providers', { minor: 36, body: { name: `host-${n}`, uuid: provider } })
  const body = { resource_provider_generation: 0, inventories: { VCPU: { total: 8 } } }
  const { status } = await berth.ask('PUT', `/resource_providers/${provider}/inventories`, {
    minor: 36,
    body,
  })
  expect(status).toBe(200)
  return provider
}

test('aggregates are those of the request, and each refused host has its reason', async () => {
  const { status, json } = await filter(request(wantsGold))
  expect(status).toBe(200)
  expect(json).toMatchObject({ needs: [], passes: [0] })
  expect(json.refused).toEqual([
    { host: 1, filter: 'AggregateInstanceTypeFilter', code: expect.any(String), text: expect.any(String) },
  ])
  expect(json.summary).toMatch(/^1 of 2 hosts pass; AggregateInstanceTypeFilter /)
})

test('the decision is found by the request id and by the server', async () => {
  const ids = { request_id: 'req-1', global_request_id: 'req-0', instance: uuid(2) }
  const hosts = [{ name: 'b', aggregates: [] }]
  const { json } = await filter(request({ ...wantsGold, ...ids, hosts }))
  expect(json.passes).toEqual([])
  for (const query of ['request_id=req-1', 'global_request_id=req-0', `instance=${uuid(2)}`]) {
    const { decisions } = (await berth.ask('GET', `/v1/decisions?${query}`)).json
    expect(decisions).toMatchObject([
      { id: json.decision, kind: 'nova-filter', outcome: 'refused', ...asked(ids) },
    ])
  }
  const shown = (await berth.ask('GET', `/v1/decisions/${json.decision}`)).json
  expect(shown.reason).toBe('No host fits: 1 host has room; AggregateInstanceTypeFilter removed 1.')
  expect(shown.refusal.reasons).toMatchObject([{ filter: 'AggregateInstanceTypeFilter', hosts: 1 }])
  const replay = await berth.ask('POST', `/v1/decisions/${json.decision}/replay`)
  expect([replay.status, replay.json.code]).toEqual([409, 'decisions.hosts-not-kept'])
})

const asked = ({ request_id, global_request_id, instance }: Record<string, string>) => ({
  request_id,
  global_request_id,
  asked: { instances: [instance], flavor: 'm1' },
})

test('an announced member cannot claim the host of another, and goes on to the next', async () => {
  const [one, two] = [await addHost(11), await addHost(12)]
  const [first, second, third] = [uuid(21), uuid(22), uuid(23)]
  const group = {
    uuid: uuid(9),
    policy: 'anti-affinity',
    max_server_per_host: 1,
    members: [first],
    hosts: [],
  }
  for (const instance of [first, second])
    expect((await filter(request({ instance, group }))).status).toBe(200)
  expect((await claim(first, one)).status).toBe(204)
  const refused = await claim(second, one)
  expect(refused.status).toBe(409)
  expect(refused.json.errors[0].code).toBe('placement.undefined_code')
  expect(refused.json.errors[0].detail).toContain(`Server group '${uuid(9)}' with policy anti-affinity`)
  expect((await claim(second, two)).status).toBe(204)
  // A server that was not announced, as in a forced move, is not bound by the policy.
  expect((await claim(third, one)).status).toBe(204)
})

test('soft policies are weights, counted where members have allocations', async () => {
  const [one, two] = [await addHost(13), await addHost(14)]
  const member = uuid(31)
  expect((await claim(member, one)).status).toBe(204)
  const hosts = [
    { name: 'one', uuid: one, aggregates: [] },
    { name: 'two', uuid: two, aggregates: [] },
  ]
  const weigh = async (policy: string) => {
    const group = { uuid: uuid(8), policy, max_server_per_host: 1, members: [member], hosts: [] }
    return berth.ask('POST', '/v1/nova/weigh', { body: request({ hosts, group }) })
  }
  const ranking = async (policy: string) => {
    const [here, there] = (await weigh(policy)).json.weights
    return here > there ? 'together' : 'apart'
  }
  expect(await ranking('soft-anti-affinity')).toBe('apart')
  expect(await ranking('soft-affinity')).toBe('together')
})

test('a filter that reads attributes asks for them once', async () => {
  const strict = await Berth.start({ nova_filters: ['ComputeCapabilitiesFilter'] })
  try {
    const ask = (body: object) => strict.ask('POST', '/v1/nova/filter', { body })
    const specs = { flavor: { ...flavor, extra_specs: { 'capabilities:hypervisor_type': 'QEMU' } } }
    expect((await ask(request(specs))).json).toMatchObject({
      needs: ['attributes'],
      decision: null,
      passes: [],
    })
    const hosts = ['QEMU', 'xen'].map(hypervisor_type => ({
      name: hypervisor_type,
      aggregates: [],
      attributes: { hypervisor_type },
    }))
    expect((await ask(request({ ...specs, hosts, all_attributes: true }))).json).toMatchObject({
      needs: [],
      passes: [0],
    })
  } finally {
    await strict.end()
  }
})

test('failed calls of Nova are in the log of Berth', async () => {
  const missed_calls = { count: 3, last_error: 'timed out', on_failure: 'open' }
  await filter(request({ missed_calls }))
  expect(
    berth.logLines.filter(line => line.includes('went on without Berth') && line.includes('timed out')),
  ).toHaveLength(1)
})

test('a host in an aggregate that the request lacks is an error', async () => {
  const { status, json } = await filter(request({ aggregates: [] }))
  expect([status, json.code, json.field]).toEqual([400, 'nova.aggregate-missing', 'hosts.0.aggregates'])
})
