import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TraitId } from '../../kernel/ids.ts'
import standardTraits from '../../placement/data/standard-traits.json' with { type: 'json' }
import { ComputeClient } from '../compute-client.fixture.ts'
import { findSpecFault } from './known-specs.ts'

const TRAITS = { id: (name: string) => (standardTraits.includes(name) ? (1 as TraitId) : undefined) }

let client: ComputeClient
beforeAll(async () => {
  client = await ComputeClient.start()
})
afterAll(() => client.berth.end())

const small = (more: object = {}) => ({ flavor: { name: 'small', ram: 512, vcpus: 1, disk: 1, ...more } })
let count = 0
/** A flavor of its own for a test. */
async function made(more: object = {}, minor: number | null = null): Promise<{ id: string; name: string }> {
  const name = `flavor-${++count}`
  const { status, json } = await client.post('/flavors', small({ name, id: `id-${count}`, ...more }), minor)
  expect(status).toBe(200)
  return json.flavor
}

describe('making', () => {
  test('tells all there is, without description and specs in the first version', async () => {
    const { status, json } = await client.post('/flavors', small({ id: 'first', swap: 0 }))
    expect(status).toBe(200)
    const { url } = client.berth.server
    expect(json.flavor).toEqual({
      id: 'first',
      name: 'small',
      ram: 512,
      disk: 1,
      vcpus: 1,
      swap: '',
      rxtx_factor: 1,
      'OS-FLV-EXT-DATA:ephemeral': 0,
      'OS-FLV-DISABLED:disabled': false,
      'os-flavor-access:is_public': true,
      links: [
        { rel: 'self', href: `${url}/compute/v2.1/flavors/first` },
        { rel: 'bookmark', href: `${url}/compute/flavors/first` },
      ],
    })
  })

  test('description comes with 2.55, specs with 2.61, swap is a number from 2.75', async () => {
    const at = async (minor: number) => {
      const body = small({ name: `v${minor}`, ...(minor >= 55 ? { description: 'd' } : {}) })
      return (await client.post('/flavors', body, minor)).json.flavor
    }
    expect(await at(54)).not.toHaveProperty('description')
    expect(await at(55)).toMatchObject({ description: 'd' })
    expect(await at(60)).not.toHaveProperty('extra_specs')
    expect(await at(61)).toMatchObject({ extra_specs: {}, swap: '' })
    expect(await at(75)).toMatchObject({ extra_specs: {}, swap: 0 })
  })

  test('an id is made if none is given; a number becomes text, and auto is an id like any other', async () => {
    const idOf = async (name: string, more: object) =>
      (await client.post('/flavors', small({ name, ...more }))).json.flavor.id
    expect(await idOf('none', {})).toMatch(/^[0-9a-f-]{36}$/)
    expect(await idOf('null', { id: null })).toMatch(/^[0-9a-f-]{36}$/)
    expect(await idOf('number', { id: 42 })).toBe('42')
    expect(await idOf('auto', { id: 'auto' })).toBe('auto')
  })

  test('digits may stand for numbers', async () => {
    const flavor = await made({ ram: '64', vcpus: '2', disk: '0', swap: '7', rxtx_factor: '1.5' })
    expect(flavor).toMatchObject({ ram: 64, vcpus: 2, disk: 0, swap: 7, rxtx_factor: 1.5 })
  })

  test.each([
    ['no name', { name: undefined }],
    ['a name of blanks', { name: '  ' }],
    ['a blank before the name', { name: ' a' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['no memory', { ram: 0 }],
    ['no processor', { vcpus: '0' }],
    ['less than no disk', { disk: -1 }],
    ['more than fits', { ram: 2_147_483_648 }],
    ['a broken number', { ram: 1.5 }],
    ['a wrong id', { id: 'a/b' }],
    ['a blank at the end of the id', { id: 'a ' }],
    ['an unknown field', { pony: 1 }],
    ['a description before its time', { description: 'd' }],
    ['an odd publicity', { 'os-flavor-access:is_public': 'perhaps' }],
    ['no factor', { rxtx_factor: 0 }],
  ])('%s is refused', async (_, more) => {
    const { status, json } = await client.post('/flavors', small({ name: 'refused', ...more }))
    expect(status).toBe(400)
    expect(json.badRequest.code).toBe(400)
  })

  test('a name or id that is taken is a conflict', async () => {
    const { id, name } = await made()
    expect((await client.post('/flavors', small({ name, id: 'another' }))).status).toBe(409)
    const { status, json } = await client.post('/flavors', small({ name: 'another', id }))
    expect(status).toBe(409)
    expect(json.conflictingRequest.message).toContain(id)
  })
})

describe('one flavor', () => {
  test('is changed from 2.55 on, and only its description', async () => {
    const { id } = await made()
    const body = { flavor: { description: 'new' } }
    expect((await client.put(`/flavors/${id}`, body, 54)).status).toBe(404)
    expect((await client.put(`/flavors/${id}`, body, 55)).json.flavor.description).toBe('new')
    expect((await client.put(`/flavors/${id}`, { flavor: { name: 'x', description: 'd' } }, 55)).status).toBe(
      400,
    )
    expect((await client.put('/flavors/nothing', body, 55)).status).toBe(404)
  })

  test('is gone with its specs and access once deleted', async () => {
    const { id } = await made({ 'os-flavor-access:is_public': false })
    await client.post(`/flavors/${id}/os-extra_specs`, { extra_specs: { a: 'b' } })
    await client.post(`/flavors/${id}/action`, { addTenantAccess: { tenant: 'p' } })
    expect(await client.delete(`/flavors/${id}`)).toMatchObject({ status: 202, text: '' })
    expect((await client.get(`/flavors/${id}`)).status).toBe(404)
    expect((await client.delete(`/flavors/${id}`)).status).toBe(404)
    expect(
      (await client.post('/flavors', small({ name: `again-${id}`, id }), 61)).json.flavor.extra_specs,
    ).toEqual({})
  })
})

describe('lists', () => {
  let alone: ComputeClient
  beforeAll(async () => {
    alone = await ComputeClient.start()
    for (const [id, ram, isPublic] of [
      ['c', 100, true],
      ['a', 300, true],
      ['b', 200, false],
    ] as const)
      await alone.post(
        '/flavors',
        small({ id, name: `n-${id}`, ram, 'os-flavor-access:is_public': isPublic }),
      )
    await alone.post('/flavors/b/action', { addTenantAccess: { tenant: 'friend' } })
  })
  afterAll(() => alone.berth.end())
  const ids = async (query: string, minor: number | null = null, token = 'admin') => {
    const { status, json } = await alone.get(`/flavors${query}`, minor, token)
    return status === 200 ? json.flavors.map((one: { id: string }) => one.id).join('') : status
  }

  test('are in the order of ids; admins see what is not public if they ask for it', async () => {
    expect(await ids('')).toBe('ac')
    expect(await ids('?is_public=None')).toBe('abc')
    expect(await ids('?is_public=false')).toBe('b')
    expect(await ids('?is_public=perhaps')).toBe(400)
  })

  test('show others what is public and what they have access to', async () => {
    expect(await ids('?is_public=None', null, 'u:friend:member')).toBe('abc')
    expect(await ids('?is_public=None', null, 'u:stranger:member')).toBe('ac')
    expect((await alone.get('/flavors/b', null, 'u:friend:member')).status).toBe(200)
    expect((await alone.get('/flavors/b', null, 'u:stranger:member')).status).toBe(404)
  })

  test('are filtered and sorted', async () => {
    expect(await ids('?minRam=200')).toBe('a')
    expect(await ids('?minDisk=2')).toBe('')
    expect(await ids('?minRam=x')).toBe(400)
    expect(await ids('?is_public=None&sort_key=memory_mb&sort_dir=desc')).toBe('abc')
    expect(await ids('?is_public=None&sort_key=memory_mb')).toBe('cba')
    expect(await ids('?sort_key=pony')).toBe(400)
    expect(await ids('?sort_dir=up')).toBe(400)
  })

  test('come in pages, each with the way to the next', async () => {
    const first = (await alone.get('/flavors/detail?limit=1&is_public=None')).json
    expect(first.flavors).toMatchObject([{ id: 'a', ram: 300 }])
    const [{ rel, href }] = first.flavors_links
    expect(rel).toBe('next')
    const path = href.split('/v2.1')[1]
    expect(await alone.get(path)).toMatchObject({ json: { flavors: [{ id: 'b' }] } })
    expect(await ids('?marker=c')).toBe('')
    expect(await ids('?marker=nothing')).toBe(400)
    expect(await ids('?limit=-1')).toBe(400)
    expect((await alone.get('/flavors')).json).not.toHaveProperty('flavors_links')
  })

  test('take unknown parameters until 2.74', async () => {
    expect(await ids('?pony=1', 74)).toBe('ac')
    expect(await ids('?pony=1', 75)).toBe(400)
  })
})

describe('extra specs', () => {
  test('are merged and echoed; numbers are kept as texts', async () => {
    const { id } = await made()
    const path = `/flavors/${id}/os-extra_specs`
    const sent = { extra_specs: { a: '1', b: 2 } }
    expect((await client.post(path, sent)).json).toEqual(sent)
    expect((await client.post(path, { extra_specs: { a: '3' } })).status).toBe(200)
    expect((await client.get(path)).json).toEqual({ extra_specs: { a: '3', b: '2' } })
    expect((await client.get(`/flavors/${id}`, 61)).json.flavor.extra_specs).toEqual({ a: '3', b: '2' })
    expect((await client.get(`${path}/a`)).json).toEqual({ a: '3' })
    expect((await client.get(`${path}/c`)).status).toBe(404)
  })

  test('one is set by the key of its address and no other, and deleted', async () => {
    const { id } = await made()
    const path = `/flavors/${id}/os-extra_specs`
    expect((await client.put(`${path}/a:b`, { 'a:b': 'x' })).json).toEqual({ 'a:b': 'x' })
    expect((await client.put(`${path}/a`, { b: 'x' })).status).toBe(400)
    expect((await client.put(`${path}/a`, { a: 'x', b: 'x' })).status).toBe(400)
    expect(await client.delete(`${path}/a:b`)).toMatchObject({ status: 200, text: '' })
    expect((await client.delete(`${path}/a:b`)).status).toBe(404)
  })

  test.each([
    ['null', { a: null }],
    ['yes or no', { a: true }],
    ['an object', { a: {} }],
    ['a text that is too long', { a: 'x'.repeat(256) }],
    ['a key with a slash', { 'a/b': 'x' }],
  ])('%s is refused', async (_, extra_specs) => {
    const { id } = await made()
    expect((await client.post(`/flavors/${id}/os-extra_specs`, { extra_specs })).status).toBe(400)
  })

  test('of a flavor that is not there are 404', async () => {
    expect((await client.get('/flavors/none/os-extra_specs')).status).toBe(404)
    expect((await client.post('/flavors/none/os-extra_specs', { extra_specs: {} })).status).toBe(404)
  })

  test('of known namespaces are checked from 2.86 on', async () => {
    const { id } = await made()
    const set = async (key: string, value: string, minor: number) =>
      (await client.post(`/flavors/${id}/os-extra_specs`, { extra_specs: { [key]: value } }, minor)).status
    expect(await set('hw:cpu_policy', 'sharrred', 85)).toBe(200)
    expect(await set('hw:cpu_policy', 'sharrred', 86)).toBe(400)
    expect(await set('hw:cpu_policy', 'shared', 86)).toBe(200)
    expect(await set('hw:cpu_polcy', 'shared', 86)).toBe(400)
    expect(await set('acme:tier', 'anything', 86)).toBe(200)
    expect(await set('aggregate_instance_extra_specs:x', '<or> * <or> ~', 86)).toBe(200)
  })

  test('that contradict themselves are taken, with a warning', async () => {
    const { id } = await made()
    const path = `/flavors/${id}/os-extra_specs`
    const odd = await client.post(path, { extra_specs: { tier: '<or> * <or> !' } })
    expect(odd.status).toBe(200)
    expect(odd.headers.get('berth-warning')).toContain('tier')
    const plain = await client.post(path, { extra_specs: { tier: 'gold' } })
    expect(plain.headers.get('berth-warning')).toBeNull()
    const one = await client.put(`${path}/tier`, { tier: '<or> ~ <or> gold <or> !' })
    expect(one.status).toBe(200)
    expect(one.headers.get('berth-warning')).toContain('"<or> ~ <or> gold <or> !"')
  })

  test.each([null, 85, 86, 93])(
    'that contradict themselves are never refused, whatever the key, in version %s',
    async minor => {
      const { id } = await made()
      const path = `/flavors/${id}/os-extra_specs`
      const keys = [
        'tier',
        'hw:cpu_policy',
        'trait:HW_CPU_X86_AVX2',
        'aggregate_instance_extra_specs:x',
        'hw:none',
      ]
      for (const key of keys) {
        const odd = await client.post(path, { extra_specs: { [key]: '<or> ! <or> *' } }, minor)
        expect(odd.status, key).toBe(200)
        expect(odd.headers.get('berth-warning'), key).toContain(key)
        expect((await client.put(`${path}/${key}`, { [key]: '<or> ~ <or> !' }, minor)).status, key).toBe(200)
      }
      expect((await client.get(path)).json.extra_specs['hw:cpu_policy']).toBe('<or> ~ <or> !')
    },
  )

  test('may have a key that every object inherits', async () => {
    const { id } = await made()
    const path = `/flavors/${id}/os-extra_specs`
    expect((await client.post(path, '{"extra_specs": {"__proto__": "1", "constructor": "2"}}')).status).toBe(
      200,
    )
    const { text } = await client.get(path)
    expect(text).toContain('"__proto__":"1"')
    expect(text).toContain('"constructor":"2"')
  })
})

test.each<[key: string, value: string, isRight: boolean]>([
  ['resources:VCPU', '2', true],
  ['resources1:CUSTOM_THING', 'x', false],
  ['resources:NO_CLASS', '2', false],
  ['trait:HW_CPU_X86_AVX', 'required', true],
  ['trait_GPU:CUSTOM_A', 'wanted', false],
  ['trait:GPUS', 'in:CUSTOM_A,CUSTOM_B', true],
  ['hw:numa_cpus.0', '0-3,^2', true],
  ['hw:numa_cpus.x', '0', false],
  ['hw:numa_mem.1', '0', false],
  ['hw:redirected_usb_ports', '16', false],
  ['quota:disk_read_iops_sec', '-1', false],
  ['quota:vif_outbound_peak', '10', true],
  ['capabilities:cpu_info:features', 'x', true],
  ['capabilities:vcpus:x', '1', false],
  ['group_policy', 'isolate', true],
  ['group_policy', 'none of it', false],
  ['hide_hypervisor_id', 'yes', true],
  ['constructor:x', 'y', true],
  ['hw:constructor', 'y', false],
  ['hw:pmem', '4GB,16GB,', true],
  ['hw:pmem', '4GB,,16GB', false],
  ['pci_passthrough:alias', 'gpu:1 , nic a:2', true],
  // Long ones that are wrong at their end only: an expression that backtracks never comes to it.
  ['hw:pmem', `${'a'.repeat(200)}!`, false],
  ['hw:cpu_dedicated_mask', `${'1,'.repeat(100)}!`, false],
  ['hw:cpu_realtime_mask', `${'1-1,'.repeat(60)}!`, false],
  ['pci_passthrough:alias', `a:1${', ,a:1'.repeat(50)}!`, false],
])('%s = %s is right: %s', (key, value, isRight) => {
  expect(findSpecFault(key, value, TRAITS) === null).toBe(isRight)
})

describe('access', () => {
  test('is listed for private flavors, and can be added and removed', async () => {
    const { id } = await made({ 'os-flavor-access:is_public': false })
    const act = (body: unknown) => client.post(`/flavors/${id}/action`, body)
    const entry = (tenant_id: string) => ({ flavor_id: id, tenant_id })
    expect((await act({ addTenantAccess: { tenant: 'p' } })).json).toEqual({ flavor_access: [entry('p')] })
    expect((await act({ addTenantAccess: { tenant: 'p' } })).status).toBe(409)
    await act({ addTenantAccess: { tenant: 'a' } })
    expect((await client.get(`/flavors/${id}/os-flavor-access`)).json.flavor_access).toEqual([
      entry('a'),
      entry('p'),
    ])
    expect((await act({ removeTenantAccess: { tenant: 'p' } })).json.flavor_access).toEqual([entry('a')])
    expect((await act({ removeTenantAccess: { tenant: 'p' } })).status).toBe(404)
    expect(
      (await act({ removeTenantAccess: { tenant: 'a' }, addTenantAccess: { tenant: 'b' } })).status,
    ).toBe(400)
    expect((await act({ sing: {} })).status).toBe(400)
    expect((await act({ addTenantAccess: {} })).status).toBe(400)
  })

  test('to a public one is no list, and a conflict from 2.7 on', async () => {
    const { id } = await made()
    expect((await client.get(`/flavors/${id}/os-flavor-access`)).status).toBe(404)
    const add = (minor: number) =>
      client.post(`/flavors/${id}/action`, { addTenantAccess: { tenant: 'p' } }, minor)
    expect((await add(7)).status).toBe(409)
    expect((await add(6)).status).toBe(200)
  })

  test('is changed by admins only', async () => {
    const { id } = await made({ 'os-flavor-access:is_public': false })
    const add = await client.post(
      `/flavors/${id}/action`,
      { addTenantAccess: { tenant: 'p' } },
      null,
      'u:p:member',
    )
    expect(add.status).toBe(403)
  })
})
