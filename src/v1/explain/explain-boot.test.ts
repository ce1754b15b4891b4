import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
  await addHost(1, 8)
  await addHost(2, 4)
})
afterAll(() => berth.end())

let requests = 0
const newRequestId = () => `req-00000000-0000-4000-9000-${String(++requests).padStart(12, '0')}`

async function addHost(n: number, vcpus: number): Promise<void> {
  await berth.ask('POST', '/resource_providers', { minor: 36, body: { name: `host-${n}`, uuid: uuid(n) } })
  const body = { resource_provider_generation: 0, inventories: { VCPU: { total: vcpus } } }
  await berth.ask('PUT', `/resource_providers/${uuid(n)}/inventories`, { minor: 36, body })
}

const search = (vcpus: number, id: string) =>
  berth.ask('GET', `/allocation_candidates?resources=VCPU%3A${vcpus}`, {
    minor: 36,
    headers: { 'x-openstack-request-id': id },
  })

const claim = (server: string, provider: string, vcpus: number, id: string, project = 'p') =>
  berth.ask('PUT', `/allocations/${server}`, {
    minor: 36,
    headers: { 'x-openstack-request-id': id },
    body: {
      allocations: { [provider]: { resources: { VCPU: vcpus } } },
      project_id: project,
      user_id: 'u',
      consumer_generation: null,
    },
  })

const flavor = { id: '1', name: 'm1', vcpus: 1, ram: 512, disk: 1, ephemeral: 0, swap: 0 }
const filter = (instance: string, ids: object, extra_specs: object, project = 'p') =>
  berth.ask('POST', '/v1/nova/filter', {
    body: {
      operation: 'create',
      instance,
      project,
      zone: null,
      hints: {},
      group: null,
      aggregates: [],
      ...ids,
      flavor: { ...flavor, extra_specs },
      hosts: [{ name: 'host-1', aggregates: [] }],
    },
  })

const explain = (id: string, token = 'admin') =>
  berth.ask('GET', `/v1/explain/boot/${id}`, { headers: { 'x-auth-token': token } })

/** Polls, because decisions are stored after the answer is sent. */
const explainWith = async (id: string, stages: number) => {
  await expect.poll(async () => (await explain(id)).json.stages?.length).toBe(stages)
  return (await explain(id)).json
}

test('a search without a candidate is explained by its request id, with what would help now', async () => {
  const id = newRequestId()
  expect((await search(16, id)).json.allocation_requests).toEqual([])
  const boot = await explainWith(id, 1)
  expect(boot.stages[0]).toMatchObject({
    kind: 'candidates',
    outcome: 'refused',
    text: 'Placement found no candidate; blocked by 16 of VCPU.',
    query: 'resources=VCPU:16',
    user: 'admin',
    global_request_id: id,
  })
  expect(boot.stages[0].lines).toEqual([
    '16 of VCPU: 2 → 0 trees (blocks)',
    'nearest: host-1: VCPU needs 16, has 8 free of 8',
    'nearest: host-2: VCPU needs 16, has 4 free of 4',
  ])
  expect(boot.stages[0].explained_revision).toBe(boot.stages[0].revision)
  expect(boot.now).toMatchObject({ candidates: 0 })
  expect(boot.now.changes).toContain('Ask for 8 of VCPU instead of 16.')
  const { decisions } = (await berth.ask('GET', `/v1/decisions?global_request_id=${id}`)).json
  expect(decisions).toMatchObject([{ kind: 'candidates', asked: { query: 'resources=VCPU:16' } }])
  const replay = await berth.ask('POST', `/v1/decisions/${decisions[0].id}/replay`)
  expect([replay.status, replay.json.code]).toEqual([409, 'decisions.not-ours'])
})

test('a refused claim is found by request and server, after the search that led to it', async () => {
  const [id, server] = [newRequestId(), uuid(21)]
  await search(3, id)
  expect((await claim(uuid(20), uuid(2), 4, newRequestId())).status).toBe(204)
  expect((await claim(server, uuid(2), 3, id)).status).toBe(409)
  for (const known of [id, server]) {
    const boot = await explainWith(known, 2)
    expect(boot.stages).toMatchObject([
      { kind: 'candidates', outcome: 'passed', text: 'Placement found 2 candidates.', servers: [] },
      { kind: 'claim', outcome: 'refused', servers: [server], lines: [`${uuid(2)} is host-2.`] },
    ])
    expect(boot.stages[1].text).toContain('exceed the capacity')
    expect(boot.now.candidates).toBe(1)
    expect(boot.advice).toEqual([expect.stringContaining('Another claim was faster')])
  }
})

