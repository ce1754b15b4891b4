import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
const VCPU = (total: number) => ({ VCPU: { total }, MEMORY_MB: { total: 65_536 } })
const SMALL = { id: 'small', name: 'm1.small', vcpus: 2, ram: 1024, disk: 0 }
const HOSTS = ['alpha', 'beta'].map((name, nth) => ({ name, uuid: uuid(nth + 1), inventories: VCPU(4) }))

beforeEach(async () => {
  berth = await Berth.start()
  onTestFinished(() => berth.end())
  const body = {
    hosts: HOSTS,
    aggregates: [{ name: 'pool', hosts: ['alpha', 'beta'] }],
    flavors: [SMALL],
  }
  const { status, text } = await berth.ask('POST', '/v1/apply?owner=test', { body })
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
})

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const reserve = (body: object) => post('/v1/reservations', { name: 'r', ...body })
const show = async (name = 'r') => (await berth.ask('GET', `/v1/reservations/${name}`)).json
const schedule = (project_id: string, more: object = {}) =>
  post('/v1/schedule', { flavor: 'small', project_id, user_id: 'u', ...more })
const used = async (nth: number) =>
  (await berth.ask('GET', `/resource_providers/${uuid(nth)}/usages`, { minor: 36 })).json.usages.VCPU
const verified = async () => (await post('/v1/verify', {})).json

describe('places of a project', () => {
  test('are held by consumers, offered to nobody else, and used in the commit of a claim', async () => {
    const made = await reserve({ request: { flavor: 'small' }, project_id: 'p', count: 3 })
    expect([made.status, made.json.held, made.json.state]).toEqual([201, 3, 'kept'])
    expect((await used(1)) + (await used(2))).toBe(6)
    const [{ consumer }] = made.json.holders
    const { json } = await berth.ask('GET', `/allocations/${consumer}`, { minor: 38 })
    expect([json.consumer_type, json.project_id]).toEqual(['RESERVATION', 'p'])
    // One place is left for others, and then none.
    expect((await schedule('q')).status).toBe(200)
    expect((await schedule('q')).status).toBe(409)
    for (let nth = 1; nth <= 3; nth++) {
      expect((await schedule('p')).status).toBe(200)
      expect(await show()).toMatchObject({ held: 3 - nth, used: nth, short: 0, state: 'kept' })
      expect((await used(1)) + (await used(2))).toBe(8)
    }
    expect((await schedule('p')).status).toBe(409)
    expect((await verified()).ok).not.toBe(false)
  })

  test('are all claimed or none, unless it is partial', async () => {
    await schedule('q', { count: 2 })
    const refused = await reserve({ request: { flavor: 'small' }, project_id: 'p', count: 3 })
    expect([refused.status, refused.json.code]).toEqual([409, 'reservation.no-room'])
    expect((await berth.ask('GET', '/v1/reservations')).json.reservations).toEqual([])
    expect((await used(1)) + (await used(2))).toBe(4)
    const partial = await reserve({ request: { flavor: 'small' }, project_id: 'p', count: 3, partial: true })
    expect(partial.json).toMatchObject({ held: 2, short: 1, state: 'short' })
    const { findings } = (await berth.ask('GET', '/v1/attention')).json
    expect(findings.find(({ code }: { code: string }) => code === 'reservation.short')).toMatchObject({
      severity: 'warning',
      items: [{ name: 'r', text: '1 place is missing' }],
    })
  })

  test('are used for several servers of one request, and only for the same request', async () => {
    await reserve({ request: { flavor: 'small' }, project_id: 'p', count: 4 })
    expect((await schedule('p', { flavor: { vcpus: 1, ram: 1024, disk: 0 } })).status).toBe(409)
    expect((await schedule('p', { count: 3 })).status).toBe(200)
    expect(await show()).toMatchObject({ held: 1, used: 3 })
  })

  test('are used by a claim through Placement for exactly what one holds', async () => {
    const { json } = await reserve({ request: { flavor: 'small' }, project_id: 'p', count: 4 })
    const { allocations } = (
      await berth.ask('GET', `/allocations/${json.holders[0].consumer}`, { minor: 38 })
    ).json
    const put = (consumer: string, project_id: string) =>
      berth.ask('PUT', `/allocations/${consumer}`, {
        minor: 38,
        body: {
          allocations: Object.fromEntries(
            Object.entries(allocations as Record<string, { resources: object }>).map(
              ([at, { resources }]) => [at, { resources }],
            ),
          ),
          consumer_generation: null,
          consumer_type: 'INSTANCE',
          project_id,
          user_id: 'u',
        },
      })
    expect((await put(uuid(90), 'q')).status).toBe(409)
    expect((await put(uuid(90), 'p')).status).toBe(204)
    expect(await show()).toMatchObject({ held: 3, used: 1 })
  })

  test('are used by a claim of several through Placement, one for each; a place that is named is not used twice', async () => {
    const { json } = await reserve({ request: { flavor: 'small' }, project_id: 'p', count: 4 })
    const take = (provider: number) => ({
      allocations: { [uuid(provider)]: { resources: { VCPU: 2, MEMORY_MB: 1024 } } },
      consumer_generation: null,
      consumer_type: 'INSTANCE',
      project_id: 'p',
      user_id: 'u',
    })
    const several = (body: object) => berth.ask('POST', '/allocations', { minor: 38, body })
    const three = { [uuid(91)]: take(1), [uuid(92)]: take(1), [uuid(93)]: take(2) }
    expect((await several(three)).status).toBe(204)
    expect(await show()).toMatchObject({ held: 1, used: 3 })
    const [{ consumer }] = (await show()).holders
    const { json: held } = await berth.ask('GET', `/allocations/${consumer}`, { minor: 38 })
    const swap = { ...take(2), allocations: {}, consumer_generation: held.consumer_generation }
    expect((await several({ [consumer]: swap, [uuid(94)]: take(2) })).status).toBe(204)
    expect(await show()).toMatchObject({ held: 0, used: 3, short: 1 })
    expect(json.count).toBe(4)
    expect((await verified()).ok).not.toBe(false)
  })

  test('a place whose consumer is given another type is a place no more, and does not end with the reservation', async () => {
    const { json } = await reserve({ request: { flavor: 'small' }, project_id: 'p', count: 1 })
    const [{ consumer }] = json.holders
    const { json: held } = await berth.ask('GET', `/allocations/${consumer}`, { minor: 38 })
    const body = { ...held, consumer_type: 'INSTANCE' }
    expect((await berth.ask('PUT', `/allocations/${consumer}`, { minor: 38, body })).status).toBe(204)
    expect(await show()).toMatchObject({ held: 0, short: 1 })
    await berth.ask('DELETE', '/v1/reservations/r')
    expect((await used(1)) + (await used(2))).toBe(2)
  })

  test('begin and end at their time; deleted, they are free', async () => {
    const from = Date.now() + 3_600_000
    const later = await reserve({ request: { flavor: 'small' }, project_id: 'p', from })
    expect(later.json).toMatchObject({ state: 'waiting', held: 0 })
    const over = await reserve({ name: 'o', request: { flavor: 'small' }, project_id: 'p', until: 1_000 })
    expect([over.status, over.json.code]).toEqual([409, 'reservation.reservation-ended'])
    await reserve({ name: 'd', request: { flavor: 'small' }, project_id: 'p', count: 4 })
    expect((await berth.ask('DELETE', '/v1/reservations/d')).json).toEqual({ freed: 4 })
    expect((await used(1)) + (await used(2))).toBe(0)
    expect((await reserve({ request: { flavor: 'small' } })).json.code).toBe('reservation.reservation-exists')
  })
})

