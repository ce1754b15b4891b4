import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { DECLARED } from '../../../test/three-hosts.ts'

let berth: Berth

beforeEach(async () => {
  berth = await Berth.start()
  const started = berth
  onTestFinished(() => started.end())
  const { status } = await berth.ask('POST', '/v1/apply?owner=test', { body: DECLARED })
  expect(status).toBe(200)
})

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const apply = async (body: object) => expect((await post('/v1/apply?owner=more', body)).status).toBe(200)
const change = (body: object) => post('/v1/hosts/change', body)
const host = async (name: string) => (await berth.ask('GET', `/v1/hosts/${name}`)).json
const ALL = ['alpha', 'beta', 'gamma']

describe('many hosts in one commit', () => {
  test('are disabled with a reason, and the answer says which were so already', async () => {
    await change({ hosts: ['beta'], disabled: true, disabled_reason: 'rack move' })
    const { status, json } = await change({ hosts: ALL, disabled: true, disabled_reason: 'rack move' })
    expect([status, json]).toEqual([
      200,
      { revision: expect.any(Number), changed: ['alpha', 'gamma'], unchanged: ['beta'] },
    ])
    for (const name of ALL)
      expect(await host(name)).toMatchObject({ status: 'disabled', disabled_reason: 'rack move' })
    const again = await change({ hosts: ALL, disabled: true, disabled_reason: 'rack move' })
    expect(again.json).toEqual({ revision: null, changed: [], unchanged: ALL })
  })

  test('that are disabled already keep their reason, unless one is given', async () => {
    await change({ hosts: ['beta'], disabled: true, disabled_reason: 'broken fan' })
    const { json: preview } = await post('/v1/hosts/preview', { hosts: ALL, drain: true })
    expect([preview.changed, preview.unchanged]).toEqual([['alpha', 'gamma'], ['beta']])
    const { json } = await change({ hosts: ALL, disabled: true })
    expect([json.changed, json.unchanged]).toEqual([['alpha', 'gamma'], ['beta']])
    expect((await host('beta')).disabled_reason).toBe('broken fan')
    await change({ hosts: ALL, disabled: true, disabled_reason: null })
    expect((await host('beta')).disabled_reason).toBeNull()
  })

  test('take an allocation ratio and an aggregate together', async () => {
    const { status, json } = await change({
      hosts: ALL,
      allocation_ratios: { VCPU: 4 },
      join: ['disks'],
      leave: ['rack-1'],
    })
    expect([status, json.changed]).toEqual([200, ALL])
    for (const name of ALL)
      expect(await host(name)).toMatchObject({ aggregates: ['disks'], cpu: { capacity: 32 } })
  })

  test('stay as they are when one refuses, which is named', async () => {
    await apply({ aggregates: [{ name: 'west', availability_zone: 'west' }] })
    const { status, json } = await change({ hosts: ['gamma', 'alpha'], disabled: true, join: ['west'] })
    expect([status, json.code, json.host]).toEqual([409, 'compute.zone-other', 'alpha'])
    expect(await host('gamma')).toMatchObject({ status: 'enabled', aggregates: [] })
  })

  test('refuse what is wrong, and change nothing', async () => {
    const wrong: readonly (readonly [object, number, string])[] = [
      [{ hosts: ALL }, 400, 'request.invalid'],
      [{ hosts: ['alpha', 'omega'], disabled: true }, 404, 'compute.host-missing'],
      [{ hosts: ALL, join: ['nowhere'] }, 404, 'compute.aggregate-missing'],
      [{ hosts: ALL, allocation_ratios: { PGPU: 2 } }, 409, 'compute.class-on-no-host'],
      [{ hosts: ALL, disabled: false, disabled_reason: 'x' }, 400, 'request.invalid'],
      [{ hosts: ALL, join: ['disks'], leave: ['disks'] }, 400, 'request.invalid'],
      [{ hosts: Array.from({ length: 1001 }, (_, at) => `h${at}`), disabled: true }, 400, 'request.invalid'],
    ]
    for (const [body, expected, code] of wrong) {
      const { status, json } = await change(body)
      expect([status, json.code]).toEqual([expected, code])
    }
    expect(await host('alpha')).toMatchObject({ status: 'enabled', aggregates: ['rack-1', 'disks'] })
  })

  test('are checked against the generations that the client saw', async () => {
    const { json: preview } = await post('/v1/hosts/preview', { hosts: ALL, allocation_ratios: { VCPU: 2 } })
    await change({ hosts: ['beta'], allocation_ratios: { VCPU: 3 } })
    const body = { hosts: ALL, allocation_ratios: { VCPU: 2 }, generations: preview.generations }
    const { status, json } = await change(body)
    expect([status, json.code, json.host]).toEqual([409, 'compute.host-generation', 'beta'])
    expect(await host('alpha')).toMatchObject({ cpu: { capacity: 8 } })
  })

  test('are not for members', async () => {
    const { status, json } = await berth.ask('POST', '/v1/hosts/change', {
      body: { hosts: ALL, disabled: true },
      headers: { 'x-auth-token': 'someone:member' },
    })
    expect([status, json.operation]).toEqual([403, 'berth:hosts:write'])
  })
})

