/** What belongs to shares in the rest of the house: the ledger, decisions, explanations, restarts, quotas. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../cli/commands/run.fixture.ts'
import { FARM, ShareClient } from './share-client.fixture.ts'

let client: ShareClient
beforeAll(async () => {
  client = await ShareClient.start()
})
afterAll(() => client.berth.end())

describe('the ledger', () => {
  test('pools are children of their back end, and a share holds its size', async () => {
    const { id } = await client.placed({ size: 7, share_type: 'on-beta' })
    const { json } = await client.berth.ask('GET', `/allocations/${id}`, { minor: 38 })
    expect(json.consumer_type).toBe('SHARE')
    const [[pool, held]] = Object.entries(json.allocations) as [[string, { resources: object }]]
    expect(held.resources).toEqual({ CUSTOM_SHARE_GB: 7 })
    const provider = (await client.berth.ask('GET', `/resource_providers/${pool}`, { minor: 39 })).json
    expect(provider.name).toBe('farm@beta#b1')
    const root = await client.berth.ask('GET', `/resource_providers/${provider.root_provider_uuid}`, {
      minor: 39,
    })
    expect(root.json.name).toBe('farm@beta')
  })

  test('what belongs to shares is read-only through Placement: 409 that names the owner', async () => {
    const { id } = await client.placed()
    const found = (await client.berth.ask('GET', '/resource_providers?name=farm@gamma%23c1', { minor: 39 }))
      .json
    const [{ uuid, generation, root_provider_uuid: root }] = found.resource_providers
    const held = (await client.berth.ask('GET', `/allocations/${id}`, { minor: 28 })).json
    const refused = [
      ['PUT', `/resource_providers/${uuid}`, { name: 'mine' }],
      ['DELETE', `/resource_providers/${uuid}`, undefined],
      // Also where it would be refused anyhow: it has pools below it, and the generation is an old one.
      ['DELETE', `/resource_providers/${root}`, undefined],
      ['PUT', `/resource_providers/${uuid}/traits`, { resource_provider_generation: 99, traits: [] }],
      ['POST', '/resource_providers', { name: 'below', parent_provider_uuid: root }],
      [
        'PUT',
        `/resource_providers/${uuid}/traits`,
        { resource_provider_generation: generation, traits: ['HW_CPU_X86_AVX2'] },
      ],
      [
        'PUT',
        `/resource_providers/${uuid}/aggregates`,
        { resource_provider_generation: generation, aggregates: [id] },
      ],
      [
        'PUT',
        `/resource_providers/${uuid}/inventories/CUSTOM_SHARE_GB`,
        { resource_provider_generation: generation, total: 9 },
      ],
      [
        'PUT',
        `/allocations/${id}`,
        { ...held, allocations: {}, consumer_generation: held.consumer_generation },
      ],
      ['DELETE', `/allocations/${id}`, undefined],
      [
        'PUT',
        `/allocations/${root}`,
        {
          allocations: { [uuid]: { resources: { CUSTOM_SHARE_GB: 1 } } },
          project_id: 'p',
          user_id: 'u',
          consumer_generation: null,
        },
      ],
    ] as const
    for (const [method, path, body] of refused) {
      const answer = await client.berth.ask(method, path, { minor: 28, body })
      expect([method, path, answer.status, answer.text]).toEqual([
        method,
        path,
        409,
        expect.stringContaining('share service'),
      ])
    }
    await client.verify()
  })
})

describe('explained', () => {
  test('a dry run says which pools would do and why not the others, and makes nothing', async () => {
    const a = await client.placed({ share_type: 'on-beta' })
    const body = { size: 1, different_host: [a.id] }
    const { json } = await client.berth.ask('POST', '/v1/explain/share', {
      body,
      headers: { 'x-auth-token': 'admin:ops' },
    })
    expect(json).toMatchObject({ fits: true, reason: null })
    const beta = json.pools.find((one: { pool: string }) => one.pool === 'farm@beta#b1')
    expect(beta).toMatchObject({
      passes: false,
      refusals: [
        {
          filter: 'AntiAffinityFilter',
          reasons: [{ code: 'anti-affinity.together', facts: { share: a.id } }],
        },
      ],
    })
  })

  test('members learn whether two shares are together, and no name of a back end', async () => {
    const token = 'alice:blue'
    const headers = { 'x-auth-token': `${token}:member,reader` }
    const a = await client.placed({ share_type: 'on-beta' }, token)
    const b = await client.placed({ scheduler_hints: { same_host: a.id } }, token)
    const asked = await client.berth.ask('GET', `/v1/shares/${b.id}/beside/${a.id}`, { headers })
    expect(asked.json).toEqual({ same_back_end: true })
    const explained = await client.berth.ask('GET', `/v1/explain/share/${b.id}`, { headers })
    expect(explained.json.hints).toEqual([{ kind: 'same_host', share: a.id, same_back_end: true }])
    expect(explained.text).not.toContain('farm')
    const foreign = await client.berth.ask('GET', `/v1/explain/share/${b.id}`, {
      headers: { 'x-auth-token': 'bob:red:member,reader' },
    })
    expect(foreign.status).toBe(404)
  })

  test('a type that wants its space for real does not grow into what is given out twice', async () => {
    const pool = { name: 'p', total_gb: 4, max_over_subscription_ratio: 2 }
    const thin = await ShareClient.start({
      host: 'farm',
      default_share_type: 'default',
      share_types: [{ name: 'default' }, { name: 'thick', extra_specs: { thin_provisioning: 'False' } }],
      backends: [{ name: 'b', pools: [{ ...pool, capabilities: { thin_provisioning: [true, false] } }] }],
    })
    const extended = async (share_type: string) => {
      const { id } = await thin.placed({ share_type })
      const body = { extend: { new_size: 5 } }
      expect((await thin.ask('POST', `/shares/${id}/action`, { body })).status).toBe(202)
      const { size } = await thin.settled(id)
      const told = (await thin.messagesAbout(id)).map(one => one.user_message)
      await thin.remove(id)
      return { size, told }
    }
    expect(await extended('default')).toEqual({ size: 5, told: [] })
    expect(await extended('thick')).toEqual({ size: 1, told: [expect.stringContaining('CapacityFilter')] })
    await thin.berth.end()
  })

  test('what a share holds does not stand in its own way', async () => {
    const full = await ShareClient.start({
      host: 'farm',
      default_share_type: 'default',
      share_types: [{ name: 'default' }],
      backends: [{ name: 'b', pools: [{ name: 'p', total_gb: 5 }] }],
    })
    const { id } = await full.placed({ size: 5 })
    const headers = { 'x-auth-token': 'admin:ops' }
    const { json } = await full.berth.ask('GET', `/v1/explain/share/${id}`, { headers })
    expect(json.explanation).toMatchObject({ fits: true, pool: 'farm@b#p' })
    await full.berth.end()
  })

  test('each placement is a decision, which comes to the same when it is decided again', async () => {
    const a = await client.placed()
    const headers = { 'x-auth-token': 'admin:ops' }
    const { json } = await client.berth.ask('GET', '/v1/decisions?kind=share&limit=1', { headers })
    expect(json.decisions).toMatchObject([{ outcome: 'placed', placed: [{ instance: a.id }] }])
    const again = await client.berth.ask('POST', `/v1/decisions/${json.decisions[0].id}/replay`, { headers })
    expect(again.json).toMatchObject({ same: true, outcome: 'placed' })
  })

  test('so is each move, with what the filters said, and all of them are found by their share', async () => {
    const a = await client.placed({ share_type: 'on-beta' })
    const b = await client.placed({ scheduler_hints: { same_host: a.id } })
    await client.migrate(b.id, 'farm@gamma#c1')
    expect(await client.settled(b.id)).toMatchObject({ task_state: 'migration_error' })
    await client.migrate(b.id, 'farm@gamma#c1', { force: true })
    await client.settled(b.id)
    const headers = { 'x-auth-token': 'admin:ops' }
    const v1 = async (path: string, method = 'GET') =>
      (await client.berth.ask(method, `/v1/decisions${path}`, { headers })).json
    const { decisions } = await v1(`?share=${b.id}`)
    expect(decisions).toMatchObject([
      { kind: 'share-move', outcome: 'placed', placed: [{ instance: b.id, host: 'farm@gamma#c1' }] },
      { kind: 'share-move', outcome: 'refused', placed: [] },
      {
        kind: 'share',
        outcome: 'placed',
        placed: [{ instance: b.id, host: 'farm@beta#b1' }],
        asked: { flavor: 'default' },
      },
    ])
    expect((await v1(`?instance=${b.id}`)).decisions).toEqual(decisions)
    expect((await v1(`?share=${b.id}&outcome=refused`)).decisions).toHaveLength(1)
    const refused = await v1(`/${decisions[1].id}`)
    expect(refused.refusal).toMatchObject({
      kind: 'no-pool',
      filter: 'AffinityFilter',
      reason: { code: 'affinity.elsewhere', facts: { share: a.id } },
    })
    expect(refused.choice.funnel).toContainEqual(
      expect.objectContaining({ filter: 'AffinityFilter', before: 1, after: 0 }),
    )
    for (const { id, reason } of decisions)
      expect(await v1(`/${id}/replay`, 'POST')).toMatchObject({ same: true, reason })
    const at = (...args: string[]) => run([...args, '--url', client.berth.server.url, '--token', 'admin:ops'])
    const listed = JSON.parse((await at('decision', 'list', '--share', b.id, '--json')).out)
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(decisions.map(({ id }: { id: string }) => id))
    expect((await at('decision', 'show', decisions[1].id)).out).toContain('AffinityFilter')
  })

  test('the command line makes, explains, moves by force and deletes', async () => {
    const at = (...args: string[]) => run([...args, '--url', client.berth.server.url, '--token', 'admin:ops'])
    const made = JSON.parse((await at('share', 'create', 'first', '1', '--type', 'on-beta', '--json')).out)
    await client.settled(made.id)
    const second = await at('share', 'create', 'second', '1', '--same-host', 'first', '--json')
    const { id } = JSON.parse(second.out)
    await client.settled(id)
    expect((await at('share', 'list')).out).toMatch(/second .*farm@beta#b1/)
    expect((await at('share', 'pools')).out).toContain('farm@alpha#a2')
    expect((await at('share', 'types')).out).toContain('on-gamma')
    const dry = await at(
      'share',
      'create',
      'x',
      '1',
      '--same-host',
      'first',
      '--different-host',
      'second',
      '--dry-run',
    )
    expect(dry.out).toContain('AntiAffinityFilter')
    const hints = ['--same-host', 'first', '--different-host', 'second']
    expect(await at('share', 'create', 'third', '1', ...hints)).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining(
        `AntiAffinityFilter: the share must not be on the back end of share ${id}`,
      ),
    })
    expect((await at('share', 'show', 'third')).out).toMatch(/message +AntiAffinityFilter/)
    expect(await at('share', 'delete', 'third')).toMatchObject({ exitCode: 0 })
    expect(await at('share', 'migrate', 'second', 'farm@gamma#c1')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining(
        `AffinityFilter: the share must be on the same back end as share ${made.id}`,
      ),
    })
    expect(await at('share', 'migrate', 'second', 'farm@gamma#c1', '--force')).toMatchObject({
      exitCode: 0,
      err: '',
    })
    await client.settled(id)
    await at('share', 'migrate', 'second', '--complete')
    expect(await client.settled(id)).toMatchObject({ host: 'farm@gamma#c1' })
    const explained = await at('explain', 'share', 'second')
    expect(explained.out).toContain('by force')
    expect(explained.out).toContain(`same_host ${made.id}: on another back end.`)
    expect(await at('share', 'delete', 'second')).toMatchObject({ exitCode: 0, err: '' })
    expect(await client.settled(id)).toBeNull()
  })
})

describe('limits', () => {
  test('of a project, of a type and of one share are held, and what is refused counts nothing', async () => {
    const token = 'carol:green'
    const quota = (query: string, quota_set: object) =>
      client.ask('PUT', `/quota-sets/green${query}`, { body: { quota_set } })
    expect((await quota('', { shares: 2, per_share_gigabytes: 5 })).status).toBe(200)
    expect((await quota('?share_type=on-beta', { gigabytes: 3 })).status).toBe(200)
    const create = (fields: object) =>
      client.ask('POST', '/shares', { body: { share: { share_proto: 'NFS', size: 1, ...fields } }, token })
    expect((await create({ size: 6 })).status).toBe(413)
    expect((await create({ size: 4, share_type: 'on-beta' })).status).toBe(413)
    expect((await create({})).status).toBe(200)
    expect((await create({ size: 2 })).status).toBe(200)
    const third = await create({})
    expect(third.status).toBe(413)
    expect(third.json.overLimit.message).toContain('shares')
    const { absolute } = (await client.ask('GET', '/limits', { token })).json.limits
    expect(absolute).toMatchObject({ totalSharesUsed: 2, totalShareGigabytesUsed: 3, maxTotalShares: 2 })
    expect((await quota('', { shares: 1 })).status).toBe(400)
  })
})

test('directories are made for real, and a server that starts again goes on where the last one stopped', async () => {
  const root = await mkdtemp(join(tmpdir(), 'berth-shares-root-'))
  const farm = {
    host: 'farm',
    default_share_type: 'default',
    share_types: [{ name: 'default' }],
    backends: [
      { name: 'disks', driver: 'directory', root, delay_s: 0.3, pools: [{ name: 'p', total_gb: 10 }] },
    ],
  }
  const first = await ShareClient.start(farm, { drain_timeout_ms: 0 })
  const done = await first.placed()
  expect((await stat(join(root, 'p', done.id))).isDirectory()).toBe(true)
  const { export_locations } = (await first.ask('GET', `/shares/${done.id}/export_locations`)).json
  expect(export_locations).toMatchObject([{ path: join(root, 'p', done.id) }])
  const half = await first.create()
  expect((await first.ask('DELETE', `/shares/${done.id}`)).status).toBe(202)
  await first.berth.stop()
  const second = await ShareClient.start(null, { data_dir: first.berth.directory })
  expect(await second.settled(half)).toMatchObject({ status: 'available' })
  expect(await second.settled(done.id)).toBeNull()
  expect((await readdir(join(root, 'p'))).filter(name => !name.startsWith('.'))).toEqual([half])
  await second.verify()
  await second.berth.end()
  await rm(root, { recursive: true })
})

test('a driver that fails leaves the share in error, nothing booked, and a message; deletion still works', async () => {
  const backends = [{ name: 'bad', fail: { create: 'no disk left' }, pools: [{ name: 'p', total_gb: 10 }] }]
  const failing = await ShareClient.start({ ...FARM, backends })
  const id = await failing.create()
  expect(await failing.settled(id)).toMatchObject({ status: 'error', host: '' })
  expect((await failing.messagesAbout(id))[0].user_message).toContain('no disk left')
  const [{ id: message }] = await failing.messagesAbout(id)
  expect((await failing.ask('DELETE', `/messages/${message}`)).status).toBe(204)
  expect(await failing.messagesAbout(id)).toEqual([])
  await failing.verify()
  await failing.remove(id)
  await failing.berth.end()
})

test('growing beyond the pool is accepted, gets a message, and changes nothing; within it, it works', async () => {
  const { id } = await client.placed({ share_type: 'on-gamma', size: 10 })
  const act = (body: object) => client.ask('POST', `/shares/${id}/action`, { body })
  expect((await act({ extend: { new_size: 500 } })).status).toBe(202)
  expect(await client.settled(id)).toMatchObject({ status: 'available', size: 10 })
  expect((await client.messagesAbout(id))[0].user_message).toContain('CapacityFilter')
  expect((await act({ extend: { new_size: 20 } })).status).toBe(202)
  expect(await client.settled(id)).toMatchObject({ size: 20 })
  expect((await act({ shrink: { new_size: 15 } })).status).toBe(202)
  expect(await client.settled(id)).toMatchObject({ size: 15 })
  expect((await act({ shrink: { new_size: 15 } })).status).toBe(400)
  await client.verify()
})

test('back ends are declared later by apply, in one commit with all else, and go when they are dropped', async () => {
  const empty = await ShareClient.start(null)
  const apply = (body: unknown) =>
    empty.berth.ask('POST', '/v1/apply?owner=storage', { body, headers: { 'x-auth-token': 'admin:ops' } })
  const { json, status } = await apply({ shares: FARM })
  expect(status).toBe(200)
  expect(json.plan.map((one: { name: string }) => one.name)).toContain('farm@alpha#a2')
  const { id } = await empty.placed({ share_type: 'on-gamma' })
  const gammaGone = { ...FARM, backends: FARM.backends.slice(0, 2) }
  const refused = await apply({ shares: gammaGone, hosts: [{ name: 'compute-1' }] })
  expect([refused.status, refused.json.message ?? refused.text]).toEqual([
    409,
    expect.stringContaining('farm@gamma'),
  ])
  expect(
    (await empty.berth.ask('GET', '/resource_providers?name=compute-1')).json.resource_providers,
  ).toEqual([])
  await empty.remove(id)
  expect((await apply({ shares: gammaGone })).status).toBe(200)
  const pools = (await empty.ask('GET', '/scheduler-stats/pools')).json.pools
  expect(pools).toHaveLength(3)
  const bad = await apply({ shares: { host: 'farm', backends: [{ name: 'x', driver: 'tape', pools: [] }] } })
  expect([bad.status, bad.text]).toEqual([400, expect.stringContaining('tape')])
  await empty.verify()
  await empty.berth.end()
})

test('a share has 128 keys of metadata, however they come, and a refused write changes nothing', async () => {
  const keys = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${from + at}`, 'v']))
  const { id } = await client.placed({ metadata: keys(0, 100) })
  const path = `/shares/${id}/metadata`
  const set = (method: string, metadata: object) => client.ask(method, path, { body: { metadata } })
  const answer = await set('POST', keys(100, 29))
  expect([answer.status, answer.text]).toEqual([
    413,
    expect.stringContaining('A share may have 128 keys of metadata, and would have 129.'),
  ])
  expect((await set('POST', keys(90, 38))).status).toBe(200)
  expect((await client.ask('PUT', `${path}/one`, { body: { meta: { one: 'v' } } })).status).toBe(413)
  expect((await set('POST', { 'key-0': 'changed' })).status).toBe(200)
  expect((await set('PUT', keys(1_000, 129))).status).toBe(413)
  expect((await set('PUT', keys(1_000, 128))).status).toBe(200)
  expect(Object.keys(await client.metadata(id))).toHaveLength(128)
  const share = { share_proto: 'NFS', size: 1, metadata: keys(0, 129) }
  expect((await client.ask('POST', '/shares', { body: { share } })).status).toBe(413)
})