describe('capacity for failover', () => {
  test('keeps what any one host would need, and says when that no longer fits', async () => {
    await schedule('q', { host: 'alpha' })
    const { json } = await post('/v1/reservations', { name: 'spare', failover: 'pool' })
    expect(json).toMatchObject({ kind: 'failover', state: 'kept', short: 0, aggregate_name: 'pool' })
    expect([await used(1), await used(2)]).toEqual([2, 2])
    // What is kept on beta for alpha is offered to nobody.
    expect((await schedule('q', { host: 'beta', count: 2 })).status).toBe(409)
    expect((await post('/v1/simulate/failure', { any_one_of: 'pool' })).status).toBe(200)
    await schedule('q', { host: 'alpha' })
    await berth.ask('DELETE', '/v1/reservations/spare')
    await schedule('q', { host: 'beta' })
    const short = await post('/v1/reservations', { name: 'spare', failover: 'pool' })
    expect(short.json).toMatchObject({ state: 'short', short: 1 })
    const { findings } = (await berth.ask('GET', '/v1/attention')).json
    expect(findings.find(({ code }: { code: string }) => code === 'reservation.short')).toMatchObject({
      severity: 'critical',
      items: [{ text: '1 server finds no place if the worst host fails' }],
    })
  })

  test('of an aggregate that is gone needs attention', async () => {
    await post('/v1/reservations', { name: 'spare', failover: 'pool' })
    const without = { hosts: HOSTS, aggregates: [], flavors: [SMALL] }
    const gone = await berth.ask('POST', '/v1/apply?owner=test', { body: without })
    expect([gone.status, gone.json.plan.at(-1)?.action]).toEqual([200, 'remove'])
    expect((await show('spare')).state).toBe('short')
    const { findings } = (await berth.ask('GET', '/v1/attention')).json
    expect(findings.find(({ code }: { code: string }) => code === 'reservation.short')).toMatchObject({
      items: [{ text: 'its host aggregate is gone: it keeps nothing' }],
    })
  })

  test('two that are made at the same time are both kept: their trials wait for each other', async () => {
    await schedule('q', { host: 'alpha' })
    const made = await Promise.all(
      ['spare', 'other'].map(name => post('/v1/reservations', { name, failover: 'pool' })),
    )
    expect(made.map(({ status }) => status)).toEqual([201, 201])
    expect([made.map(({ json }) => json.state), await used(2)]).toEqual([['kept', 'kept'], 4])
  })

  test('is used by servers that leave a host that is down', async () => {
    const { json } = await schedule('q', { host: 'alpha', count: 2 })
    await post('/v1/reservations', { name: 'spare', failover: 'pool' })
    expect(await used(2)).toBe(4)
    const [one, other] = json.placed.map(({ instance }: { instance: string }) => instance)
    expect((await post('/v1/move', { instance: one })).status).toBe(409)
    await berth.ask('PUT', '/v1/hosts/alpha', { body: { forced_down: true } })
    expect((await post('/v1/move', { instance: one })).status).toBe(200)
    expect(await used(2)).toBe(4)
    expect((await post('/v1/move', { instance: other })).status).toBe(200)
    expect([await used(1), await used(2)]).toEqual([0, 4])
    expect(await show('spare')).toMatchObject({ held: 0 })
  })
})
