import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ComputeClient } from '../compute-client.fixture.ts'

let client: ComputeClient
beforeAll(async () => {
  client = await ComputeClient.start()
})
afterAll(() => client.berth.end())

const make = (server_group: object, minor: number, token = 'u:p:member') =>
  client.post('/os-server-groups', { server_group }, minor, token)

test('a project has as many as the quota says, and others theirs', async () => {
  const group = { name: 'g', policies: ['affinity'] }
  const all = await Promise.all(Array.from({ length: 12 }, () => make(group, 1, 'u:crowded:member')))
  expect(all.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(all.find(({ status }) => status !== 200)).toMatchObject({
    status: 403,
    json: {
      forbidden: { message: 'Quota exceeded, too many server groups: project crowded may have 10.' },
    },
  })
  expect((await make(group, 1, 'u:few:member')).status).toBe(200)
})

describe('making', () => {
  test('has a list of policies and no owner at first', async () => {
    const { status, json } = await make({ name: 'g', policies: ['affinity'] }, 1)
    expect(status).toBe(200)
    expect(json.server_group).toEqual({
      id: expect.any(String),
      name: 'g',
      policies: ['affinity'],
      members: [],
      metadata: {},
    })
  })

  test('tells its owner from 2.13, and one policy with rules from 2.64', async () => {
    expect((await make({ name: 'g', policies: ['affinity'] }, 13)).json.server_group).toMatchObject({
      project_id: 'p',
      user_id: 'u',
    })
    const rules = { max_server_per_host: 3 }
    expect((await make({ name: 'g', policy: 'anti-affinity', rules }, 64)).json.server_group).toEqual({
      id: expect.any(String),
      name: 'g',
      policy: 'anti-affinity',
      rules,
      members: [],
      project_id: 'p',
      user_id: 'u',
    })
  })

  test.each<[string, object, number]>([
    ['a soft policy before 2.15', { name: 'g', policies: ['soft-affinity'] }, 14],
    ['two policies', { name: 'g', policies: ['affinity', 'anti-affinity'] }, 15],
    ['no policy', { name: 'g', policies: [] }, 15],
    ['a policy that is none', { name: 'g', policies: ['love'] }, 15],
    ['policies from 2.64 on', { name: 'g', policies: ['affinity'] }, 64],
    ['one policy before 2.64', { name: 'g', policy: 'affinity' }, 63],
    ['rules of another policy', { name: 'g', policy: 'affinity', rules: { max_server_per_host: 2 } }, 64],
    ['no server at all', { name: 'g', policy: 'anti-affinity', rules: { max_server_per_host: 0 } }, 64],
    ['no name', { policy: 'affinity' }, 64],
  ])('%s is refused', async (_, fields, minor) => {
    expect((await make(fields, minor)).status).toBe(400)
  })

  test('a soft policy is there from 2.15', async () => {
    expect((await make({ name: 'g', policies: ['soft-anti-affinity'] }, 15)).status).toBe(200)
  })
})

describe('seeing', () => {
  const ids = async (query: string, token: string, minor = 64) => {
    const { status, json } = await client.get(`/os-server-groups${query}`, minor, token)
    return status === 200 ? json.server_groups.map((one: { id: string }) => one.id) : status
  }

  test('projects see their own, and admins all if they ask', async () => {
    const mine = (await make({ name: 'mine', policy: 'affinity' }, 64, 'me:own:member')).json.server_group.id
    expect(await ids('', 'me:own:member')).toEqual([mine])
    expect(await ids('?all_projects=1', 'me:own:member')).toEqual([mine])
    expect(await ids('', 'x:empty:member')).toEqual([])
    expect(await ids('?all_projects=1', 'admin')).toContain(mine)
    const path = `/os-server-groups/${mine}`
    expect((await client.get(path, 64, 'me:own:member')).status).toBe(200)
    expect((await client.get(path, 64, 'x:empty:member')).status).toBe(404)
    expect((await client.get(path, 64)).status).toBe(200)
    expect((await client.ask('DELETE', `/v2.1${path}`, { token: 'x:empty:member' })).status).toBe(404)
    expect(await client.ask('DELETE', `/v2.1${path}`, { token: 'me:own:member' })).toMatchObject({
      status: 204,
    })
    expect((await client.get(path, 64)).status).toBe(404)
    expect((await client.delete(path)).status).toBe(404)
  })

  test('a part of the list, and unknown parameters until 2.74', async () => {
    const token = 'me:many:member'
    const made = []
    for (const name of ['a', 'b', 'c'])
      made.push((await make({ name, policy: 'affinity' }, 64, token)).json.server_group.id)
    expect(await ids('?limit=1&offset=1', token)).toEqual([made[1]])
    expect(await ids('?offset=x', token)).toBe(400)
    expect(await ids('?pony=1', token, 74)).toEqual(made)
    expect(await ids('?pony=1', token, 75)).toBe(400)
  })
})
