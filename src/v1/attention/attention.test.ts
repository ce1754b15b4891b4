import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { THREE_HOSTS } from '../../../test/three-hosts.ts'
import { ShareClient } from '../../shares/share-client.fixture.ts'
import { serverCertificate } from '../../store/postgres/certificates.fixture.ts'
import type { Attention as AttentionBody, AttentionFinding } from '../../wire/attention.ts'
import type { World } from '../../world/world.ts'
import { Attention } from './attention.ts'
import type { AttentionCheck, AttentionSources, CheckRun } from './check.ts'
import { certificateEnds } from './checks/ends-soon.ts'
import { followerLags } from './checks/follower-lags.ts'
import { ATTENTION_CHECKS } from './registry.ts'

const SMALL = { id: 'small', name: 'm1.small', vcpus: 1, ram: 512, disk: 1 }
const HUGE = { id: 'huge', name: 'm1.huge', vcpus: 64, ram: 512, disk: 1 }

let berth: Berth
afterEach(() => berth?.end())

async function read(headers: Record<string, string> = {}, query = ''): Promise<AttentionBody> {
  const { status, json } = await berth.ask('GET', `/v1/attention${query}`, { headers })
  expect(status).toBe(200)
  return json
}
const find = async (code: string): Promise<AttentionFinding | undefined> =>
  (await read()).findings.find(one => one.code === code)

