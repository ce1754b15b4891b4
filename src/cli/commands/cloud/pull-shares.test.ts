import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type SmallCloud, share, uuidOf } from '../../../openstack/pull/small-cloud.fixture.ts'
import { run } from '../run.fixture.ts'
import { PullableCloud } from './pullable-cloud.fixture.ts'

let cloud: PullableCloud
let small: SmallCloud

beforeEach(async () => {
  cloud = await PullableCloud.start()
  ;({ small } = cloud)
})
afterEach(() => cloud.end())

const pull = (...more: string[]) => cloud.pull(...more)
const ask = (method: string, path: string, body?: object) => cloud.ask(method, path, body)
const sharesOf = ({ json }: { json: { kinds: { kind: string }[] } }) =>
  json.kinds.find(({ kind }) => kind === 'shares')
const getShare = async (nth: number) => (await ask('GET', `/share/v2/shares/${uuidOf(nth)}`)).json.share
const verify = async () => (await ask('POST', '/v1/verify')).json

test('a dry run lists back ends, pools and shares and writes nothing', async () => {
  const { out } = await pull('--dry-run')
  expect(out).toContain('+ share_backends farm@alpha\n')
  expect(out).toContain('+ share_pools farm@beta#b1\n')
  expect(out).toContain(`+ shares ${uuidOf(201)} (share-201)\n`)
  expect((await ask('GET', '/share/v2/services')).json.services).toEqual([])
})

test('after a pull Berth shows the services, pools and shares of the cloud, with their space in the ledger', async () => {
  const pulled = await pull('--json')
  expect(sharesOf(pulled)).toMatchObject({ created: 7, left: [] })
  expect((await ask('GET', '/share/v2/services')).json.services).toMatchObject([
    { host: 'farm@alpha', status: 'enabled', zone: 'nova' },
    { host: 'farm@beta' },
  ])
  const { pools } = (await ask('GET', '/share/v2/scheduler-stats/pools/detail')).json
  expect(pools).toMatchObject([
    { name: 'farm@alpha#a1', capabilities: { total_capacity_gb: 100, free_capacity_gb: 90 } },
    { name: 'farm@alpha#a2' },
    { name: 'farm@beta#b1', capabilities: { share_backend_name: 'beta', reserved_percentage: 10 } },
  ])
  expect(await getShare(201)).toMatchObject({
    name: 'share-201',
    host: 'farm@alpha#a1',
    size: 10,
    status: 'available',
    metadata: { team: 'lab', __affinity_different_host: uuidOf(202) },
  })
  const held = await cloud.berth.ask('GET', `/allocations/${uuidOf(201)}`, { minor: 39 })
  expect(Object.values(held.json.allocations)).toMatchObject([{ resources: { CUSTOM_SHARE_GB: 10 } }])
  expect(await verify()).toMatchObject({ problems: [], differences: [] })
})

test('space that something else takes is reserved, so that capacity is that of the cloud', async () => {
  await pull()
  const { pools } = (await ask('POST', '/v1/explain/share', { size: 65, share_type: uuidOf(41) })).json
  // 30 GB are taken of b1; its one share has 10 of them, and 10 % are reserved. Something has 10 GB of a2.
  expect(pools.map(({ pool, free_gb }: { pool: string; free_gb: number }) => [pool, free_gb]).sort()).toEqual(
    [
      ['farm@alpha#a1', 80],
      ['farm@alpha#a2', 80],
      ['farm@beta#b1', 60],
    ],
  )
})

