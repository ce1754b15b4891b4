import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
})
afterEach(() => berth.end())

const apply = (body: unknown, query = '') => berth.ask('POST', `/v1/apply${query}`, { body })
const actions = async (body: unknown, query = '') => {
  const { status, json } = await apply(body, query)
  expect(status, JSON.stringify(json)).toBe(200)
  return json.plan.map(
    (one: { kind: string; name: string; action: string }) => `${one.action} ${one.kind} ${one.name}`,
  )
}
const compute = async (path: string) => {
  const headers = { 'x-auth-token': 'admin', 'openstack-api-version': 'compute 2.81' }
  const answer = await fetch(`${berth.server.url}/compute/v2.1${path}`, { headers })
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  return (await answer.json()) as any
}
const aggregates = async () =>
  Object.fromEntries(
    (await compute('/os-aggregates')).aggregates.map((one: { name: string }) => [one.name, one]),
  )
const revision = async () => (await berth.ask('GET', '/v1/fleet')).headers.get('berth-revision')

const host = (name: string, more: object = {}) => ({ name, inventories: { VCPU: { total: 8 } }, ...more })
const flavor = (name: string, more: object = {}) => ({ name, ram: 512, vcpus: 1, disk: 1, ...more })

const whole = {
  hosts: [host('a'), host('b', { traits: ['CUSTOM_X'], capabilities: { hypervisor_type: 'QEMU' } })],
  flavors: [
    flavor('small', { extra_specs: { tier: 'gold' } }),
    flavor('secret', { is_public: false, access: ['p'] }),
  ],
  aggregates: [{ name: 'rack', availability_zone: 'west', metadata: { ssd: 'true' }, hosts: ['a', 'b'] }],
}