describe('over HTTP', () => {
  beforeEach(async () => {
    berth = await Berth.start()
    const body = { hosts: THREE_HOSTS, flavors: [SMALL] }
    expect((await berth.ask('POST', '/v1/apply?owner=test', { body })).status).toBe(200)
  })

  const addFlavor = (...flavors: object[]) => berth.ask('POST', '/v1/apply?owner=more', { body: { flavors } })

  const claim = (consumer: string, provider: string, resources: object) =>
    berth.ask('PUT', `/allocations/${consumer}`, {
      minor: 28,
      body: {
        allocations: { [provider]: { resources } },
        consumer_generation: null,
        project_id: 'p',
        user_id: 'u',
      },
    })

  test('nothing to show is said, with every check that passed', async () => {
    expect(await read()).toMatchObject({
      worst: 'none',
      findings: [],
      passed: ATTENTION_CHECKS.map(({ code }) => code),
      not_allowed: [],
      failed: [],
    })
  })

  test('a flavor that fits on no host is named with the reason in three words', async () => {
    await addFlavor(HUGE)
    expect(await find('flavor.fits-nowhere')).toMatchObject({
      severity: 'warning',
      total: 1,
      command: 'berth explain schedule m1.huge',
      link: '/why?flavor=m1.huge',
      items: [{ name: 'm1.huge', text: 'VCPU too small', link: '/why?flavor=m1.huge' }],
    })
  })

  test('what is over capacity comes with the smallest consumer whose move mends it', async () => {
    for (const [nth, VCPU] of [
      [70, 1],
      [71, 2],
      [72, 4],
    ] as const)
      expect((await claim(uuid(nth), uuid(1), { VCPU })).status).toBe(204)
    const { json } = await berth.ask('GET', `/resource_providers/${uuid(1)}`)
    const shrunk = await berth.ask('PUT', `/resource_providers/${uuid(1)}/inventories/VCPU`, {
      body: { resource_provider_generation: json.generation, total: 5 },
    })
    expect(shrunk.status).toBe(200)
    expect(await find('provider.over-capacity')).toMatchObject({
      severity: 'critical',
      total: 1,
      command: `berth move ${uuid(71)}`,
      link: `/providers/${uuid(1)}`,
      items: [{ name: 'alpha', text: 'VCPU 7 of 5, 2 too many' }],
    })
  })

  test('hosts that are disabled or down are two findings', async () => {
    const set = (host: string, body: object) => berth.ask('PUT', `/v1/hosts/${host}`, { body })
    await set('alpha', { disabled_reason: 'new disks' })
    await set('beta', { forced_down: true })
    expect(await find('host.disabled')).toMatchObject({
      severity: 'note',
      command: 'berth host set alpha --enable',
      items: [{ name: 'alpha', text: '0 consumers on it: new disks' }],
    })
    expect(await find('host.down')).toMatchObject({
      severity: 'warning',
      command: 'berth host set beta --up',
    })
    expect((await read()).worst).toBe('warning')
  })

  test('a full sharing provider is shown with the hosts that depend on it', async () => {
    const pool = { resource_provider_generation: 0, inventories: { DISK_GB: { total: 100 } } }
    const [lender, aggregate] = [uuid(50), uuid(51)]
    await berth.ask('POST', '/resource_providers', { minor: 20, body: { name: 'nfs', uuid: lender } })
    await berth.ask('PUT', `/resource_providers/${lender}/inventories`, { body: pool })
    await berth.ask('PUT', `/resource_providers/${lender}/traits`, {
      minor: 6,
      body: { resource_provider_generation: 1, traits: ['MISC_SHARES_VIA_AGGREGATE'] },
    })
    const diskless = { name: 'delta', uuid: uuid(4), inventories: { VCPU: { total: 8 } } }
    await berth.ask('POST', '/v1/apply?owner=more', { body: { hosts: [diskless] } })
    for (const provider of [lender, uuid(1), uuid(4)]) {
      const { json } = await berth.ask('GET', `/resource_providers/${provider}`)
      const body = { resource_provider_generation: json.generation, aggregates: [aggregate] }
      expect(
        (await berth.ask('PUT', `/resource_providers/${provider}/aggregates`, { minor: 19, body })).status,
      ).toBe(200)
    }
    expect(await find('sharing.full')).toBeUndefined()
    await claim(uuid(73), lender, { DISK_GB: 97 })
    expect(await find('sharing.full')).toMatchObject({
      severity: 'critical',
      command: 'berth inventory list nfs',
      items: [{ name: 'nfs', text: '3 of 100 DISK_GB left; 1 host depends on it' }],
    })
  })

  test('refusals count by reason, and dry runs do not', async () => {
    await addFlavor(HUGE)
    const ask = { flavor: 'm1.huge' }
    expect((await berth.ask('POST', '/v1/schedule', { body: ask })).status).toBe(409)
    await berth.ask('POST', '/v1/schedule', { body: { ...ask, dry_run: true } })
    expect(await find('decision.refused')).toMatchObject({
      total: 1,
      text: '1 request was refused in the last hour',
      link: '/decisions?outcome=refused&hours=1',
      command: 'berth decision list --outcome refused --since 1h',
      items: [{ name: 'schedule: no host has room' }],
    })
  })

  test('a token that ends soon is critical two days before', async () => {
    const token = (name: string, days: number) => ({
      name,
      roles: ['reader'],
      token_sha256: name.repeat(64),
      expires_in_s: days * 86_400,
    })
    for (const [name, days] of [
      ['a', 30],
      ['b', 10],
    ] as const)
      expect((await berth.ask('POST', '/v1/tokens', { body: token(name, days) })).status).toBe(201)
    expect(await find('token.ends')).toMatchObject({
      severity: 'warning',
      total: 1,
      link: '/access/tokens',
      items: [{ name: 'b' }],
    })
    await berth.ask('POST', '/v1/tokens', { body: token('c', 1) })
    expect(await find('token.ends')).toMatchObject({ severity: 'critical', total: 2 })
  })

  test('as many items as asked for, of a total that counts all', async () => {
    await addFlavor(
      ...Array.from({ length: 9 }, (_, nth) => ({ ...HUGE, id: `h${nth}`, name: `huge-${nth}` })),
    )
    const few = (await read({}, '?items=2')).findings[0]
    expect([few?.total, few?.items.length]).toEqual([9, 2])
    expect((await read()).findings[0]?.items).toHaveLength(5)
    expect((await berth.ask('GET', '/v1/attention?items=101')).json).toMatchObject({
      code: 'request.invalid',
    })
  })

  test('the metrics say the same', async () => {
    await addFlavor(HUGE)
    await read()
    const text = await (await fetch(`${berth.server.url}/metrics`)).text()
    expect(text).toContain('berth_attention{code="flavor.fits-nowhere",severity="warning"} 1\n')
    expect(text).toContain('berth_attention{code="host.down",severity="warning"} 0\n')
    expect(text).toContain('berth_attention_checks_failed 0\n')
  })
})

test('a caller sees what it may read elsewhere, and hears what else there is', async () => {
  berth = await Berth.start({ rbac: 'secure' })
  const service = await read({ 'x-auth-token': 'nova:service:service' })
  expect(service.not_allowed).toContain('token.ends')
  expect(service.passed).toContain('provider.over-capacity')
  const reader = await berth.ask('GET', '/v1/attention', { headers: { 'x-auth-token': 'joe:shop:reader' } })
  expect(reader.status).toBe(403)
})

test('shares that should be together and are not', async () => {
  const client = await ShareClient.start()
  berth = client.berth
  const a = await client.placed({ share_type: 'on-beta' })
  const b = await client.placed({ share_type: 'on-alpha' })
  const ask = () => berth.ask('GET', '/v1/attention', { headers: { 'x-auth-token': 'admin:ops' } })
  expect((await ask()).json.passed).toContain('share-tie.broken')
  const tied = await client.ask('POST', `/shares/${b.id}/metadata`, {
    body: { metadata: { __affinity_same_host: a.id } },
  })
  expect(tied.status).toBe(200)
  const found = (await ask()).json.findings.find(({ code }: AttentionFinding) => code === 'share-tie.broken')
  // Both shares name each other, but the broken tie counts once.
  expect(found).toMatchObject({ severity: 'warning', total: 1 })
  expect(found.command).toMatch(/^berth explain share [0-9a-f-]{36}$/)
})

