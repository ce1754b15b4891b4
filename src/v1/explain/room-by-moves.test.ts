import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  onTestFinished(() => berth.end())
  const inventories = { VCPU: { total: 4 }, MEMORY_MB: { total: 8_192 } }
  const hosts = ['alpha', 'beta', 'gamma'].map(name => ({ name, inventories }))
  const flavors = [{ id: 'whole', name: 'm1.whole', vcpus: 4, ram: 1024, disk: 0 }]
  expect((await berth.ask('POST', '/v1/apply?owner=test', { body: { hosts, flavors } })).status).toBe(200)
})

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const place = async (nth: number, host: string, vcpus: number) => {
  const groups = { '': { resources: { VCPU: vcpus, MEMORY_MB: 1_024 } } }
  expect((await post('/v1/schedule', { groups, host, instances: [uuid(nth)] })).status).toBe(200)
}
const movesFor = async (body: object) => {
  const { json } = await post('/v1/explain/schedule', body)
  return json.changes.find(({ kind }: { kind: string }) => kind === 'move-servers')
}

test('if no host has room and a few moves would make it, the explanation begins with them, and nothing moves', async () => {
  for (const [nth, host] of ['alpha', 'beta', 'gamma'].entries()) await place(nth + 1, host, 1)
  const advice = await movesFor({ flavor: 'm1.whole' })
  expect(advice.moves).toHaveLength(1)
  const [{ instance, from, to }] = advice.moves
  expect(advice.text).toBe(`Move ${instance} from ${from} to ${to}: then it fits.`)
  expect(advice.command).toBe('berth plan make-room m1.whole')
  const { json } = await berth.ask('GET', `/v1/consumers/${instance}`)
  expect(json.hosts[0].name).toBe(from)
  expect((await post('/v1/move', { instance, from_host: from, host: to })).status).toBe(200)
  expect((await post('/v1/schedule', { flavor: 'm1.whole' })).status).toBe(200)
})

test('where moves do not help, or some host has room, no moves are named', async () => {
  expect(await movesFor({ flavor: 'm1.whole' })).toBeUndefined()
  for (const [nth, host] of ['alpha', 'beta', 'gamma'].entries()) await place(nth + 1, host, 3)
  expect(await movesFor({ flavor: 'm1.whole' })).toBeUndefined()
})

test.each([
  { hints: { query: ['>=', '$vcpus_total', 1] } },
  { hints: { different_host: [uuid(3)] } },
  { volume_backed: true },
])(
  'a request with more than a flavor is told the moves, but no command that leaves it out: %j',
  async more => {
    for (const [nth, host] of ['alpha', 'beta', 'gamma'].entries()) await place(nth + 1, host, 1)
    const advice = await movesFor({ flavor: 'm1.whole', ...more })
    expect(advice.moves).toHaveLength(1)
    expect(advice.command).toBeNull()
  },
)