test('what was pulled is explained, and neither changed nor used here: 409 names the cloud', async () => {
  await pull()
  const { explanation, hints } = (await ask('GET', `/v1/explain/share/${uuidOf(201)}`)).json
  expect(hints).toMatchObject([{ kind: 'different_host', share: uuidOf(202) }])
  expect(explanation.pool).toMatch(/^farm@alpha#/)
  for (const [method, path, body] of [
    ['DELETE', `/share/v2/shares/${uuidOf(201)}`, undefined],
    ['POST', `/share/v2/shares/${uuidOf(201)}/metadata`, { metadata: { a: 'b' } }],
    ['PUT', '/share/v2/services/disable', { host: 'farm@alpha', binary: 'manila-share' }],
    ['POST', '/share/v2/shares', { share: { share_proto: 'NFS', size: 1, share_type: uuidOf(41) } }],
  ] as const) {
    const { status, json } = await ask(method, path, body)
    expect([path, status, JSON.stringify(json)]).toEqual([path, 409, expect.stringContaining('cloud prod')])
  }
})

test('pulled again nothing is written; shares that moved, grew, went or lost hints do so here', async () => {
  await pull()
  // Figures that drivers report anew each time.
  for (const { capabilities } of small.pools) capabilities.timestamp = 'later'
  expect(sharesOf(await pull('--json'))).toMatchObject({ created: 0, updated: 0, removed: 0, unchanged: 7 })
  Object.assign(small.shares[0] as object, { host: 'farm@alpha#a2', size: 20, metadata: {} })
  small.shares.pop()
  small.shareServices.pop()
  small.pools = small.pools.filter(({ name }) => !name.includes('beta'))
  expect(sharesOf(await pull('--json'))).toMatchObject({ removed: 2, left: [] })
  expect(await getShare(201)).toMatchObject({ host: 'farm@alpha#a2', size: 20, metadata: {} })
  expect((await ask('GET', `/share/v2/shares/${uuidOf(202)}`)).status).toBe(404)
  expect((await ask('GET', '/share/v2/services')).json.services).toHaveLength(1)
  expect(await verify()).toMatchObject({ problems: [], differences: [] })
})

test('a service that is down keeps its pools, full or as they were, and gets no share', async () => {
  Object.assign(small.shareServices[1] as object, { state: 'down' })
  small.pools.pop()
  await pull()
  const [, beta] = (await ask('GET', '/share/v2/services')).json.services
  expect(beta).toMatchObject({ status: 'disabled', disabled_reason: 'its manila-share is down' })
  expect(await getShare(202)).toMatchObject({ host: 'farm@beta#b1' })
  const again = sharesOf(await pull('--json'))
  expect(again).toMatchObject({ updated: 0, removed: 0 })
})

test('a share that is more than its pool has room for is shown all the same', async () => {
  Object.assign(small.shares[0] as object, { size: 500 })
  const { exitCode } = await pull()
  expect(exitCode).toBe(0)
  expect(await getShare(201)).toMatchObject({ size: 500, host: 'farm@alpha#a1' })
})

test('a share that is being moved holds both places', async () => {
  Object.assign(small.shares[0] as object, { status: 'migrating', task_state: 'migration_in_progress' })
  small.instances.set(uuidOf(201), [
    { status: 'migrating', host: 'farm@alpha#a1' },
    { status: 'migrating_to', host: 'farm@alpha#a2' },
  ])
  await pull()
  const held = await cloud.berth.ask('GET', `/allocations/${uuidOf(201)}`, { minor: 39 })
  expect(Object.keys(held.json.allocations)).toHaveLength(2)
})

test('shares that Berth cannot show are named, and the others are pulled', async () => {
  small.shares.push(share(203, null, { share_type: null }), share(204, 'alpha', {}))
  const { exitCode, err } = await pull()
  expect(err).toContain(`${uuidOf(203)} has no share type`)
  expect(err).toContain(`${uuidOf(204)} is on farm@alpha, which names no pool`)
  expect(exitCode).toBe(0)
  expect(await getShare(201)).toMatchObject({ status: 'available' })
})

test('of many shares that are being moved each holds both places', async () => {
  const moved = Array.from({ length: 60 }, (_, nth) => 230 + nth)
  small.shares = moved.map(nth => share(nth, 'alpha#a1', { size: 1, status: 'migrating' }))
  for (const nth of moved)
    small.instances.set(uuidOf(nth), [{ status: 'migrating_to', host: 'farm@alpha#a2' }])
  await pull()
  const { pools } = (await ask('GET', '/share/v2/scheduler-stats/pools/detail')).json
  const free = (at: number) => pools[at].capabilities.free_capacity_gb
  expect([free(0), free(1)]).toEqual([40, 40])
})

test('one odd share or pool does not keep the others out', async () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, 'v']))
  small.shares.push(
    share(203, null, { metadata: many(129) }),
    share(204, null, { metadata: { a: '\0' } }),
    share(205, null, { metadata: { ...many(128), __affinity_different_host: uuidOf(201) } }),
  )
  Object.assign(small.pools[0]?.capabilities as object, { reserved_percentage: 120 })
  const { err } = await pull()
  expect(err).toContain(`${uuidOf(203)} has more than 128 keys of metadata`)
  expect(err).toContain(`${uuidOf(204)} has a character in its metadata that no text may have`)
  expect(Object.keys((await getShare(205)).metadata)).toHaveLength(129)
})

test('a pool of another back end is left out, and so is metadata that cannot be stored', async () => {
  await pull()
  const pool = {
    total_gb: 1,
    reserved_gb: 0,
    reserved_percentage: 0,
    over_subscription: 1,
    capabilities: '{}',
  }
  const send = (table: string, row: object) =>
    ask('POST', '/v1/pull/prod', { rows: [{ table, row }], removed: [] })
  const stolen = await send('share_pools', { ...pool, pool: 'farm@alpha#a1', backend: 'farm@beta' })
  expect(stolen.json).toMatchObject({ updated: 0, left: [{ reason: 'misfit' }] })
  const { status, json } = await send('shares', {
    uuid: uuidOf(201),
    name: null,
    description: null,
    project_id: 'p',
    user_id: 'u',
    size: 10,
    protocol: 'NFS',
    share_type: uuidOf(41),
    pool: null,
    target_pool: null,
    status: 'available',
    task_state: null,
    is_public: 0,
    availability_zone: null,
    snapshot: null,
    metadata: '{"a":"\\u0000"}',
    same_host: '',
    different_host: '',
    created_at: 0,
  })
  expect([status, json.field]).toEqual([400, 'metadata'])
})

