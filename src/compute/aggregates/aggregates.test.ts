import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuid } from '../../../test/running-berth.ts'
import { ComputeClient } from '../compute-client.fixture.ts'

let client: ComputeClient
let count = 0
beforeAll(async () => {
  client = await ComputeClient.start()
})
afterAll(() => client.berth.end())

async function made(more: object = {}): Promise<{ id: number; uuid: string; name: string }> {
  const body = { aggregate: { name: `aggregate-${++count}`, ...more } }
  const { status, json } = await client.post('/os-aggregates', body, 41)
  expect(status).toBe(200)
  return json.aggregate
}
async function host(): Promise<{ name: string; uuid: string }> {
  const one = { name: `host-${++count}`, uuid: uuid(count) }
  await client.provider(one.name, one.uuid)
  return one
}
const act = (id: number, body: unknown, minor: number | null = null) =>
  client.post(`/os-aggregates/${id}/action`, body, minor)
const join = (id: number, name: string) => act(id, { add_host: { host: name } })
const quit = (id: number, name: string) => act(id, { remove_host: { host: name } })
const setMetadata = (id: number, metadata: object) => act(id, { set_metadata: { metadata } })
const placementOf = async (provider: string) =>
  (await client.berth.ask('GET', `/resource_providers/${provider}/aggregates`, { minor: 19 })).json

describe('making', () => {
  test('answers without hosts and metadata; the uuid comes with 2.41', async () => {
    const body = (name: string) => ({ aggregate: { name, availability_zone: 'zone-1' } })
    const old = (await client.post('/os-aggregates', body('old'), 40)).json.aggregate
    expect(old).toEqual({
      id: expect.any(Number),
      name: 'old',
      availability_zone: 'zone-1',
      deleted: false,
      deleted_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}$/),
      updated_at: null,
    })
    const { uuid: its, id } = (await client.post('/os-aggregates', body('new'), 41)).json.aggregate
    expect(its).toMatch(/^[0-9a-f-]{36}$/)
    expect((await client.get(`/os-aggregates/${id}`, 41)).json.aggregate).toMatchObject({
      uuid: its,
      hosts: [],
      metadata: { availability_zone: 'zone-1' },
      availability_zone: 'zone-1',
    })
  })

  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['an empty zone', { name: 'x', availability_zone: '' }],
    ['a zone with a colon', { name: 'x', availability_zone: 'a:b' }],
    ['an unknown field', { name: 'x', pony: 1 }],
  ])('%s is refused', async (_, aggregate) => {
    expect((await client.post('/os-aggregates', { aggregate })).status).toBe(400)
  })

  test('a name that is taken is a conflict', async () => {
    const { name } = await made()
    expect((await client.post('/os-aggregates', { aggregate: { name } })).status).toBe(409)
  })
})

describe('one aggregate', () => {
  test('is known by its number', async () => {
    expect((await client.get('/os-aggregates/name')).status).toBe(400)
    expect((await client.get('/os-aggregates/9999')).status).toBe(404)
    const { id, name } = await made()
    const { json } = await client.get('/os-aggregates')
    expect(json.aggregates).toContainEqual(expect.objectContaining({ id, name, metadata: {}, hosts: [] }))
  })

  test('gets another name or zone', async () => {
    const { id } = await made()
    const put = (aggregate: object) => client.put(`/os-aggregates/${id}`, { aggregate })
    const name = `renamed-${id}`
    expect((await put({ name, availability_zone: 'z' })).json.aggregate).toMatchObject({
      name,
      availability_zone: 'z',
      metadata: { availability_zone: 'z' },
      updated_at: expect.any(String),
    })
    expect((await put({})).status).toBe(400)
    expect((await put({ availability_zone: null })).status).toBe(400)
    const other = await made()
    expect((await put({ name: other.name })).status).toBe(409)
  })

  test('is deleted when it is empty', async () => {
    const { id } = await made()
    const { name } = await host()
    await join(id, name)
    expect((await client.delete(`/os-aggregates/${id}`)).status).toBe(400)
    await quit(id, name)
    expect(await client.delete(`/os-aggregates/${id}`)).toMatchObject({ status: 200, text: '' })
    expect((await client.delete(`/os-aggregates/${id}`)).status).toBe(404)
  })

  test('metadata is merged, and null takes a key away', async () => {
    const { id } = await made()
    await setMetadata(id, { a: '1', b: '2' })
    const { json } = await setMetadata(id, { a: '3', b: null, c: null })
    expect(json.aggregate.metadata).toEqual({ a: '3' })
    for (const wrong of [
      { a: 1 },
      { a: true },
      { 'a/b': 'x' },
      { availability_zone: null },
      { availability_zone: '' },
    ])
      expect((await setMetadata(id, wrong)).status).toBe(400)
  })

  test('metadata that contradicts itself is taken, with a warning', async () => {
    const { id } = await made()
    const odd = await setMetadata(id, { force_metadata_check: 'true', tier: '<or> ! <or> ~' })
    expect(odd.status).toBe(200)
    expect(odd.headers.get('berth-warning')).toContain('tier')
    const unclear = await setMetadata(id, { force_metadata_check: 'maybe', tier: null })
    expect(unclear.headers.get('berth-warning')).toContain('force_metadata_check')
    const unforced = await setMetadata(id, { force_metadata_check: 'false', tier: '<or> ! <or> *' })
    expect(unforced.headers.get('berth-warning')).toContain('that is plain text now')
    await setMetadata(id, { tier: null })
    expect((await setMetadata(id, { force_metadata_check: 'false' })).headers.get('berth-warning')).toBeNull()
  })

  test.each([
    ['two actions', { add_host: { host: 'a' }, remove_host: { host: 'a' } }],
    ['none', {}],
    ['one that is not there', { sing: {} }],
    ['a host without a name', { add_host: {} }],
    ['a host with a blank in its name', { add_host: { host: 'a b' } }],
  ])('%s is refused', async (_, body) => {
    expect((await act((await made()).id, body)).status).toBe(400)
  })
})