describe('undoing a change of hosts', () => {
  test('restores settings, ratios and aggregates in one commit, and can be undone itself', async () => {
    await change({ hosts: ['beta'], disabled: true, disabled_reason: 'fan' })
    const { json: done } = await change({
      hosts: ALL,
      disabled: true,
      disabled_reason: 'rack move',
      allocation_ratios: { MEMORY_MB: 1.5 },
      join: ['disks'],
      leave: ['rack-1'],
    })
    const { status, json } = await post('/v1/hosts/undo', { revision: done.revision })
    expect([status, json.hosts]).toEqual([200, ALL])
    expect(await host('alpha')).toMatchObject({
      status: 'enabled',
      aggregates: ['rack-1', 'disks'],
      memory_mb: { capacity: 16_384 },
      zone: 'east',
    })
    expect(await host('beta')).toMatchObject({ status: 'disabled', disabled_reason: 'fan' })
    expect(await host('gamma')).toMatchObject({ status: 'enabled', aggregates: [] })
    const back = await post('/v1/hosts/undo', { revision: json.revision })
    expect(back.status).toBe(200)
    expect(await host('beta')).toMatchObject({
      disabled_reason: 'rack move',
      memory_mb: { capacity: 24_576 },
    })
  })

  test('goes to and fro for a host that Placement alone knew', async () => {
    await berth.ask('POST', '/resource_providers', { minor: 39, body: { name: 'bare', uuid: uuid(77) } })
    const inventories = { VCPU: { total: 8 } }
    const body = { resource_provider_generation: 0, inventories }
    await berth.ask('PUT', `/resource_providers/${uuid(77)}/inventories`, { minor: 39, body })
    let { json } = await change({ hosts: ['bare'], disabled: true, disabled_reason: 'fan' })
    for (const status of ['enabled', 'disabled', 'enabled']) {
      const undone = await post('/v1/hosts/undo', { revision: json.revision })
      expect(undone.status).toBe(200)
      expect(await host('bare')).toMatchObject({ status })
      json = undone.json
    }
  })

  test('is refused when something of it changed since, by name, and changes nothing', async () => {
    const { json: done } = await change({ hosts: ALL, disabled: true })
    await change({ hosts: ['gamma'], disabled: false })
    const { status, json } = await post('/v1/hosts/undo', { revision: done.revision })
    expect([status, json.code, json.host, json.what]).toEqual([
      409,
      'compute.host-changed-since',
      'gamma',
      'settings',
    ])
    expect(await host('alpha')).toMatchObject({ status: 'disabled' })
  })

  test('claims in between do not matter', async () => {
    const { json: done } = await change({ hosts: ALL, allocation_ratios: { VCPU: 2 } })
    expect((await post('/v1/schedule', { flavor: 'half' })).status).toBe(200)
    expect((await post('/v1/hosts/undo', { revision: done.revision })).status).toBe(200)
  })

  test('is refused for an inventory that a service reported', async () => {
    const { json } = await berth.ask('GET', '/resource_providers?name=alpha', { minor: 39 })
    const [{ uuid: alpha, generation }] = json.resource_providers
    const path = `/resource_providers/${alpha}/inventories`
    const { json: had } = await berth.ask('GET', path, { minor: 39 })
    const inventories = { ...had.inventories, VCPU: { ...had.inventories.VCPU, total: 64 } }
    const body = { resource_provider_generation: generation, inventories }
    expect((await berth.ask('PUT', path, { minor: 39, body })).status).toBe(200)
    const { json: audit } = await berth.ask('GET', '/v1/audit?limit=1')
    const undone = await post('/v1/hosts/undo', { revision: audit.entries[0].revision })
    expect([undone.status, undone.json.code]).toEqual([409, 'compute.change-not-undoable'])
  })

  test('is refused for other changes, and for revisions that do not exist', async () => {
    const created = await post('/v1/schedule', { flavor: 'half' })
    expect(created.status).toBe(200)
    const { json: audit } = await berth.ask('GET', '/v1/audit?limit=1')
    const { status, json } = await post('/v1/hosts/undo', { revision: audit.entries[0].revision })
    expect([status, json.code]).toEqual([409, 'compute.change-not-undoable'])
    const missing = await post('/v1/hosts/undo', { revision: 999_999 })
    expect([missing.status, missing.json.code]).toEqual([404, 'hosts.revision-missing'])
  })
})

