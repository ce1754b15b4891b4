/** What the real service gets wrong with hints, and this one must not. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ShareClient } from './share-client.fixture.ts'

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

test('thousands of shares can be named, as far as the size of a body goes', async () => {
  const id = await client.create()
  const share = { share_proto: 'NFS', size: 1, scheduler_hints: { same_host: Array(5_000).fill(id) } }
  expect((await client.ask('POST', '/shares', { body: { share } })).status).not.toBe(413)
  const metadata = { __affinity_same_host: Array(5_000).fill(id).join(',') }
  const other = await client.create()
  const set = await client.ask('POST', `/shares/${other}/metadata`, { body: { metadata } })
  expect(set.status).not.toBe(413)
})

test('a chain: each share names all that were accepted before it, while those are still being made', async () => {
  const slow = await ShareClient.start({
    host: 'farm',
    default_share_type: 'default',
    share_types: [{ name: 'default' }],
    backends: Array.from({ length: 6 }, (_, at) => ({
      name: `b${at}`,
      delay_s: 0.1,
      pools: [{ name: 'p', total_gb: 5 }],
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

test("only an admin can bind another project's public share", async () => {
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

const setHints = (id: string, metadata: object, minor = 72) =>
  client.ask('POST', `/shares/${id}/metadata`, { body: { metadata }, minor })
const GONE = '7d0b1f0e-5c35-4f0c-9f4c-3f3f8a2b9d11'

test('hints that an admin edits are checked: ids, of other shares that exist, each in one of the two', async () => {
  const [a, b] = [await client.placed(), await client.placed()]
  const bad: [object, number, string][] = [
    [{ __affinity_different_host: 'rubbish' }, 400, 'rubbish'],
    [{ __affinity_different_host: GONE }, 404, GONE],
    [{ __affinity_different_host: a.id }, 400, 'names itself'],
    [{ __affinity_same_host: `${b.id},${GONE}`, other: 'x' }, 404, GONE],
    [{ __affinity_same_host: b.id, __affinity_different_host: b.id }, 400, 'both scheduler hints'],
  ]
  for (const [metadata, status, text] of bad) {
    const answer = await setHints(a.id, metadata)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)])
  }
  for (const { id } of [a, b]) expect(await client.metadata(id)).toEqual({})
  expect((await setHints(a.id, { __affinity_same_host: b.id })).status).toBe(200)
  // From the other side it is the same pair.
  expect((await setHints(b.id, { __affinity_different_host: a.id })).status).toBe(400)
})

test('hints among the metadata of a new share are checked as well, and nothing is made', async () => {
  const a = await client.placed()
  const share = (metadata: object, more: object = {}) => ({
    body: { share: { share_proto: 'NFS', size: 1, metadata, ...more } },
  })
  expect((await client.ask('POST', '/shares', share({ __affinity_same_host: GONE }))).status).toBe(404)
  const both = share({ __affinity_same_host: a.id }, { scheduler_hints: { different_host: a.id } })
  expect((await client.ask('POST', '/shares', both)).status).toBe(400)
  expect(await client.metadata(a.id)).toEqual({})
})

test('before 2.67 an admin edits one side alone, unchecked, as in Manila', async () => {
  const a = await client.placed()
  const b = await client.placed({ scheduler_hints: { same_host: a.id } })
  expect((await setHints(b.id, { __affinity_same_host: GONE }, 65)).status).toBe(200)
  expect(await client.metadata(b.id)).toEqual({ __affinity_same_host: GONE })
  expect(await client.metadata(a.id)).toEqual({ __affinity_same_host: b.id })
})

describe('a share that failed and is nowhere', () => {
  const failed = async (fields: object) => {
    const id = await client.create(fields)
    expect(await client.settled(id)).toMatchObject({ status: 'error', host: '' })
    return id
  }
  const moves = async (id: string, host: string) => {
    await client.migrate(id, host, { new_share_type_id: await typeId('default') })
    return (await client.settled(id)).task_state
  }

  test('binds no other share: the named one can be moved, and explain says so', async () => {
    const a = await client.placed({ share_type: 'on-beta' })
    const hints = { same_host: a.id }
    const id = await failed({ share_type: 'on-gamma', scheduler_hints: hints })
    expect(await client.metadata(a.id)).toEqual({ __affinity_same_host: id })
    const targets = await client.berth.ask('GET', `/v1/explain/share/${a.id}/migration`)
    const refusals = targets.json.pools.flatMap((pool: { refusals: { filter: string }[] }) => pool.refusals)
    expect(refusals.map(({ filter }: { filter: string }) => filter)).not.toContain('AffinityFilter')
    expect(await moves(a.id, 'farm@gamma#c1')).toBe('migration_driver_phase1_done')
  })

  test('ties again once an admin says that it did not fail', async () => {
    const a = await client.placed({ share_type: 'on-beta' })
    const id = await failed({ share_type: 'on-gamma', scheduler_hints: { same_host: a.id } })
    const reset = { body: { reset_status: { status: 'available' } } }
    expect((await client.ask('POST', `/shares/${id}/action`, reset)).status).toBe(202)
    expect(await moves(a.id, 'farm@gamma#c1')).toBe('migration_error')
    expect((await client.messagesAbout(a.id))[0].user_message).toContain(id)
  })

  test('is not reset as long as its own hints contradict each other', async () => {
    const a = await client.placed()
    const id = await failed({ scheduler_hints: { same_host: a.id, different_host: a.id } })
    const reset = { body: { reset_status: { status: 'available' } } }
    const refused = await client.ask('POST', `/shares/${id}/action`, reset)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(a.id)])
    expect((await client.ask('DELETE', `/shares/${id}/metadata/__affinity_same_host`)).status).toBe(200)
    expect(await client.metadata(a.id)).toEqual({ __affinity_different_host: id })
    expect((await client.ask('POST', `/shares/${id}/action`, reset)).status).toBe(202)
  })
})

describe('a scheduler hint that nothing reads', () => {
  const create = (scheduler_hints: object, minor = 72) =>
    client.ask('POST', '/shares', {
      body: { share: { share_proto: 'NFS', size: 1, scheduler_hints } },
      minor,
    })

  test('is reported in a header and in a warning message, with the nearest known hint', async () => {
    const a = await client.placed()
    const { status, headers, json } = await create({ diferent_host: a.id })
    const text = expect.stringMatching(/scheduler hint diferent_host\. Did you mean different_host\?/)
    expect([status, headers.get('berth-warning')]).toEqual([200, text])
    expect(headers.get('berth-warning')).toMatch(/^hint\.unread: /)
    expect(await client.messagesAbout(json.share.id)).toMatchObject([
      { message_level: 'WARNING', user_message: text },
    ])
    expect((await client.settled(json.share.id)).status).toBe('available')
    const logged = client.berth.logLines.filter(line => line.includes('hint.unread'))
    expect(logged).toEqual([expect.stringContaining('diferent_host')])
  })

  test('includes what the version does not have yet, and never those that are read', async () => {
    const a = await client.placed()
    expect((await create({ same_host: a.id }, 64)).headers.get('berth-warning')).toContain('2.65')
    expect((await create({ only_host: 'farm@beta#b1' }, 66)).headers.get('berth-warning')).toContain('2.67')
    for (const hints of [{}, { same_host: a.id, different_host: [], only_host: 'farm@beta#b1' }])
      expect((await create(hints)).headers.get('berth-warning')).toBeNull()
  })

  test('is bounded, however many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`hint ${at} é`, 1]))
    const { status, headers, json } = await create(many)
    expect(status).toBe(200)
    expect(headers.get('berth-warning')).toContain('290 more hints were ignored.')
    expect(await client.messagesAbout(json.share.id)).toHaveLength(11)
  })
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

test.each([
  [46, 400, 'badRequest'],
  [65, 403, 'forbidden'],
])(
  'a member who writes a hint into the metadata of a new share at 2.%i hears what to do',
  async (minor, status, kind) => {
    const metadata = { __affinity_same_host: 'b0a6a5a6-2d4e-4d4e-8d4e-2d4e4d4e8d4e' }
    const share = { share_proto: 'NFS', size: 1, metadata }
    const answer = await client.ask('POST', '/shares', { body: { share }, token: 'alice:blue', minor })
    expect(answer.status).toBe(status)
    expect(answer.json[kind].message).toMatch(
      /__affinity_same_host is a scheduler hint.*scheduler hint same_host/,
    )
  },
)

test('only_host is for admins, and names one pool', async () => {
  const id = await client.create({ scheduler_hints: { only_host: 'farm@alpha#a2' } })
  expect((await client.settled(id)).host).toBe('farm@alpha#a2')
  const share = { share_proto: 'NFS', size: 1, scheduler_hints: { only_host: 'farm@alpha#a2' } }
  expect((await client.ask('POST', '/shares', { body: { share }, token: 'alice:blue' })).status).toBe(403)
  const nowhere = await client.create({ scheduler_hints: { only_host: 'farm@alpha#zz' } })
  expect(await client.settled(nowhere)).toMatchObject({ status: 'error' })
})

test('what an admin adds to the hints of a share binds the share that it names, from either side', async () => {
  const a = await client.placed({ share_type: 'on-beta' })
  const b = await client.placed({ share_type: 'on-gamma' })
  const metadata = { __affinity_different_host: b.id }
  expect((await client.ask('POST', `/shares/${a.id}/metadata`, { body: { metadata } })).status).toBe(200)
  expect(await client.metadata(b.id)).toEqual({ __affinity_different_host: a.id })
  for (const [id, host] of [
    [b.id, 'farm@beta#b1'],
    [a.id, 'farm@gamma#c1'],
  ] as const) {
    await client.migrate(id, host, { new_share_type_id: await typeId('default') })
    expect(await client.settled(id)).toMatchObject({ task_state: 'migration_error' })
    expect((await client.messagesAbout(id))[0].user_message).toContain('AntiAffinityFilter')
  }
})

test('what an admin takes from the hints of a share is gone from the other one too, and both are free', async () => {
  const a = await client.placed({ share_type: 'on-beta' })
  const b = await client.placed({ scheduler_hints: { same_host: a.id } })
  const c = await client.placed({ scheduler_hints: { same_host: [a.id, b.id] } })
  // `PUT` of all metadata leaves the hints that it does not name, and takes those that it does.
  const metadata = { __affinity_same_host: c.id }
  expect((await client.ask('PUT', `/shares/${a.id}/metadata`, { body: { metadata } })).status).toBe(200)
  expect(await client.metadata(b.id)).toEqual({ __affinity_same_host: c.id })
  expect((await client.ask('DELETE', `/shares/${c.id}/metadata/__affinity_same_host`)).status).toBe(200)
  for (const { id } of [a, b, c]) {
    expect(await client.metadata(id)).toEqual({})
    await client.migrate(id, 'farm@gamma#c1', { new_share_type_id: await typeId('default') })
    expect(await client.settled(id)).toMatchObject({ task_state: 'migration_driver_phase1_done' })
  }
})

const typeId = async (name: string): Promise<string> =>
  (await client.ask('GET', '/types')).json.share_types.find((type: { name: string }) => type.name === name).id

test('a move that never began is neither completed nor cancelled, in any task state', async () => {
  const a = await client.placed()
  const act = (body: object) => client.ask('POST', `/shares/${a.id}/action`, { body })
  for (const [state, action] of [
    ['migration_driver_phase1_done', 'migration_complete'],
    ['migration_starting', 'migration_cancel'],
  ] as const) {
    expect((await act({ reset_task_state: { task_state: state } })).status).toBe(202)
    expect((await act({ [action]: null })).status).toBe(400)
  }
  expect((await act({ reset_task_state: { task_state: null } })).status).toBe(202)
})

test('a running move blocks others, in any state that an admin sets', async () => {
  const { id } = await client.placed({ share_type: 'on-beta' })
  const act = async (body: object) => (await client.ask('POST', `/shares/${id}/action`, { body })).status
  await client.migrate(id, 'farm@gamma#c1', { new_share_type_id: await typeId('default') })
  expect(await client.settled(id)).toMatchObject({ task_state: 'migration_driver_phase1_done' })
  expect(await act({ reset_task_state: { task_state: null } })).toBe(202)
  expect(await act({ reset_status: { status: 'available' } })).toBe(202)
  expect((await client.migrate(id, 'farm@alpha#a1')).status).toBe(400)
  expect(await act({ extend: { new_size: 2 } })).toBe(400)
  expect(await act({ unmanage: null })).toBe(403)
  expect(await act({ reset_task_state: { task_state: 'migration_driver_phase1_done' } })).toBe(202)
  expect(await act({ migration_cancel: null })).toBe(202)
  for (let tries = 0; tries < 100 && (await client.show(id)).task_state !== 'migration_cancelled'; tries++)
    await sleep(20)
  await client.remove(id)
  await client.verify()
})

test('there are no snapshots of a share that goes, not even by force', async () => {
  const slow = await ShareClient.start({
    host: 'farm',
    default_share_type: 'default',
    share_types: [{ name: 'default', extra_specs: { snapshot_support: 'True' } }],
    backends: [{ name: 'b', delay_s: 0.3, pools: [{ name: 'p', total_gb: 5 }] }],
  })
  const share_id = await slow.create()
  const body = { snapshot: { share_id, force: true, name: 'late' } }
  expect((await slow.ask('POST', '/snapshots', { body })).status).toBeGreaterThanOrEqual(400)
  await slow.settled(share_id)
  expect((await slow.ask('DELETE', `/shares/${share_id}`)).status).toBe(202)
  expect((await slow.ask('POST', '/snapshots', { body })).status).toBeGreaterThanOrEqual(400)
  // An admin may say that it is there all the same: what is taken of it then goes with it.
  const reset = { reset_status: { status: 'available' } }
  expect((await slow.ask('POST', `/shares/${share_id}/action`, { body: reset })).status).toBe(202)
  expect((await slow.ask('POST', '/snapshots', { body })).status).toBe(202)
  for (let tries = 0; tries < 100 && (await slow.ask('GET', `/shares/${share_id}`)).status !== 404; tries++)
    await sleep(50)
  const listed = await slow.ask('GET', '/snapshots/detail')
  expect([listed.status, listed.json.snapshots]).toEqual([200, []])
  await slow.verify()
  await slow.berth.end()
})
