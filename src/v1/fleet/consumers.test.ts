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
  const ask = { flavor: 'm1.half', names: ['web-1', 'Web-2'], server_group: server_group.id }
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
    name: 'web-1',
    is_server: true,
    flavor: 'm1.half',
    zone: null,
    share: null,
    reservation: null,
    hosts: [{ status: 'enabled', state: 'up' }],
    server_group: {
      name: 'apart',
      policy: 'anti-affinity',
      members: [{ uuid: other, name: 'Web-2' }],
      members_total: 1,
    },
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
    const { json } = await berth.ask('GET', `/v1/consumers?q=${prefix}`)
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
  const { json } = await berth.ask('GET', `/v1/consumers?q=${uuid(900).slice(0, 30)}&limit=2`)
  expect([json.consumers.length, json.truncated]).toEqual([2, true])
  expect((await berth.ask('GET', '/v1/consumers?q=ffffffff-ffff')).json).toEqual({
    consumers: [],
    truncated: false,
  })
})

test('servers are found by a part of their name, in any case, those that are called so first', async () => {
  const find = async (q: string) =>
    (await berth.ask('GET', `/v1/consumers?q=${q}`)).json.consumers.map(({ name }: { name: string }) => name)
  const body = { flavor: 'm1.half', instances: [uuid(951)], names: ['my-web'] }
  expect((await berth.ask('POST', '/v1/schedule', { body })).json.placed).toMatchObject([{ name: 'my-web' }])
  expect(await find('web-1')).toEqual(['web-1'])
  expect((await find('WEB')).at(-1)).toBe('my-web')
  expect((await find('WEB')).sort()).toEqual(['Web-2', 'my-web', 'web-1'])
  expect(await find('webs')).toEqual([])
  // It keeps its name when it moves, and loses it with its allocations.
  const moved = await berth.ask('POST', '/v1/move', { body: { instance: uuid(951), allow_same_host: true } })
  expect(moved.json.placed).toMatchObject([{ instance: uuid(951), name: 'my-web' }])
  const compute = await fetch(`${berth.server.url}/compute/v2.1/servers?name=y-we&all_tenants=1`, {
    headers: { 'x-auth-token': 'admin' },
  })
  expect(await compute.json()).toMatchObject({ servers: [{ id: uuid(951), name: 'my-web' }] })
  expect((await berth.ask('DELETE', `/allocations/${uuid(951)}`)).status).toBe(204)
  expect(await find('my-web')).toEqual([])
  // Its decisions still know it.
  const { decisions } = (await berth.ask('GET', '/v1/decisions?q=my-web')).json
  expect(decisions.map(({ asked }: { asked: { names: object } }) => asked.names)).toContainEqual({
    [uuid(951)]: 'my-web',
  })
})

test.each([
  [{ names: ['a', 'b'], count: 1 }, 'names: 2 are given for 1 server.'],
  [{ names: ['a', ' '] }, "names: ' ' is blank."],
  [{ names: [] }, 'names'],
  [{ names: ['x'.repeat(256)] }, 'names'],
])('names %j are refused', async (fields, text) => {
  const { status, json } = await berth.ask('POST', '/v1/schedule', { body: { flavor: 'm1.half', ...fields } })
  expect([status, json.code]).toEqual([400, 'request.invalid'])
  expect(json.detail).toContain(text)
})

test.each([
  [`/${uuid(77)}`, 404, 'consumers.missing'],
  [`?q=${'x'.repeat(256)}`, 400, 'request.invalid'],
  ['?q=', 400, 'request.invalid'],
  ['', 400, 'request.invalid'],
  ['?q=a&limit=101', 400, 'request.invalid'],
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