describe('a file', () => {
  test('is planned, applied, and has nothing to do the second time', async () => {
    const before = await revision()
    const all = ['host a', 'host b', 'flavor small', 'flavor secret', 'aggregate rack']
    expect(await actions(whole, '?dry_run=true')).toEqual(all.map(one => `create ${one}`))
    expect(await revision()).toBe(before)
    expect(await actions(whole)).toEqual(all.map(one => `create ${one}`))
    expect(Number(await revision())).toBe(Number(before) + 1)
    const { rack } = await aggregates()
    expect(rack).toMatchObject({ hosts: ['a', 'b'], metadata: { availability_zone: 'west', ssd: 'true' } })
    const { flavors } = await compute('/flavors/detail?is_public=None')
    const byName = Object.fromEntries(flavors.map((one: { name: string }) => [one.name, one]))
    expect(byName).toMatchObject({
      small: { extra_specs: { tier: 'gold' } },
      secret: { 'os-flavor-access:is_public': false },
    })
    expect(await actions(whole)).toEqual(all.map(one => `unchanged ${one}`))
    expect(await revision()).toBe(String(Number(before) + 1))
  })

  test('changes what is otherwise, and says how', async () => {
    await apply(whole)
    const changed = {
      flavors: [flavor('small', { ram: 1024, extra_specs: { tier: 'silver', new: '1' } }), whole.flavors[1]],
    }
    const { json } = await apply(changed)
    expect(json.plan[0]).toEqual({
      kind: 'flavor',
      name: 'small',
      action: 'update',
      owned: true,
      differences: [
        { field: 'memory_mb', before: 512, after: 1024 },
        { field: 'extra_specs.tier', before: 'gold', after: 'silver' },
        { field: 'extra_specs.new', after: '1' },
      ],
    })
    const { flavors } = await compute('/flavors/detail')
    expect(flavors).toMatchObject([{ ram: 1024, extra_specs: { tier: 'silver', new: '1' } }])
  })

  test('drops what it made and no longer has, and nothing else', async () => {
    await berth.ask('POST', '/v1/hosts', { body: { name: 'own' } })
    await apply(whole)
    await apply({ flavors: [flavor('other')] }, '?owner=team-2')
    const less = { hosts: [whole.hosts[0]], flavors: [], aggregates: [] }
    expect(await actions(less)).toEqual([
      ...['unchanged host a', 'remove host b', 'remove aggregate rack'],
      ...['remove flavor small', 'remove flavor secret'],
    ])
    const { hosts } = (await berth.ask('GET', '/v1/hosts')).json
    expect(hosts.map((one: { name: string }) => one.name).sort()).toEqual(['a', 'own'])
    expect((await compute('/flavors')).flavors).toMatchObject([{ name: 'other' }])
    expect(await aggregates()).toEqual({})
  })

  test('leaves kinds alone that it does not have', async () => {
    await apply(whole)
    expect(await actions({})).toEqual([])
    expect(await actions({ aggregates: [] })).toEqual(['remove aggregate rack'])
  })

  test('changes what others made, and leaves it when it is dropped', async () => {
    await berth.ask('POST', '/v1/hosts', { body: { name: 'theirs' } })
    const declared = { hosts: [{ name: 'theirs', disabled_reason: 'broken' }] }
    const { json } = await apply(declared)
    expect(json.plan).toMatchObject([{ action: 'update', owned: false }])
    expect((await berth.ask('GET', '/v1/hosts/theirs')).json).toMatchObject({ status: 'disabled' })
    expect(await actions({ hosts: [] })).toEqual([])
    expect((await berth.ask('GET', '/v1/hosts/theirs')).status).toBe(200)
  })

  test('moves a host from one zone to another in one go', async () => {
    const at = (west: string[], east: string[]) => ({
      hosts: whole.hosts,
      aggregates: [
        { name: 'west', availability_zone: 'west', hosts: west },
        { name: 'east', availability_zone: 'east', hosts: east },
      ],
    })
    await apply(at(['a'], ['b']))
    expect(await actions(at(['b'], ['a']))).toContain('update aggregate west')
    expect(await aggregates()).toMatchObject({ west: { hosts: ['b'] }, east: { hosts: ['a'] } })
  })

  test('takes hosts and metadata out of an aggregate', async () => {
    await apply(whole)
    await apply({ aggregates: [{ name: 'rack', metadata: {}, hosts: [] }] })
    expect((await aggregates()).rack).toMatchObject({ hosts: [], metadata: { availability_zone: 'west' } })
  })

  test('is refused whole where one thing cannot be', async () => {
    const { status, json } = await apply({
      hosts: [host('c')],
      aggregates: [{ name: 'x', hosts: ['nobody'] }],
    })
    expect(status).toBe(409)
    expect(json).toMatchObject({
      code: 'apply.refused',
      kind: 'aggregate',
      name: 'x',
      reason: 'compute.host-missing',
      facts: { host: 'nobody' },
    })
    expect((await berth.ask('GET', '/v1/hosts/c')).status).toBe(404)
    await apply(whole)
    const a = (await berth.ask('GET', '/v1/hosts/a')).json.uuid
    const claim = { allocations: { [a]: { resources: { VCPU: 1 } } }, project_id: 'p', user_id: 'u' }
    await berth.ask('PUT', `/allocations/${uuid(1)}`, { minor: 12, body: claim })
    expect((await apply({ hosts: [] })).json).toMatchObject({
      kind: 'host',
      name: 'a',
      reason: 'compute.host-in-use',
    })
    expect((await berth.ask('GET', '/v1/hosts/b')).status).toBe(200)
  })

  test.each<[string, unknown]>([
    ['something twice', { hosts: [{ name: 'a' }, { name: 'a' }] }],
    ['an unknown kind', { ponies: [] }],
    ['a flavor without figures', { flavors: [{ name: 'x' }] }],
    ['a key that is none', { aggregates: [{ name: 'x', metadata: { 'a/b': 'c' } }] }],
    ['an id that is none', { flavors: [flavor('x', { id: 'a/b' })] }],
  ])('with %s is malformed', async (_, body) => {
    expect((await apply(body)).status).toBe(400)
  })

  test('whose sentinels contradict themselves is applied, with warnings', async () => {
    const { json } = await apply({
      flavors: [flavor('odd', { extra_specs: { tier: '<or> * <or> !' } })],
      aggregates: [{ name: 'odd', metadata: { force_metadata_check: 'true', tier: '<or> ! <or> ~' } }],
    })
    expect(json.warnings).toEqual([
      'flavor odd: the flavor has tier = "<or> * <or> !": ! excludes * and ~, so that it matches nothing.',
      'aggregate odd has tier = "<or> ! <or> ~": ! excludes * and ~, so that it matches nothing.',
    ])
    const unforced = await apply({ aggregates: [{ name: 'odd', metadata: { tier: '!,*' } }] })
    expect(unforced.status).toBe(200)
    expect(unforced.json.warnings).toEqual([
      'aggregate odd has tier = "!,*": that is plain text now, and matches nothing once the aggregate has force_metadata_check, because ! excludes * and ~.',
    ])
  })

  test('is for admins', async () => {
    const headers = { 'x-auth-token': 'u:p:service' }
    expect((await berth.ask('POST', '/v1/apply', { body: {}, headers })).status).toBe(403)
  })
})

test('flavors and aggregates are held against the catalog', async () => {
  await apply(whole)
  const { json } = await berth.ask('GET', '/v1/catalog/drift')
  expect(json.checked).toMatchObject({ flavor: 2, aggregate: 1 })
  expect(json.findings).toContainEqual(
    expect.objectContaining({ kind: 'flavor', name: 'small', key: 'tier' }),
  )
})
