import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
const VCPU = (total: number) => ({ VCPU: { total }, MEMORY_MB: { total: 65_536 } })

beforeEach(async () => {
  berth = await Berth.start()
  onTestFinished(() => berth.end())
  const body = {
    hosts: [
      { name: 'alpha', inventories: VCPU(4) },
      { name: 'beta', inventories: VCPU(4) },
      { name: 'gamma', inventories: VCPU(4) },
    ],
    aggregates: [
      { name: 'pool', hosts: ['alpha', 'beta', 'gamma'] },
      { name: 'switch-1', metadata: { rack: 'r1' }, hosts: ['alpha', 'beta'] },
    ],
  }
  expect((await berth.ask('POST', '/v1/apply?owner=test', { body })).status).toBe(200)
})

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const place = async (nth: number, host: string, vcpus: number, more: object = {}) => {
  const groups = { '': { resources: { VCPU: vcpus, MEMORY_MB: 1_024 } } }
  const { status } = await post('/v1/schedule', { groups, host, instances: [uuid(nth)], ...more })
  expect(status).toBe(200)
}
const fail = async (body: object) => (await post('/v1/simulate/failure', body)).json

describe('whether servers find a place if hosts fail', () => {
  test('yes, one after the other where the earlier ones left room, and nothing is written', async () => {
    await place(1, 'alpha', 2)
    await place(2, 'alpha', 2)
    await place(3, 'beta', 2)
    await place(4, 'gamma', 2)
    const before = (await berth.ask('GET', `/v1/consumers/${uuid(1)}`)).json
    const json = await fail({ hosts: ['alpha'] })
    expect(json).toMatchObject({ survives: 'yes', cases: 1, failing: [], worst: { servers: 2, stuck: 0 } })
    expect(json.worst.moves.map(({ to }: { to: string }) => to).sort()).toEqual(['beta', 'gamma'])
    expect((await berth.ask('GET', `/v1/consumers/${uuid(1)}`)).json).toEqual(before)
  })

  test('no, with the reason, where all of them at once have too little room', async () => {
    await place(1, 'alpha', 2)
    await place(2, 'alpha', 2)
    await place(3, 'beta', 2)
    await place(4, 'gamma', 4)
    const json = await fail({ hosts: ['alpha'] })
    expect(json).toMatchObject({ survives: 'no', worst: { servers: 2, stuck: 1 } })
    const [first] = json.worst.moves
    expect([first.to, first.text]).toEqual([null, expect.stringContaining('No host fits')])
  })

  test('of a rack no server may stay in it', async () => {
    await place(1, 'alpha', 2)
    await place(2, 'beta', 3)
    expect(await fail({ rack: 'r1' })).toMatchObject({ survives: 'no', worst: { servers: 2, stuck: 1 } })
    expect(await fail({ hosts: ['alpha'] })).toMatchObject({ survives: 'yes' })
    expect((await post('/v1/simulate/failure', { rack: 'r9' })).status).toBe(404)
  })

  test('of any one host of an aggregate each is tried alone, and the worst is named', async () => {
    await place(1, 'alpha', 3)
    await place(2, 'beta', 3)
    await place(3, 'gamma', 1)
    const json = await fail({ any_one_of: 'pool' })
    expect(json).toMatchObject({ survives: 'yes', cases: 3, untried: 0 })
    await place(4, 'gamma', 2)
    const worse = await fail({ any_one_of: 'pool' })
    expect(worse).toMatchObject({ survives: 'no', cases: 3 })
    expect(worse.worst.hosts.map(({ host }: { host: string }) => host)).toEqual([
      worse.failing[0].hosts[0].host,
    ])
  })

  test('rules hold: two servers that must be apart do not find one host', async () => {
    const made = await fetch(`${berth.server.url}/compute/v2.1/os-server-groups`, {
      method: 'POST',
      headers: {
        'x-auth-token': 'admin',
        'content-type': 'application/json',
        'openstack-api-version': 'compute 2.64',
      },
      body: JSON.stringify({ server_group: { name: 'g', policy: 'anti-affinity' } }),
    })
    const { server_group } = (await made.json()) as { server_group: { id: string } }
    for (const [nth, host] of ['alpha', 'beta', 'gamma'].entries())
      await place(nth, host, 1, { hints: { group: server_group.id } })
    const json = await fail({ any_one_of: 'pool' })
    expect([json.survives, json.failing.length]).toEqual(['no', 3])
    expect(json.worst.moves[0].text).toContain('ServerGroupAntiAffinityFilter')
  })

  test('a limit of servers is told, and what it leaves open is not called safe', async () => {
    await place(1, 'alpha', 1)
    await place(2, 'beta', 1)
    expect(await fail({ any_one_of: 'pool', servers_max: 1 })).toMatchObject({
      survives: 'unknown',
      untried: 1,
      is_exhausted: true,
    })
  })

  test('what is kept for the failure of a host is room for its servers', async () => {
    await place(1, 'alpha', 2)
    expect((await post('/v1/reservations', { name: 'spare', failover: 'pool' })).status).toBe(201)
    const groups = { '': { resources: { VCPU: 1, MEMORY_MB: 1_024 } } }
    for (let status = 200; status === 200; )
      ({ status } = await post('/v1/schedule', { groups, ignore_hosts: ['alpha'], project_id: 'others' }))
    expect(await fail({ hosts: ['alpha'] })).toMatchObject({
      survives: 'yes',
      worst: { servers: 1, stuck: 0 },
    })
  })

  test('exactly one of hosts, rack and any_one_of is given', async () => {
    expect((await post('/v1/simulate/failure', {})).status).toBe(400)
    expect((await post('/v1/simulate/failure', { hosts: ['alpha'], rack: 'r1' })).status).toBe(400)
  })
})
