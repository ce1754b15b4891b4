/** The stories of the affinity specification, by its own words. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ShareClient } from './share-client.fixture.ts'

let client: ShareClient
beforeAll(async () => {
  client = await ShareClient.start()
})
afterAll(() => client.berth.end())

test('AffinityFilter: a share B with the hint same_host = A is on the same back end as A', async () => {
  const a = await client.placed({ share_type: 'on-beta' })
  const b = await client.placed({ scheduler_hints: { same_host: [a.id] } })
  expect(b.backend).toBe(a.backend)
})

test('AntiAffinityFilter: a share C with the hint different_host = A is on another back end than A', async () => {
  const a = await client.placed({ share_type: 'on-alpha' })
  const c = await client.placed({ scheduler_hints: { different_host: [a.id] } })
  expect(c.backend).not.toBe(a.backend)
})

test('the four steps: a fourth share away from three has them as its hint, and each of the three has it', async () => {
  const three = await Promise.all(
    ['on-beta', 'on-beta', 'on-gamma'].map(share_type => client.create({ share_type })),
  )
  const fourth = await client.create({ scheduler_hints: { different_host: three } })
  expect(await client.metadata(fourth)).toEqual({ __affinity_different_host: three.join(',') })
  for (const id of three) expect(await client.metadata(id)).toEqual({ __affinity_different_host: fourth })
  expect((await client.settled(fourth)).host).toMatch(/^farm@alpha#/)
  await client.remove(fourth)
  for (const id of three) expect(await client.metadata(id)).toEqual({})
})

test('the metadata is only for admins to modify', async () => {
  const token = 'alice:blue'
  const a = await client.placed({}, token)
  const b = await client.placed({ scheduler_hints: { same_host: [a.id] } }, token)
  const path = `/shares/${b.id}/metadata`
  const body = { metadata: { __affinity_same_host: b.id } }
  expect((await client.ask('POST', path, { body, token })).status).toBe(403)
  expect((await client.ask('DELETE', `${path}/__affinity_same_host`, { token })).status).toBe(403)
  expect((await client.ask('DELETE', `${path}/__affinity_same_host`)).status).toBe(200)
  expect(await client.metadata(b.id)).toEqual({})
})

describe('the REST example: beside share 3, provided that shares 1 and 2 are not there', () => {
  test('they are not: it is beside share 3', async () => {
    const [one, two, three] = await Promise.all(
      ['on-alpha', 'on-beta', 'on-gamma'].map(share_type => client.placed({ share_type })),
    )
    const hints = { different_host: [one?.id, two?.id], same_host: [three?.id] }
    expect((await client.placed({ scheduler_hints: hints })).backend).toBe('farm@gamma')
  })

  test('one of them is: the share fails, holds nothing, and its owner gets a message', async () => {
    const [one, three] = [
      await client.placed({ share_type: 'on-gamma' }),
      await client.placed({ share_type: 'on-gamma' }),
    ]
    const id = await client.create({ scheduler_hints: { different_host: [one.id], same_host: [three.id] } })
    expect(await client.settled(id)).toMatchObject({ status: 'error', host: '' })
    const [message] = await client.messagesAbout(id)
    expect(message.user_message).toContain('AntiAffinityFilter')
    expect(message.user_message).toContain(one.id)
  })
})

test.each([
  ['malformed', 'share_uuid_1', 400],
  ['of no share', '7d0b1f0e-5c35-4f0c-9f4c-3f3f8a2b9d11', 404],
])('a uuid that is %s fails the creation, and nothing is left of it', async (_what, uuid, status) => {
  const a = await client.placed()
  const count = async () => (await client.ask('GET', '/shares?with_count=true')).json.count
  const before = await count()
  const share = { share_proto: 'NFS', size: 1, scheduler_hints: { same_host: [a.id, uuid] } }
  const answer = await client.ask('POST', '/shares', { body: { share } })
  expect(answer.status).toBe(status)
  expect(answer.text).toContain(uuid)
  expect(await count()).toBe(before)
  expect(await client.metadata(a.id)).toEqual({})
})

test('affinity with two shares on two hosts fails, and the message names the filter and a share', async () => {
  const [a, b] = [
    await client.placed({ share_type: 'on-beta' }),
    await client.placed({ share_type: 'on-gamma' }),
  ]
  const id = await client.create({ scheduler_hints: { same_host: [a.id, b.id] } })
  expect(await client.settled(id)).toMatchObject({ status: 'error', host: '' })
  const [message] = await client.messagesAbout(id)
  expect(message).toMatchObject({ action_id: '001', resource_type: 'SHARE', message_level: 'ERROR' })
  expect(message.user_message).toMatch(/^AffinityFilter: /)
  expect([a.id, b.id].some(one => message.user_message.includes(one))).toBe(true)
  await client.verify()
})

test('two hosts only, both excluded: the third share fails', async () => {
  const two = await ShareClient.start({
    host: 'farm',
    default_share_type: 'default',
    share_types: [{ name: 'default' }],
    backends: ['one', 'two'].map(name => ({ name, pools: [{ name: 'p', total_gb: 10 }] })),
  })
  const first = await two.placed()
  const second = await two.placed({ scheduler_hints: { different_host: [first.id] } })
  const id = await two.create({ scheduler_hints: { different_host: [first.id, second.id] } })
  expect(await two.settled(id)).toMatchObject({ status: 'error', host: '' })
  await two.verify()
  await two.berth.end()
})

describe('hints are respected when a share is moved', () => {
  test('a move that would break them ends in migration_error, with a message; force overrides, and is written down', async () => {
    const a = await client.placed({ share_type: 'on-beta' })
    const b = await client.placed({ scheduler_hints: { same_host: [a.id] } })
    expect((await client.migrate(b.id, 'farm@gamma#c1')).status).toBe(202)
    expect(await client.settled(b.id)).toMatchObject({ status: 'available', task_state: 'migration_error' })
    expect((await client.messagesAbout(b.id))[0].user_message).toContain(a.id)
    expect((await client.migrate(b.id, 'farm@gamma#c1', { force: true })).status).toBe(202)
    expect(await client.settled(b.id)).toMatchObject({ task_state: 'migration_driver_phase1_done' })
    const complete = { body: { migration_complete: null } }
    expect((await client.ask('POST', `/shares/${b.id}/action`, complete)).status).toBe(202)
    expect(await client.settled(b.id)).toMatchObject({
      host: 'farm@gamma#c1',
      task_state: 'migration_success',
    })
    await client.verify()
  })

  test('the share that is named is bound as well', async () => {
    const a = await client.placed({ share_type: 'default', scheduler_hints: {} })
    await client.placed({ scheduler_hints: { same_host: [a.id] } })
    const elsewhere = a.backend === 'farm@gamma' ? 'farm@beta#b1' : 'farm@gamma#c1'
    expect((await client.migrate(a.id, elsewhere)).status).toBe(202)
    expect(await client.settled(a.id)).toMatchObject({ status: 'available', task_state: 'migration_error' })
  })

  test('who came while a share was on its way keeps it from arriving', async () => {
    const a = await client.placed({ share_type: 'on-alpha' })
    const b = await client.placed({ share_type: 'default', scheduler_hints: { different_host: [a.id] } })
    const target = b.backend === 'farm@gamma' ? 'farm@beta#b1' : 'farm@gamma#c1'
    await client.migrate(b.id, target)
    expect(await client.settled(b.id)).toMatchObject({ task_state: 'migration_driver_phase1_done' })
    const late = await client.placed({ scheduler_hints: { same_host: [b.id] } })
    expect(late.backend).toBe(b.backend)
    await client.ask('POST', `/shares/${b.id}/action`, { body: { migration_complete: null } })
    const share = await client.settled(b.id)
    expect(share).toMatchObject({ status: 'available', task_state: 'migration_error' })
    expect(share.host.split('#')[0]).toBe(b.backend)
    await client.verify()
  })
})