test('--forget removes shares, pools and back ends with what they hold; the ledger of others stays', async () => {
  await pull()
  expect((await pull('--forget')).exitCode).toBe(0)
  expect((await ask('GET', '/v1/pull')).json).toEqual({ clouds: [] })
  expect((await ask('GET', '/share/v2/services')).json.services).toEqual([])
  const { resource_providers: left } = (await ask('GET', '/placement/resource_providers')).json
  expect(left).toHaveLength(2)
  expect(await verify()).toMatchObject({ problems: [], differences: [] })
})

test('the plug-in and the pulled shares agree: hints that the metadata has no room for still bind', async () => {
  const many = Array.from({ length: 30 }, (_, nth) => uuidOf(210 + nth))
  small.shares = [
    ...many.map((_, nth) => share(210 + nth, nth === 29 ? 'beta#b1' : 'alpha#a1', { size: 1 })),
    share(250, null, { status: 'creating' }),
  ]
  const describe = ({ id, host, status }: SmallCloud['shares'][number]) => ({
    uuid: id,
    host,
    hosts: host === null ? [] : [host],
    status,
    is_moving: false,
    hints: { same_host: [], different_host: [] },
  })
  const apart = { same_host: [], different_host: many }
  const request = {
    operation: 'create',
    share: describe(small.shares.at(-1) as SmallCloud['shares'][number]),
    hints: { same_host: [], different_host: many.slice(0, 29) },
    force: false,
    project: 'p',
    size: 1,
    type: 'gold',
    zone: null,
    request_id: 'req-1',
    global_request_id: null,
    shares: small.shares.slice(0, 30).map(describe),
    missing: [],
    pools: small.pools.map(({ name }) => ({ host: name, free_gb: 90, weight: 1 })),
  }
  expect((await ask('POST', '/v1/manila/filter', { ...request, hints: apart })).json.passes).toEqual([])
  const placed = await ask('POST', '/v1/manila/place', request)
  expect(placed.json).toMatchObject({ pool: 2 })
  await pull()
  // Manila shows no pool of it yet; the reservation of the plug-in counts.
  const near = { size: 1, share_type: uuidOf(41), same_host: [uuidOf(250)] }
  const explained = (await ask('POST', '/v1/explain/share', near)).json
  expect(explained.pool).toBe('farm@beta#b1')
  Object.assign(small.shares[30] as object, {
    host: 'farm@beta#b1',
    status: 'available',
    metadata: { __affinity_different_host: many.slice(0, 27).join(',') },
  })
  await pull()
  const { hints } = (await ask('GET', `/v1/explain/share/${uuidOf(250)}`)).json
  expect(hints).toHaveLength(29)
})

test('--follow reads the newest page and one page in turn, and finds what moved and what went', async () => {
  small.pageMax = 3
  small.shares = Array.from({ length: 7 }, (_, nth) => share(201 + nth, 'alpha#a1', { size: 1 }))
  const around = cloud.environment()
  const following = run(cloud.args('--follow', '--interval', '5', '--json'), { around })
  await vi.waitFor(() => expect(around.stdout.text).toContain('"shares"'), 20_000)
  small.shares = small.shares.filter(({ id }) => id !== uuidOf(206))
  Object.assign(small.shares[4] as object, { host: 'farm@alpha#a2' })
  small.shares.push(share(220, 'beta#b1'))
  cloud.fake.asked.length = 0
  await vi.waitFor(async () => expect((await getShare(220))?.host).toBe('farm@beta#b1'), 20_000)
  const pages = cloud.fake.asked.filter(path => path.includes('/shares/detail'))
  expect(pages).toHaveLength(2)
  await vi.waitFor(
    async () => {
      expect((await ask('GET', `/share/v2/shares/${uuidOf(206)}`)).status).toBe(404)
      expect((await getShare(205))?.host).toBe('farm@alpha#a2')
    },
    { timeout: 40_000, interval: 500 },
  )
  around.signal('SIGINT')
  expect((await following).exitCode).toBe(0)
}, 90_000)

test('a reservation of the plug-in counts until it expires, in explanations too', async () => {
  small.shares = [share(250, null, { status: 'creating' })]
  const placed = await ask('POST', '/v1/manila/place', {
    operation: 'create',
    share: {
      uuid: uuidOf(250),
      host: null,
      hosts: [],
      status: 'creating',
      is_moving: false,
      hints: { same_host: [], different_host: [] },
    },
    hints: { same_host: [], different_host: [] },
    force: false,
    project: 'p',
    size: 1,
    type: 'gold',
    zone: null,
    request_id: 'req-1',
    global_request_id: null,
    shares: [],
    missing: [],
    pools: [{ host: 'farm@beta#b1', free_gb: 90, weight: 1 }],
  })
  expect(placed.json).toMatchObject({ pool: 0 })
  await pull()
  const apart = { size: 1, share_type: uuidOf(41), different_host: [uuidOf(250)] }
  const refusalsOfBeta = async () => {
    const { pools } = (await ask('POST', '/v1/explain/share', apart)).json
    return pools.find(({ pool }: { pool: string }) => pool === 'farm@beta#b1').refusals
  }
  expect(await refusalsOfBeta()).toHaveLength(1)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })
  try {
    expect(await refusalsOfBeta()).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})
