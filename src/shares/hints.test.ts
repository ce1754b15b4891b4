/** What the real service gets wrong with hints, and this one must not. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ShareClient } from './share-client.model.ts'

let client: ShareClient
beforeAll(async () => {
  client = await ShareClient.start()
  const quota_set = { shares: -1, gigabytes: -1 }
  expect((await client.ask('PUT', '/quota-sets/ops', { body: { quota_set } })).status).toBe(200)
})
afterAll(() => client.berth.end())

test('twelve creations at once that name one share leave all twelve mirrors', async () => {
  const a = await client.create()
  const ids = await Promise.all(
    Array.from({ length: 12 }, () => client.create({ scheduler_hints: { same_host: a } })),
  )
  const mirrored = (await client.metadata(a)).__affinity_same_host ?? ''
  expect(mirrored.split(',').sort()).toEqual(ids.sort())
  await Promise.all(ids.map(id => client.settled(id)))
  await Promise.all(ids.map(id => client.remove(id)))
  expect(await client.metadata(a)).toEqual({})
})

test('ninety shares can be named at once, and all of them are', async () => {
  const ids = await Promise.all(Array.from({ length: 90 }, () => client.create({ share_type: 'on-beta' })))
  const id = await client.create({ scheduler_hints: { same_host: ids } })
  expect((await client.metadata(id)).__affinity_same_host).toBe(ids.join(','))
  expect((await client.settled(id)).host).toBe('farm@beta#b1')
})

test('a chain: each share names all that were accepted before it, while those are still being made', async () => {
  const slow = await ShareClient.start({
    host: 'farm',
    default_share_type: 'default',
    share_types: [{ name: 'default' }],
    backends: Array.from({ length: 6 }, (_, at) => ({
      ...{ name: `b${at}`, delay_s: 0.1, pools: [{ name: 'p', total_gb: 5 }] },
    })),
  })
  const chain: string[] = []
  for (let at = 0; at < 6; at++)
    chain.push(await slow.create({ scheduler_hints: chain.length === 0 ? {} : { different_host: chain } }))
  const shares = await Promise.all(chain.map(id => slow.settled(id)))
  expect(new Set(shares.map(share => share.host)).size).toBe(6)
  expect(shares.every(share => share.status === 'available')).toBe(true)
  const seventh = await slow.create({ scheduler_hints: { different_host: chain } })
  expect(await slow.settled(seventh)).toMatchObject({ status: 'error', host: '' })
  await slow.verify()
  await slow.berth.end()
})

test("nobody but an admin ties down another project's public share", async () => {
  const shown = await client.create({ is_public: true })
  await client.settled(shown)
  const share = { share_proto: 'NFS', size: 1, scheduler_hints: { different_host: shown } }
  expect((await client.ask('POST', '/shares', { body: { share }, token: 'bob:red' })).status).toBe(404)
  expect(await client.metadata(shown)).toEqual({})
})

test('blanks around ids are dropped, and an id is kept once', async () => {
  const a = await client.create()
  const id = await client.create({ scheduler_hints: { same_host: ` ${a} , ${a.toUpperCase()}` } })
  expect(await client.metadata(id)).toEqual({ __affinity_same_host: a })
})

test('what an admin writes under the key of a hint must be ids, of shares that need not be there any more', async () => {
  const a = await client.placed()
  const path = `/shares/${a.id}/metadata`
  const set = (value: string) =>
    client.ask('POST', path, { body: { metadata: { __affinity_different_host: value } } })
  expect((await set('rubbish')).status).toBe(400)
  expect((await set('7d0b1f0e-5c35-4f0c-9f4c-3f3f8a2b9d11')).status).toBe(200)
  const target = a.backend === 'farm@gamma' ? 'farm@beta#b1' : 'farm@gamma#c1'
  await client.migrate(a.id, target)
  expect(await client.settled(a.id)).toMatchObject({ task_state: 'migration_driver_phase1_done' })
})

test('soft deletion keeps the hints, deletion for good and unmanaging clear them on both sides', async () => {
  const a = await client.placed()
  const b = await client.placed({ scheduler_hints: { same_host: a.id } })
  const act = (body: object) => client.ask('POST', `/shares/${b.id}/action`, { body })
  expect((await act({ soft_delete: null })).status).toBe(202)
  expect(await client.metadata(a.id)).toEqual({ __affinity_same_host: b.id })
  expect((await client.ask('GET', '/shares?is_soft_deleted=true')).json.shares).toMatchObject([{ id: b.id }])
  expect((await act({ restore: null })).status).toBe(202)
  expect((await act({ unmanage: null })).status).toBe(202)
  expect(await client.settled(b.id)).toBeNull()
  expect(await client.metadata(a.id)).toEqual({})
  await client.verify()
})

test('only_host is for admins, and names one pool', async () => {
  const id = await client.create({ scheduler_hints: { only_host: 'farm@alpha#a2' } })
  expect((await client.settled(id)).host).toBe('farm@alpha#a2')
  const share = { share_proto: 'NFS', size: 1, scheduler_hints: { only_host: 'farm@alpha#a2' } }
  expect((await client.ask('POST', '/shares', { body: { share }, token: 'alice:blue' })).status).toBe(403)
  const nowhere = await client.create({ scheduler_hints: { only_host: 'farm@alpha#zz' } })
  expect(await client.settled(nowhere)).toMatchObject({ status: 'error' })
})
