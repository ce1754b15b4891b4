import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { DECLARED } from '../../../test/three-hosts.ts'

let berth: Berth
const placed: string[] = []
beforeAll(async () => {
  berth = await Berth.start({ rbac: 'secure' })
  await berth.ask('POST', '/v1/apply?owner=test', { body: DECLARED })
  const group = await fetch(`${berth.server.url}/compute/v2.1/os-server-groups`, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
    body: JSON.stringify({ server_group: { name: 'apart', policies: ['anti-affinity'] } }),
  })
  const { server_group } = (await group.json()) as { server_group: { id: string } }
  const ask = { flavor: 'm1.half', count: 2, server_group: server_group.id }
  const { json } = await berth.ask('POST', '/v1/schedule', { body: ask })
  placed.push(...json.placed.map(({ instance }: { instance: string }) => instance))
})
afterAll(() => berth.end())

test('a server is shown with host, allocations, flavor and the others of its group', async () => {
  const [one, other] = placed as [string, string]
  const { status, json } = await berth.ask('GET', `/v1/consumers/${one}`)
  expect(status).toBe(200)
  expect(json).toMatchObject({
    uuid: one,
    is_server: true,
    flavor: 'm1.half',
    zone: null,
    share: null,
    hosts: [{ status: 'enabled', state: 'up' }],
    server_group: { name: 'apart', policy: 'anti-affinity', members: [{ uuid: other }], members_total: 1 },
  })
  expect(
    json.allocations.map((held: { class: string; used: number }) => [held.class, held.used]).sort(),
  ).toEqual([
    ['DISK_GB', 20],
    ['MEMORY_MB', 8192],
    ['VCPU', 4],
  ])
  expect(json.hosts[0].name).not.toBe(json.server_group.members[0].hosts[0])
})

test('the hints of its request are shown as ties', async () => {
  const [one] = placed as [string]
  const body = { flavor: 'm1.half', hints: { different_host: [one] }, instances: [uuid(950)] }
  expect((await berth.ask('POST', '/v1/schedule', { body })).status).toBe(200)
  expect((await berth.ask('GET', `/v1/consumers/${uuid(950)}`)).json).toMatchObject({
    same_host: [],
    different_host: [one],
  })
  expect((await berth.ask('DELETE', `/allocations/${uuid(950)}`)).status).toBe(204)
})

test('consumers are found by the beginning of their uuid, in any case', async () => {
  const [one] = placed as [string]
  for (const prefix of [one, one.slice(0, 13), one.slice(0, 13).toUpperCase()]) {
    const { json } = await berth.ask('GET', `/v1/consumers?prefix=${prefix}`)
    expect(json.consumers).toMatchObject([{ uuid: one, project_id: 'admin' }])
  }
  for (let nth = 0; nth < 3; nth++)
    await berth.ask('PUT', `/allocations/${uuid(900 + nth)}`, {
      minor: 28,
      body: {
        allocations: { [uuid(3)]: { resources: { VCPU: 1 } } },
        consumer_generation: null,
        project_id: 'p',
        user_id: 'u',
      },
    })
  const { json } = await berth.ask('GET', `/v1/consumers?prefix=${uuid(900).slice(0, 30)}&limit=2`)
  expect([json.consumers.length, json.truncated]).toEqual([2, true])
  expect((await berth.ask('GET', '/v1/consumers?prefix=ffffffff-ffff')).json).toEqual({
    consumers: [],
    truncated: false,
  })
})

test.each([
  [`/${uuid(77)}`, 404, 'consumers.missing'],
  ['?prefix=xyz', 400, 'request.invalid'],
  ['', 400, 'request.invalid'],
  ['?prefix=a&limit=101', 400, 'request.invalid'],
])('/v1/consumers%s is %i %s', async (path, status, code) => {
  const answer = await berth.ask('GET', `/v1/consumers${path}`)
  expect([answer.status, answer.json.code]).toEqual([status, code])
})

test('those who may not read the fleet may not read consumers', async () => {
  const { status } = await berth.ask('GET', `/v1/consumers/${placed[0]}`, {
    headers: { 'x-auth-token': 'joe:shop:reader' },
  })
  expect(status).toBe(403)
})