describe('the certificate', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'berth-attention-'))
  })
  afterEach(() => rm(directory, { recursive: true }))

  test('is a warning two weeks before its end, and critical two days before', async () => {
    const certificateFile = join(directory, 'cert.pem')
    await writeFile(certificateFile, serverCertificate)
    const check = (nowMs: number) => certificateEnds.find({ certificateFile, nowMs } as CheckRun)
    const [item] = (await check(Number.MAX_SAFE_INTEGER / 2))?.items ?? []
    const end = Date.parse(item?.text.replace('valid until ', '') ?? '')
    const DAY = 86_400_000
    expect(await check(end - 15 * DAY)).toBeNull()
    expect(await check(end - 10 * DAY)).toMatchObject({
      severity: 'warning',
      text: 'The certificate of this server ends in 10 days',
    })
    expect(await check(end - DAY / 2)).toMatchObject({ severity: 'critical' })
    expect(await check(end + 3 * DAY)).toMatchObject({
      text: 'The certificate of this server ended 3 days ago',
    })
  })
})

test('a server that does not hear of the database is critical', () => {
  const check = (follower: AttentionSources['follower']) => followerLags.find({ follower } as CheckRun)
  expect(check({ staleMs: 300, lastError: null })).toBeNull()
  expect(check({ staleMs: 8_000, lastError: null })).toMatchObject({
    text: 'This server lags: memory is 8 s behind the database',
  })
  expect(check({ staleMs: 0, lastError: 'no route' })).toMatchObject({
    text: 'The database cannot be read: no route',
  })
})

describe('runs', () => {
  const found = { total: 1, text: 't', link: null, command: 'c', items: [] }

  function makeAttention(checks: readonly Partial<AttentionCheck>[]) {
    const world = { revision: 1, lives: 0 }
    const clock = { ms: 0, nowMs: () => clock.ms }
    const whole = checks.map(one => ({ severity: 'note', operation: 'o', restMs: 0, ...one }))
    const failures: string[] = []
    const attention = new Attention(
      () => ({ world: world as World }) as AttentionSources,
      clock,
      code => failures.push(code),
      whole as AttentionCheck[],
    )
    return { attention, world, clock, failures }
  }

  test('a result is kept while the state stays, and for its rest whatever changes', async () => {
    const runs = { plain: 0, slow: 0, timed: 0 }
    const counting = (code: keyof typeof runs) => () => {
      runs[code]++
      return null
    }
    const { attention, world, clock } = makeAttention([
      { code: 'plain', find: counting('plain') },
      { code: 'slow', restMs: 1_000, find: counting('slow') },
      { code: 'timed', restMs: 1_000, readsMoreThanState: true, find: counting('timed') },
    ])
    await attention.refresh()
    await attention.refresh()
    expect(runs).toEqual({ plain: 1, slow: 1, timed: 1 })
    world.revision = 2
    await attention.refresh()
    expect(runs).toEqual({ plain: 2, slow: 1, timed: 1 })
    clock.ms = 1_000
    await attention.refresh()
    expect(runs).toEqual({ plain: 2, slow: 2, timed: 2 })
    clock.ms = 2_000
    await attention.refresh()
    expect(runs).toEqual({ plain: 2, slow: 2, timed: 3 })
  })

  test('those who ask during a run share the next, which sees what was written before', async () => {
    let runs = 0
    const gate = Promise.withResolvers<void>()
    const { attention, world } = makeAttention([
      {
        code: 'one',
        find: async () => {
          const nth = ++runs
          if (nth === 1) await gate.promise
          return { ...found, total: nth }
        },
      },
    ])
    const first = attention.answer(5, () => true)
    world.revision = 2
    const others = [attention.answer(5, () => true), attention.answer(5, () => true)]
    gate.resolve()
    expect((await first).findings[0]?.total).toBeLessThanOrEqual(2)
    for (const other of await Promise.all(others)) expect(other.findings[0]?.total).toBe(2)
    expect(runs).toBe(2)
  })

  test('a check that fails is told as unknown, and the others go on', async () => {
    const { attention, failures } = makeAttention([
      { code: 'broken', find: () => Promise.reject(new Error('no disk')) },
      { code: 'well', find: () => found },
    ])
    expect(await attention.answer(5, () => true)).toMatchObject({
      findings: [{ code: 'well' }],
      failed: [{ code: 'broken', text: 'no disk' }],
      passed: [],
    })
    expect(failures).toEqual(['broken'])
  })

  test('every check has a code of its own', () => {
    const codes = ATTENTION_CHECKS.map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
  })
})