describe('a preview', () => {
  test('counts what fits before and after, and changes nothing', async () => {
    const { status, json } = await post('/v1/hosts/preview', { hosts: ['gamma'], disabled: true })
    expect(status).toBe(200)
    const half = json.flavors.find((one: { id: string }) => one.id === 'half')
    expect(half).toEqual({ id: 'half', name: 'm1.half', before: 6, after: 4, exact: true })
    expect(json).toMatchObject({ changed: ['gamma'], servers: 0, drained: null, broken: [] })
    expect(await host('gamma')).toMatchObject({ status: 'enabled' })
  })

  test('says where servers would go, and which find no place', async () => {
    await post('/v1/schedule', { flavor: 'half', host: 'gamma', count: 2 })
    await post('/v1/schedule', { flavor: 'half', host: 'beta', count: 1 })
    const one = await post('/v1/hosts/preview', { hosts: ['gamma'], drain: true })
    expect(one.json).toMatchObject({ servers: 2, drained: { moved: 2, stuck: 0 } })
    const all = await post('/v1/hosts/preview', { hosts: ALL, drain: true })
    expect(all.json.drained).toMatchObject({ moved: 0, stuck: 3 })
    expect(all.json.drained.stuck_servers[0].reason).not.toBe('')
  })

  test('names inventories that would be over their capacity', async () => {
    await post('/v1/schedule', { flavor: 'half', host: 'gamma', count: 2 })
    const { json } = await post('/v1/hosts/preview', { hosts: ALL, allocation_ratios: { VCPU: 0.5 } })
    expect(json.over_capacity).toEqual([{ host: 'gamma', class: 'VCPU', used: 8, capacity: 4 }])
  })

  test('names servers that would break a rule of an aggregate', async () => {
    await apply({ aggregates: [{ name: 'fast', metadata: { disk: 'ssd' } }] })
    await change({ hosts: ['gamma'], join: ['fast'] })
    expect((await post('/v1/schedule', { flavor: 'fast' })).status).toBe(200)
    const { json } = await post('/v1/hosts/preview', { hosts: ['gamma'], leave: ['fast'] })
    expect(json).toMatchObject({ broken_count: 1, broken: [{ host: 'gamma', flavor: 'm1.fast' }] })
  })

  test('refuses what the change would refuse', async () => {
    const { status, json } = await post('/v1/hosts/preview', { hosts: ['omega'], disabled: true })
    expect([status, json.code]).toEqual([404, 'compute.host-missing'])
    const drain = await post('/v1/hosts/preview', { hosts: ALL, disabled: false, drain: true })
    expect([drain.status, drain.json.field]).toEqual([400, 'drain'])
  })
})