test('a boot that the filters refuse has the search and the remedy of the filter', async () => {
  const [id, server] = [newRequestId(), uuid(31)]
  await search(1, id)
  await filter(server, { request_id: id, global_request_id: id }, { tier: 'gold' })
  const boot = await explainWith(server, 2)
  expect(boot.stages).toMatchObject([
    { kind: 'candidates', outcome: 'passed' },
    { kind: 'nova-filter', outcome: 'refused', servers: [server] },
  ])
  expect(boot.stages[1].lines).toEqual([expect.stringContaining('AggregateInstanceTypeFilter, 1 host: ')])
  expect(boot.advice).toEqual([expect.stringMatching(/^For host-1: .*tier/)])
})

test('requests that share a global id keep their servers apart', async () => {
  const [shared, own, other] = [newRequestId(), newRequestId(), newRequestId()]
  await search(1, shared)
  await filter(uuid(41), { request_id: own, global_request_id: shared }, { tier: 'gold' })
  await filter(uuid(42), { request_id: other, global_request_id: shared }, { tier: 'gold' })
  const boot = await explainWith(own, 2)
  expect(boot.stages.map(({ servers }: { servers: string[] }) => servers)).toEqual([[], [uuid(41)]])
  expect((await explainWith(shared, 3)).stages).toHaveLength(3)
})

test('a search that found something is told while it is remembered, and that nothing was refused', async () => {
  const id = newRequestId()
  await search(1, id)
  const boot = (await explain(id)).json
  expect(boot.stages).toMatchObject([{ kind: 'candidates', outcome: 'passed', decision: null }])
  expect(boot.advice).toEqual([expect.stringContaining('nova-scheduler')])
})

test('what is not known is 404 with where to look, and what is no id is 400', async () => {
  const server = await explain(uuid(99))
  expect([server.status, server.json.code]).toEqual([404, 'boot.unknown'])
  expect(server.json.detail).toContain('openstack server event list')
  expect((await explain(newRequestId())).status).toBe(404)
  const wrong = await explain('req%20x')
  expect([wrong.status, wrong.json.code, wrong.json.field]).toEqual([400, 'boot.id', 'id'])
})

test('a project sees its own boots without hosts where the policy allows it, and no others', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-policy-'))
  const policy_file = join(directory, 'policy.yaml')
  await writeFile(policy_file, '"berth:explain:boot:own": "rule:project_reader_api"\n')
  const here = berth
  berth = await Berth.start({ policy_file })
  try {
    await addHost(1, 8)
    const [id, server, none] = [newRequestId(), uuid(51), newRequestId()]
    await search(1, id)
    await filter(server, { request_id: id, global_request_id: id }, { tier: 'gold' })
    await search(16, none)
    await explainWith(id, 2)
    await explainWith(none, 1)
    const own = await explain(id, 'u:p:reader')
    expect(own.json).toMatchObject({ redacted: true, servers: [], now: null, advice: [] })
    expect(own.json.stages).toMatchObject([
      { kind: 'candidates', text: 'Some hosts had what was asked for.', lines: [] },
      { kind: 'nova-filter', servers: [server], lines: ['AggregateInstanceTypeFilter refused hosts.'] },
    ])
    expect(own.text).not.toMatch(/host-1|tier|admin/)
    expect((await explain(server, 'u:p:reader')).json.stages).toHaveLength(1)
    // Placement does not know the project of a search, so anyone who knows the request id may see it.
    expect((await explain(none, 'u:p:reader')).json.stages).toMatchObject([
      { lines: ['Without this alone there would be a host: 16 of VCPU.'] },
    ])
    for (const known of [id, server]) expect((await explain(known, 'v:q:reader')).status).toBe(404)
  } finally {
    await berth.end()
    berth = here
    await rm(directory, { recursive: true })
  }
})

test('a server that is to keep nothing keeps nothing', async () => {
  const here = berth
  berth = await Berth.start({ refused_requests_per_hour: 0 })
  try {
    const id = newRequestId()
    await search(16, id)
    await addHost(1, 8)
    expect((await claim(uuid(61), uuid(1), 9, id)).status).toBe(409)
    expect((await explain(id)).status).toBe(404)
    expect((await berth.ask('GET', '/v1/decisions')).json.decisions).toEqual([])
  } finally {
    await berth.end()
    berth = here
  }
})

test('by default no project may ask about its boots', async () => {
  const id = newRequestId()
  await search(16, id)
  await explainWith(id, 1)
  const answer = await explain(id, 'u:p:reader')
  expect([answer.status, answer.json.operation]).toEqual([403, 'berth:explain:boot:own'])
})
