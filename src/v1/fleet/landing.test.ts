/** Which flavors may land on a host or an aggregate, and which servers are there against its rules. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { createFlavor, deleteFlavor } from '../../compute/flavors/flavors.ts'
import { setHost } from '../../compute/hosts/hosts.ts'
import { DEFAULT_SETUP } from '../../scheduling/framework/setup.ts'
import { listAllHosts } from '../../scheduling/hosts/hosts.ts'
import { recordHosts } from '../../scheduling/hosts/small-hosts.fixture.ts'
import { Turns } from '../api/in-turns.ts'
import { findViolations, judgeFlavors } from './landing.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  onTestFinished(() => berth.end())
})

const get = (path: string, token = 'admin') => berth.ask('GET', path, { headers: { 'x-auth-token': token } })
const post = (path: string, body: unknown) => berth.ask('POST', path, { body })

async function apply(body: object): Promise<void> {
  const { status, text } = await post('/v1/apply?owner=test', body)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}

const SIZE = { VCPU: { total: 8 }, MEMORY_MB: { total: 8_192 } }
const HOSTS = ['alpha', 'beta'].map((name, at) => ({ name, uuid: uuid(at + 1), inventories: SIZE }))
const flavor = (name: string, extra_specs: object = {}, more: object = {}) => ({
  name,
  id: `id-${name}`,
  vcpus: 1,
  ram: 512,
  disk: 0,
  extra_specs,
  ...more,
})
const FLAVORS = [
  flavor('small'),
  flavor('fast', { ssd: 'true' }),
  flavor('slow', { ssd: 'false' }),
  flavor('huge', {}, { vcpus: 9 }),
  flavor('gpu', { 'trait:HW_GPU_API_VULKAN': 'required' }),
]
const SSD = { name: 'ssd', metadata: { ssd: 'true' }, hosts: ['alpha'] }

type Told = { name: string; verdict: string; reasons: { code: string; lasting: boolean }[] }
const verdicts = ({ flavors }: { flavors: Told[] }) =>
  Object.fromEntries(flavors.map(({ name, verdict }) => [name, verdict]))
const reasons = ({ flavors }: { flavors: Told[] }, name: string) =>
  flavors.find(one => one.name === name)?.reasons

describe('flavors of a host', () => {
  test('are listed by name, rules apart from room, each refusal with its reason in words', async () => {
    await apply({ hosts: HOSTS, flavors: FLAVORS, aggregates: [SSD] })
    const { status, json } = await get('/v1/hosts/alpha/flavors')
    expect([status, json.hosts, json.truncated]).toEqual([200, 1, false])
    expect(Object.entries(verdicts(json))).toEqual([
      ['fast', 'fits'],
      ['gpu', 'forbidden'],
      ['huge', 'forbidden'],
      ['slow', 'forbidden'],
      ['small', 'fits'],
    ])
    expect(reasons(json, 'slow')).toMatchObject([
      { by: 'filter', filter: 'AggregateInstanceTypeFilter', key: 'ssd', lasting: true },
    ])
    expect(reasons(json, 'gpu')).toMatchObject([{ by: 'placement', code: 'placement.trait-missing' }])
    // A demand beyond the size of the host is a lasting reason, not lack of space.
    expect(reasons(json, 'huge')).toMatchObject([{ code: 'placement.short', key: 'VCPU', lasting: true }])
    expect(verdicts((await get('/v1/hosts/beta/flavors')).json)).toMatchObject({ fast: 'forbidden' })
  })

  test('that is full or disabled are not-now, those that it could never take still forbidden', async () => {
    await apply({ hosts: HOSTS, flavors: FLAVORS, aggregates: [SSD] })
    const placed = await post('/v1/schedule', { flavor: 'fast', count: 8 })
    expect(placed.status).toBe(200)
    const full = (await get('/v1/hosts/alpha/flavors')).json
    expect(verdicts(full)).toMatchObject({
      fast: 'not-now',
      small: 'not-now',
      slow: 'forbidden',
      huge: 'forbidden',
    })
    expect(reasons(full, 'fast')).toMatchObject([{ code: 'placement.short', lasting: false }])
    expect((await berth.ask('PUT', '/v1/hosts/beta', { body: { disabled: true } })).status).toBe(200)
    const off = (await get('/v1/hosts/beta/flavors')).json
    expect(verdicts(off)).toMatchObject({ small: 'not-now', fast: 'forbidden' })
    expect(reasons(off, 'small')).toMatchObject([{ code: 'host.disabled', lasting: false }])
  })

  test('come in pages, for a project if asked; who sees no hosts in explanations is refused', async () => {
    await apply({ hosts: HOSTS, flavors: FLAVORS })
    const first = (await get('/v1/hosts/alpha/flavors?limit=2')).json
    expect([Object.keys(verdicts(first)), first.truncated]).toEqual([['fast', 'gpu'], true])
    const rest = (await get('/v1/hosts/alpha/flavors?after=id-gpu&project_id=p')).json
    expect([Object.keys(verdicts(rest)), rest.truncated]).toEqual([['huge', 'slow', 'small'], false])
    expect((await get('/v1/hosts/alpha/flavors?after=nobody')).status).toBe(404)
    expect((await get('/v1/hosts/alpha/flavors?limit=0')).status).toBe(400)
    expect((await get('/v1/hosts/nobody/flavors')).status).toBe(404)
    for (const path of ['hosts/alpha/flavors', 'hosts/alpha/violations', 'host-aggregates/x/violations'])
      expect((await get(`/v1/${path}`, 'alice:blue')).status).toBe(403)
  })

  test('agree with what the scheduler does', async () => {
    await apply({ hosts: HOSTS, flavors: FLAVORS, aggregates: [SSD] })
    for (const host of ['alpha', 'beta'])
      for (const [name, verdict] of Object.entries(verdicts((await get(`/v1/hosts/${host}/flavors`)).json))) {
        const { status } = await post('/v1/schedule', { flavor: name, host, dry_run: true })
        expect([host, name, status === 200]).toEqual([host, name, verdict === 'fits'])
      }
  })
})

describe('flavors of an aggregate', () => {
  test('fit where one of its hosts takes them, with counts and the hosts of each reason', async () => {
    await apply({
      hosts: HOSTS,
      flavors: FLAVORS,
      aggregates: [SSD, { name: 'all', hosts: ['alpha', 'beta'] }],
    })
    const { json } = await get('/v1/host-aggregates/all/flavors')
    const fast = json.flavors.find((one: Told) => one.name === 'fast')
    expect(fast).toMatchObject({ verdict: 'fits', fits: 1, not_now: 0, forbidden: 1 })
    expect(fast.reasons).toMatchObject([{ code: 'extra-spec.missing', hosts: 1 }])
    expect(json).toMatchObject({ hosts: 2, hosts_left_out: 0, truncated: false })
    // The number of the aggregate works too.
    expect((await get('/v1/host-aggregates/2/flavors')).json).toEqual(json)
    expect((await get('/v1/host-aggregates/nobody/flavors')).json.code).toBe('compute.aggregate-missing')
  })

  test('without hosts are judged by its metadata', async () => {
    const forced = { name: 'empty', metadata: { ssd: 'true', force_metadata_check: 'true' } }
    await apply({ hosts: HOSTS, flavors: FLAVORS, aggregates: [forced] })
    const { json } = await get('/v1/host-aggregates/empty/flavors')
    expect(verdicts(json)).toMatchObject({ fast: 'not-now', slow: 'forbidden', small: 'forbidden' })
    expect(reasons(json, 'fast')).toMatchObject([{ code: 'aggregate.empty' }])
  })
})

describe('violations', () => {
  const found = async (path: string) => (await get(`/v1/${path}/violations`)).json

  test('are servers whose request the changed metadata no longer lets be there; room is no rule', async () => {
    await apply({ hosts: HOSTS, flavors: FLAVORS, aggregates: [SSD] })
    const { json } = await post('/v1/schedule', { flavor: 'fast', count: 8 })
    expect(json.placed.map(({ host }: { host: string }) => host)).toEqual(Array(8).fill('alpha'))
    expect(await found('hosts/alpha')).toEqual({ servers: 8, unknown: 0, violations: [], next: null })
    await apply({ hosts: HOSTS, flavors: FLAVORS, aggregates: [{ ...SSD, metadata: { ssd: 'false' } }] })
    const all = await found('host-aggregates/ssd')
    expect(all).toMatchObject({ servers: 8, next: null })
    expect(all.violations).toHaveLength(8)
    expect(all.violations[0]).toMatchObject({
      host: 'alpha',
      flavor: 'fast',
      reasons: [{ by: 'filter', filter: 'AggregateInstanceTypeFilter', key: 'ssd' }],
    })
    const disabled = { ...HOSTS[1], disabled: true }
    await apply({ hosts: [HOSTS[0], disabled], flavors: FLAVORS, aggregates: [SSD] })
    expect((await found('hosts/alpha')).violations).toEqual([])
  })

  test('count traits that the host lost, and servers without a stored request', async () => {
    const traited = { ...HOSTS[0], traits: ['HW_GPU_API_VULKAN'] }
    await apply({ hosts: [traited], flavors: FLAVORS })
    expect((await post('/v1/schedule', { flavor: 'gpu' })).status).toBe(200)
    const claim = { allocations: { [uuid(1)]: { resources: { VCPU: 1 } } }, project_id: 'p', user_id: 'u' }
    const body = { ...claim, consumer_generation: null, consumer_type: 'INSTANCE' }
    const stranger = await berth.ask('PUT', `/allocations/${uuid(99)}`, { body, minor: 38 })
    expect(stranger.status).toBe(204)
    await apply({ hosts: [{ ...HOSTS[0], traits: [] }], flavors: FLAVORS })
    const answer = await found('hosts/alpha')
    expect(answer).toMatchObject({ servers: 2, unknown: 1, next: null })
    expect(answer.violations).toMatchObject([
      { flavor: 'gpu', reasons: [{ by: 'placement', code: 'placement.trait-missing' }] },
    ])
  })

  test('come in pages without gaps', async () => {
    const both = { ...SSD, hosts: ['alpha', 'beta'] }
    await apply({ hosts: HOSTS, flavors: FLAVORS, aggregates: [both] })
    expect((await post('/v1/schedule', { flavor: 'fast', count: 7 })).status).toBe(200)
    await apply({ hosts: HOSTS, flavors: FLAVORS, aggregates: [{ ...both, metadata: {} }] })
    const seen: string[] = []
    let after: string | null = ''
    for (let pages = 0; after !== null; pages++) {
      expect(pages).toBeLessThan(5)
      const query: string = after === '' ? '' : `&after=${after}`
      const { json } = await get(`/v1/host-aggregates/ssd/violations?limit=3${query}`)
      seen.push(...json.violations.map(({ instance }: { instance: string }) => instance))
      after = json.next
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7])
    expect((await get('/v1/hosts/alpha/violations?after=x')).status).toBe(400)
  })
})

describe('work is sliced', () => {
  const HOST = { vcpus: 4, isDisabled: false, isDown: false, aggregates: [0] }
  const fields = (name: string) => ({
    flavorid: name,
    name,
    memory_mb: 512,
    vcpus: 1,
    root_gb: 0,
    ephemeral_gb: 0,
    swap: 0,
    rxtx_factor: 1,
    is_public: true,
    description: null,
  })
  function cloud() {
    const told = recordHosts({ hosts: Array(5).fill(HOST), metadata: [{}, {}, {}] })
    for (const name of ['a', 'b', 'c']) told.does(createFlavor(told.world, { fields: fields(name) }, 0))
    return told
  }
  /** A clock on which every step takes too long, so that each one yields. */
  function slowTurns(between: (turn: number) => void = () => undefined) {
    let [nowMs, turns] = [0, 0]
    const next = async () => between(++turns)
    return { turns: new Turns(next, () => (nowMs += 20)), count: () => turns }
  }

  test('others get a turn between two hosts and between two servers, and what changed then counts', async () => {
    const told = cloud()
    const { world } = told
    const hosts = listAllHosts(world)
    const place = { hosts: hosts.map(slot => world.providers.uuid(slot)), aggregate: null }
    const { turns, count } = slowTurns(turn => {
      if (turn === 5) told.does(setHost(world, { host: 'host-4', isDisabled: true }, 0))
      if (turn === 12) told.does(deleteFlavor(world, { flavor: 'c' }))
    })
    const asking = { world, setup: DEFAULT_SETUP, turns }
    const asker = { project: 'p', user: 'u' }
    const bodies = await judgeFlavors(asking, world.compute.flavors.all(), place, asker)
    expect(count()).toBeGreaterThanOrEqual(12)
    expect(bodies.map(({ name, fits, not_now }) => [name, fits, not_now])).toEqual([
      ['a', 4, 1],
      ['b', 4, 1],
    ])
    const again = slowTurns()
    await findViolations({ world, setup: DEFAULT_SETUP, turns: again.turns }, hosts, null, 10)
    expect(again.count()).toBe(hosts.length)
  })
})