describe('hosts', () => {
  test('join and leave, in Placement too', async () => {
    const { id, uuid: aggregate } = await made()
    const { name, uuid: provider } = await host()
    const { resource_provider_generation: before } = await placementOf(provider)
    const joined = await join(id, name)
    expect(joined).toMatchObject({ status: 200, json: { aggregate: { hosts: [name] } } })
    const inside = { aggregates: [aggregate], resource_provider_generation: before + 1 }
    expect(await placementOf(provider)).toEqual(inside)
    expect((await join(id, name)).status).toBe(409)
    expect((await quit(id, name)).json.aggregate.hosts).toEqual([])
    expect(await placementOf(provider)).toEqual({ aggregates: [], resource_provider_generation: before + 2 })
    expect((await quit(id, name)).status).toBe(404)
  })

  test('that were members in Placement before stay so when they leave', async () => {
    const { id, uuid: aggregate } = await made()
    const { name, uuid: provider } = await host()
    const { resource_provider_generation } = await placementOf(provider)
    const body = { aggregates: [aggregate], resource_provider_generation }
    await client.berth.ask('PUT', `/resource_providers/${provider}/aggregates`, { minor: 19, body })
    await join(id, name)
    await quit(id, name)
    expect((await placementOf(provider)).aggregates).toEqual([aggregate])
  })

  test('that were taken out by Placement, and put in again by it, are not taken out', async () => {
    const { id, uuid: aggregate } = await made()
    const { name, uuid: provider } = await host()
    await join(id, name)
    for (const aggregates of [[], [aggregate]]) {
      const { resource_provider_generation } = await placementOf(provider)
      const body = { aggregates, resource_provider_generation }
      await client.berth.ask('PUT', `/resource_providers/${provider}/aggregates`, { minor: 19, body })
    }
    expect((await quit(id, name)).status).toBe(200)
    expect((await placementOf(provider)).aggregates).toEqual([aggregate])
  })

  test('that are none, or gone, cannot join', async () => {
    const { id } = await made()
    expect((await join(id, 'nobody')).status).toBe(404)
    await client.provider('storage', uuid(900), 'DISK_GB')
    expect((await join(id, 'storage')).status).toBe(404)
    expect((await join(9999, (await host()).name)).status).toBe(404)
  })

  test('are in one zone only', async () => {
    const here = await made({ availability_zone: 'here' })
    const there = await made({ availability_zone: 'there' })
    const nowhere = await made()
    const { name } = await host()
    await join(here.id, name)
    expect((await join(there.id, name)).status).toBe(409)
    expect((await join(nowhere.id, name)).status).toBe(200)
    expect((await setMetadata(nowhere.id, { availability_zone: 'there' })).status).toBe(400)
    expect((await setMetadata(nowhere.id, { availability_zone: 'here' })).status).toBe(200)
  })

  test('do not change their zone with something on them', async () => {
    const { id } = await made({ availability_zone: 'before' })
    const one = await host()
    await join(id, one.name)
    await client.claim(uuid(7000 + count), one.uuid)
    expect((await setMetadata(id, { availability_zone: 'after' })).status).toBe(400)
    expect((await setMetadata(id, { availability_zone: 'before', x: 'y' })).status).toBe(200)
  })

  test('leave their aggregates when their provider is deleted', async () => {
    const { id } = await made()
    const { name, uuid: provider } = await host()
    await join(id, name)
    const gone = await client.berth.ask('DELETE', `/resource_providers/${provider}`, { minor: 19 })
    expect(gone.status).toBe(204)
    expect((await client.get(`/os-aggregates/${id}`)).json.aggregate.hosts).toEqual([])
  })

  test('twenty that join at once are all in, once', async () => {
    const { id } = await made()
    const hosts = []
    for (let at = 0; at < 5; at++) hosts.push((await host()).name)
    const answers = await Promise.all([...hosts, ...hosts, ...hosts, ...hosts].map(name => join(id, name)))
    expect(answers.filter(one => one.status === 200).length).toBe(5)
    expect(answers.filter(one => one.status === 409).length).toBe(15)
    expect((await client.get(`/os-aggregates/${id}`)).json.aggregate.hosts.sort()).toEqual(hosts.sort())
  })
})

test('images can be requested from 2.81 on; Berth caches none', async () => {
  const { id } = await made()
  const body = { cache: [{ id: uuid(1) }] }
  expect((await client.post(`/os-aggregates/${id}/images`, body, 80)).status).toBe(404)
  expect((await client.post(`/os-aggregates/${id}/images`, body, 81)).status).toBe(501)
})

test('aggregates are for admins', async () => {
  expect((await client.get('/os-aggregates', null, 'u:p:member')).status).toBe(403)
  const action = await client.post(
    '/os-aggregates/1/action',
    { set_metadata: { metadata: {} } },
    null,
    'u:p:member',
  )
  expect(action.status).toBe(403)
})
