import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  onTestFinished(() => berth.end())
  const inventories = { VCPU: { total: 4 }, MEMORY_MB: { total: 8_192 } }
  const hosts = ['alpha', 'beta'].map((name, nth) => ({ name, uuid: uuid(nth + 1), inventories }))
  const flavors = [
    { id: 'whole', name: 'm1.whole', vcpus: 4, ram: 1024, disk: 0 },
    { id: 'half', name: 'm1.half', vcpus: 2, ram: 1024, disk: 0 },
  ]
  const aggregates = [{ name: 'pool', hosts: ['alpha', 'beta'] }]
  const applied = await berth.ask('POST', '/v1/apply?owner=test', { body: { hosts, flavors, aggregates } })
  expect(applied.status).toBe(200)
})

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const explain = async (body: object) => (await post('/v1/explain/schedule', body)).json
const reserve = async (name: string, more: object) =>
  expect((await post('/v1/reservations', { name, ...more })).status).toBe(201)
const advice = ({ changes }: { changes: { kind: string; reservation: string }[] }) =>
  changes.filter(({ kind }) => kind === 'end-reservation').map(({ reservation }) => reservation)

test('if a reservation keeps the room, the explanation names it, how much it keeps, and how to end it', async () => {
  await reserve('launch', { request: { flavor: 'm1.whole' }, project_id: 'p', count: 2 })
  const explained = await explain({ flavor: 'm1.whole', project_id: 'q' })
  expect(explained.passed).toBe(0)
  expect(explained.changes[0]).toMatchObject({
    kind: 'end-reservation',
    reservation: 'launch',
    text: 'Delete reservation launch, which keeps 2 places for project p: then it fits.',
    command: 'berth reservation delete launch',
  })
  expect(explained.reports[0].misses[0]).toBe(
    'alpha: VCPU needs 4, has 0 free of 4; reservation launch keeps 4',
  )
  const query = 'resources=VCPU:4'
  const { text } = await berth.ask('GET', `/v1/explain/allocation_candidates?${query}`)
  expect(text).toContain('has 0 free of 4; reservation launch keeps 4')
})

test('for the project that it is for, the room of a reservation is room, also for several and in a count', async () => {
  await reserve('launch', { request: { flavor: 'm1.whole' }, project_id: 'p', count: 2 })
  const own = await explain({ flavor: 'm1.whole', project_id: 'p' })
  expect([own.with_room, own.passed]).toEqual([2, 2])
  const three = await explain({ flavor: 'm1.whole', project_id: 'p', count: 3 })
  expect([three.passed, advice(three)]).toEqual([0, []])
  const { json } = await post('/v1/simulate', { flavor: 'm1.whole', project_id: 'p' })
  expect(json.before.fits).toBe(2)
  expect((await post('/v1/simulate', { flavor: 'm1.whole', project_id: 'q' })).json.before.fits).toBe(0)
  const { json: fit } = await berth.ask('GET', '/v1/projects/p/fit')
  expect(fit.flavors.find(({ name }: { name: string }) => name === 'm1.whole').fits).toBe(2)
  const { json: made } = await post('/v1/schedule', { flavor: 'm1.whole', project_id: 'p', user_id: 'u' })
  const again = await post(`/v1/decisions/${made.decision}/explain`, {})
  expect([again.status, again.json.passed]).toEqual([200, 1])
})

test('only reservations that alone make room are named', async () => {
  await reserve('one', { request: { flavor: 'm1.half' }, project_id: 'p', count: 2 })
  await reserve('other', { request: { flavor: 'm1.half' }, project_id: 'p', count: 2 })
  const found = advice(await explain({ flavor: 'm1.half', project_id: 'q' }))
  expect(found.toSorted()).toEqual(['one', 'other'])
  const needsBoth = { flavor: { vcpus: 3, ram: 1024, disk: 0 }, project_id: 'q', count: 3 }
  expect(advice(await explain(needsBoth))).toEqual([])
})

test('a server that cannot move is told which reservation keeps the room; off a host that is down it uses it', async () => {
  const { json } = await post('/v1/schedule', { flavor: 'm1.whole', host: 'alpha', user_id: 'u' })
  await reserve('spare', { failover: 'pool' })
  const [{ instance }] = json.placed
  const explained = await explain({ instance })
  expect([explained.passed, advice(explained)]).toEqual([0, ['spare']])
  expect(explained.changes[0].text).toBe(
    'Delete reservation spare, which keeps room for the failure of a host of pool: then it fits.',
  )
  await berth.ask('PUT', '/v1/hosts/alpha', { body: { forced_down: true } })
  expect((await explain({ instance })).passed).toBe(1)
})

test('a consumer that holds a part of a reservation names it', async () => {
  await reserve('launch', { request: { flavor: 'm1.half' }, project_id: 'p' })
  const { json } = await berth.ask('GET', '/v1/reservations/launch')
  const consumer = (await berth.ask('GET', `/v1/consumers/${json.holders[0].consumer}`)).json
  expect([consumer.reservation, consumer.is_server]).toEqual(['launch', false])
})

test('members see what is reserved for their project, without hosts', async () => {
  const until = Date.now() + 3_600_000
  await reserve('launch', { request: { flavor: 'm1.half' }, project_id: 'p', count: 2, until })
  await reserve('theirs', { request: { flavor: 'm1.half' }, project_id: 'q' })
  const { json } = await berth.ask('GET', '/v1/projects/p')
  expect(json.reservations).toEqual([
    expect.objectContaining({ name: 'launch', flavor: 'm1.half', count: 2, held: 2, used: 0, until }),
  ])
})
