import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
})
afterAll(() => berth.end())

let made = 0
const newUuid = () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`

const POOLS = ['farm@alpha#a1', 'farm@alpha#a2', 'farm@beta#b1']
const NO_HINTS = { same_host: [], different_host: [] }

const share = (uuid: string, given: object = {}) => ({
  uuid,
  host: null as string | null,
  hosts: [] as string[],
  status: 'creating',
  is_moving: false,
  hints: NO_HINTS,
  ...given,
})
const placed = (uuid: string, host: string, given: object = {}) =>
  share(uuid, { host, hosts: [host], status: 'available', ...given })

interface Given {
  readonly hints?: object
  readonly pools?: readonly string[]
  readonly [field: string]: unknown
}

const request = (uuid: string, given: Given = {}) => ({
  operation: 'create',
  share: share(uuid),
  shares: [],
  missing: [],
  ...given,
  hints: { ...NO_HINTS, ...given.hints },
  pools: (given.pools ?? POOLS).map((host, at) => ({ host, weight: -at })),
})

const filter = async (body: object) => (await berth.ask('POST', '/v1/manila/filter', { body })).json
const place = async (body: object) => (await berth.ask('POST', '/v1/manila/place', { body })).json

test('pools of one back end are one host, for both hints', async () => {
  const [near, apart, other] = [newUuid(), newUuid(), newUuid()]
  const shares = [placed(other, 'farm@alpha#a1')]
  const together = await filter(request(near, { hints: { same_host: [other] }, shares }))
  expect(together).toMatchObject({ needs: [], passes: [0, 1] })
  expect(together.refused).toEqual([
    { host: 2, filter: 'AffinityFilter', code: 'affinity.elsewhere', text: expect.stringContaining(other) },
  ])
  const away = await filter(request(apart, { hints: { different_host: [other] }, shares }))
  expect(away.passes).toEqual([2])
  expect(away.summary).toBe('1 of 3 pools pass; AntiAffinityFilter anti-affinity.together: 2')
})

test('all hints must hold, and a new share must not name one that does not exist', async () => {
  const [one, two, nobody] = [newUuid(), newUuid(), newUuid()]
  const shares = [placed(one, 'farm@alpha#a1'), placed(two, 'farm@beta#b1')]
  const hints = { same_host: [one, two] }
  expect((await filter(request(newUuid(), { hints, shares }))).passes).toEqual([])
  const unknown = { hints: { different_host: [one, nobody] }, shares, missing: [nobody] }
  const answer = await filter(request(newUuid(), unknown))
  expect(answer.passes).toEqual([])
  expect(answer.refused[0]).toMatchObject({ filter: 'HintedSharesFilter', code: 'hint.unknown-share' })
  // For an existing share, a hint that names a deleted share has no effect.
  const moving = placed(newUuid(), 'farm@beta#b1', { is_moving: true })
  expect(
    (await filter({ ...request(moving.uuid, unknown), share: moving, operation: 'move' })).passes,
  ).toEqual([2])
})

test('Berth asks about shares that the request is silent about, and decides nothing', async () => {
  const other = newUuid()
  const answer = await place(request(newUuid(), { hints: { different_host: [other] } }))
  expect(answer).toMatchObject({ needs: [other], decision: null, pool: null })
})

test('a share that is placed counts at once, though Manila does not show it yet', async () => {
  const [first, second] = [newUuid(), newUuid()]
  expect((await place(request(first))).pool).toBe(0)
  const answer = await place(request(second, { hints: { different_host: [first] }, shares: [share(first)] }))
  expect(answer.pool).toBe(2)
  const third = await place(
    request(newUuid(), { hints: { different_host: [first, second] }, shares: [share(first), share(second)] }),
  )
  expect(third).toMatchObject({ pool: null, refused: [{}, {}, {}] })
})

test('a share without hints avoids one that was placed before it and avoids it', async () => {
  const [late, early] = [newUuid(), newUuid()]
  const first = await place(request(early, { hints: { different_host: [late] }, shares: [share(late)] }))
  expect(first.pool).toBe(0)
  expect((await place(request(late))).needs).toEqual([early])
  expect((await place(request(late, { shares: [share(early)] }))).pool).toBe(2)
})

test('a deleted share avoids nothing any more', async () => {
  const [gone, next] = [newUuid(), newUuid()]
  await place(request(gone, { hints: { different_host: [next] }, shares: [share(next)] }))
  expect((await place(request(next, { missing: [gone] }))).pool).toBe(0)
})

test('twenty shares at once that avoid one another get no back end twice', async () => {
  const uuids = Array.from({ length: 20 }, newUuid)
  const pools = Array.from({ length: 12 }, (_, at) => `farm@backend${at}#p`)
  const shares = uuids.map(uuid => share(uuid))
  const answers = await Promise.all(
    uuids.map(uuid => {
      const others = shares.filter(one => one.uuid !== uuid)
      const hints = { different_host: others.map(one => one.uuid) }
      return place(request(uuid, { hints, shares: others, pools }))
    }),
  )
  const taken = answers.map(({ pool }) => pool).filter(pool => pool !== null)
  expect(taken).toHaveLength(pools.length)
  expect(new Set(taken).size).toBe(pools.length)
})

