import { afterAll, beforeAll, expect, test } from 'vitest'
import { ShareClient } from '../../shares/share-client.fixture.ts'

let client: ShareClient
beforeAll(async () => {
  client = await ShareClient.start()
})
afterAll(() => client.berth.end())

const headers = { 'x-auth-token': 'admin:ops' }

interface Target {
  readonly pool: string
  readonly passes: boolean
  readonly is_here: boolean
  readonly force_helps: boolean
  readonly refusals: readonly { readonly filter: string }[]
}

async function targetsOf(share: string, query = ''): Promise<Map<string, Target>> {
  const { status, json } = await client.berth.ask('GET', `/v1/explain/share/${share}/migration${query}`, {
    headers,
  })
  expect(status).toBe(200)
  return new Map(json.pools.map((one: Target) => [one.pool, one]))
}

test('targets of a move: what hints forbid can be forced, what has no room cannot', async () => {
  const a = await client.placed({ share_type: 'on-beta' })
  const b = await client.placed({
    scheduler_hints: { different_host: a.id },
    share_type: 'on-alpha',
    size: 60,
  })
  const filler = await client.placed({ share_type: 'on-gamma', size: 60 })
  const targets = await targetsOf(b.id, '?share_type=default')
  expect([...targets.values()].filter(one => one.is_here)).toHaveLength(1)
  expect(targets.get('farm@beta#b1')).toMatchObject({
    passes: false,
    force_helps: true,
    is_here: false,
    refusals: [{ filter: 'AntiAffinityFilter', reasons: [{ facts: { share: a.id } }] }],
  })
  expect(targets.get('farm@gamma#c1')).toMatchObject({
    passes: false,
    force_helps: false,
    refusals: [{ filter: 'CapacityFilter' }],
  })
  const own = await targetsOf(b.id)
  expect(own.get('farm@beta#b1')).toMatchObject({ force_helps: false })
  for (const { id } of [filler, b, a]) await client.remove(id)
})

test('targets of a move: where it stays, for another type, it needs no more room', async () => {
  const a = await client.placed({ share_type: 'on-beta', size: 80 })
  const targets = await targetsOf(a.id, '?share_type=default')
  expect(targets.get('farm@beta#b1')).toMatchObject({ is_here: true, passes: true })
  await client.remove(a.id)
})

test('targets of a move: where a copy of a snapshot was made does not bind it', async () => {
  const a = await client.placed({ share_type: 'default' })
  const made = await client.ask('POST', '/snapshots', { body: { snapshot: { share_id: a.id } } })
  const { id: snapshot } = made.json.snapshot
  await expect
    .poll(async () => (await client.ask('GET', `/snapshots/${snapshot}`)).json.snapshot.status)
    .toBe('available')
  const b = await client.placed({ snapshot_id: snapshot })
  const passing = [...(await targetsOf(b.id)).values()].filter(one => one.passes && !one.is_here)
  expect(passing.map(({ pool }) => pool.split('#')[0])).not.toEqual(passing.map(() => a.backend))
})

test('targets of a move are for those who may move', async () => {
  const a = await client.placed()
  const path = `/v1/explain/share/${a.id}/migration`
  const member = await client.berth.ask('GET', path, { headers: { 'x-auth-token': 'bob:ops:member' } })
  expect(member.status).toBe(403)
  const wrong = await client.berth.ask('GET', `${path}?share_type=none`, { headers })
  expect([wrong.status, wrong.json.code]).toEqual([404, 'shares.type-missing'])
})

test('the decision about a share is found by the share, also where it came to nothing', async () => {
  const a = await client.placed({ share_type: 'on-beta' })
  const b = await client.placed({ share_type: 'on-gamma' })
  const lost = await client.create({ scheduler_hints: { same_host: `${a.id},${b.id}` } })
  const decisions = async (share: string) =>
    (await client.berth.ask('GET', `/v1/decisions?instance=${share}`, { headers })).json.decisions
  expect(await decisions(a.id)).toMatchObject([{ kind: 'share', placed: [{ instance: a.id }] }])
  expect(await decisions(lost)).toMatchObject([{ kind: 'share', outcome: 'refused', placed: [] }])
})