test('what Manila shows wins over a reservation', async () => {
  const first = newUuid()
  await place(request(first))
  const hints = { different_host: [first] }
  const answer = await filter(request(newUuid(), { hints, shares: [placed(first, 'farm@beta#b1')] }))
  expect(answer.passes).toEqual([0, 1])
})

test('a move keeps the hints of both sides, and force overrides them', async () => {
  const [moving, other] = [newUuid(), newUuid()]
  const body = {
    ...request(moving, { pools: ['farm@alpha#a1'] }),
    operation: 'move',
    share: placed(moving, 'farm@beta#b1', {
      is_moving: true,
      hints: { same_host: [], different_host: [other] },
    }),
    shares: [placed(other, 'farm@alpha#a2')],
  }
  expect((await place(body)).pool).toBeNull()
  expect((await place({ ...body, force: true })).pool).toBe(0)
  // Until Manila shows the copy, the share counts at its source and its target, and nothing can be placed
  // near it.
  const shares = [placed(moving, 'farm@beta#b1')]
  expect((await filter(request(newUuid(), { hints: { different_host: [moving] }, shares }))).passes).toEqual(
    [],
  )
  const near = await filter(request(newUuid(), { hints: { same_host: [moving] }, shares }))
  expect(near.refused[0].code).toBe('affinity.moving')
})

test('hints that Manila has no room for bind, until an admin replaces them', async () => {
  const hinted = Array.from({ length: 60 }, newUuid)
  const [last] = hinted.slice(-1) as [string]
  const created = newUuid()
  const stored = { same_host: [], different_host: hinted.slice(0, 27) }
  const others = hinted.map(uuid =>
    placed(uuid, 'farm@alpha#a1', { hints: { same_host: [], different_host: [created] } }),
  )
  const hints = { different_host: hinted }
  const body = { ...request(created, { hints, shares: others }), share: share(created, { hints: stored }) }
  expect((await place(body)).pool).toBe(2)
  const isMoved = (given: object) =>
    place({
      ...request(created, { hints: stored, shares: others, pools: ['farm@gamma#c1'] }),
      operation: 'move',
      share: placed(created, 'farm@beta#b1', { is_moving: true, hints: stored }),
      ...given,
    })
  const lastIsThere = others.map(one => (one.uuid === last ? placed(last, 'farm@gamma#c1') : one))
  expect((await isMoved({ shares: lastIsThere })).pool).toBeNull()
  const edited = { same_host: [], different_host: hinted.slice(0, 1) }
  const free = placed(created, 'farm@beta#b1', { is_moving: true, hints: edited })
  expect((await isMoved({ shares: lastIsThere, hints: edited, share: free })).pool).toBe(0)
  const { json } = await berth.ask('POST', '/v1/manila/forget', { body: { share: created } })
  expect(json).toEqual({ same_host: [], different_host: hinted })
})

test('the decision is found by the request id and by the share', async () => {
  const [uuid, other] = [newUuid(), newUuid()]
  const ids = { request_id: 'req-m', global_request_id: 'req-g' }
  const given = { hints: { same_host: [other] }, shares: [share(other)], ...ids, size: 3, type: 'gold' }
  const { decision } = await place(request(uuid, given))
  for (const query of ['request_id=req-m', 'global_request_id=req-g', `share=${uuid}`]) {
    const { decisions } = (await berth.ask('GET', `/v1/decisions?${query}`)).json
    expect(decisions).toMatchObject([{ id: decision, kind: 'manila-place', outcome: 'refused', ...ids }])
    expect(decisions[0].asked).toMatchObject({ instances: [uuid], flavor: 'gold', gigabytes: 3 })
    expect(decisions[0].reason).toMatch(/^No pool passes\. AffinityFilter removed 3: share .* has no pool\.$/)
  }
  const { stages } = (await berth.ask('GET', '/v1/explain/boot/req-m')).json
  expect(stages).toMatchObject([{ kind: 'manila-place', outcome: 'refused', decision }])
  const taken = (await place(request(newUuid(), { request_id: 'req-p' }))).decision
  const shown = (await berth.ask('GET', `/v1/decisions/${taken}`)).json
  expect(shown.placed).toMatchObject([{ host: POOLS[0], provider: null }])
  const replay = await berth.ask('POST', `/v1/decisions/${taken}/replay`)
  expect([replay.status, replay.json.code]).toEqual([409, 'decisions.hosts-not-kept'])
})

test('failed calls of Manila are in the log of Berth', async () => {
  const missed_calls = { count: 2, last_error: 'refused', on_failure: 'closed' }
  await filter(request(newUuid(), { missed_calls }))
  expect(berth.logLines.filter(line => line.includes('Manila’s scheduler got no answer'))).toHaveLength(1)
})

test('a malformed request names the field, and too many pools are refused', async () => {
  const bad = await berth.ask('POST', '/v1/manila/place', {
    body: { ...request(newUuid()), operation: 'destroy' },
  })
  expect([bad.status, bad.json.field]).toEqual([400, 'operation'])
  const many = Array.from({ length: 5_001 }, (_, at) => `farm@b${at}#p`)
  const large = await berth.ask('POST', '/v1/manila/place', { body: request(newUuid(), { pools: many }) })
  expect([large.status, large.json.code]).toEqual([413, 'manila.too-many'])
})
