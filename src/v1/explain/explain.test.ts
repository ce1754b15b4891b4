import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
  await berth.ask('POST', '/resource_providers', { body: { name: 'host-17', uuid: uuid(17) } })
  const record = { resource_class: 'MEMORY_MB', total: 3584 }
  await berth.ask('POST', `/resource_providers/${uuid(17)}/inventories`, { body: record })
})
afterAll(() => berth.end())

const path = '/v1/explain/allocation_candidates?resources=MEMORY_MB:4096'

test('an admin sees the host, its numbers and what would help', async () => {
  const { status, json } = await berth.ask('GET', path)
  expect(status).toBe(200)
  expect(json).toMatchObject({
    candidates: 0,
    funnel: [{ group: '', text: '4096 of MEMORY_MB', trees_before: 1, trees_after: 0, verdict: 'blocks' }],
    nearest: [
      {
        root: { name: 'host-17', uuid: uuid(17) },
        misses: [{ kind: 'short', text: 'host-17: MEMORY_MB needs 4096, has 3584 free of 3584' }],
      },
    ],
  })
  expect(json.changes.map((change: { text: string }) => change.text)).toEqual([
    'Ask for 3584 of MEMORY_MB instead of 4096.',
    'Raise the total of MEMORY_MB on host-17 from 3584 to 4096.',
  ])
})

test('others get counts and the numbers of their request, never a host or its inventory', async () => {
  const { status, json, text } = await berth.ask('GET', path, { headers: { 'x-roles': 'reader' } })
  expect(status).toBe(200)
  expect(json.funnel[0]).toMatchObject({ trees_before: 1, trees_after: 0, verdict: 'blocks' })
  expect(json.nearest).toBeUndefined()
  expect(text).not.toMatch(/host-17|3584/)
  expect(json.changes).toEqual([
    {
      kind: 'ask-less',
      group: '',
      class: 'MEMORY_MB',
      from: 4096,
      text: 'Ask for less than 4096 of MEMORY_MB; only admins see how much.',
    },
  ])
})

test.each([
  ['an unknown class', `${path},BOGUS:1`, 400, /no resource class BOGUS/],
  ['a query that is none', '/v1/explain/allocation_candidates?resources=', 400, /Badly formed resources/],
  ['an unknown parameter', `${path}&colour=red`, 400, /'colour' does not match/],
])('%s is refused as a problem', async (_, asked, status, detail) => {
  const answer = await berth.ask('GET', asked)
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  expect(answer.json.detail).toMatch(detail)
})

test('without a token there is no explanation', async () => {
  const answer = await berth.ask('GET', path, { headers: { 'x-auth-token': '' } })
  expect(answer.status).toBe(401)
  expect(answer.json.code).toBe('identity.token-needed')
})

test('more than twenty groups are too many to explain', async () => {
  const groups = (count: number) =>
    Array.from({ length: count }, (_, nth) => `resources${nth + 1}=MEMORY_MB:1`).join('&')
  const ask = (count: number) =>
    berth.ask('GET', `/v1/explain/allocation_candidates?${groups(count)}&group_policy=none`)
  expect((await ask(20)).status).toBe(200)
  const { status, json } = await ask(21)
  expect(status).toBe(400)
  expect(json).toMatchObject({ code: 'explain.too-many-groups', count: 21, max: 20 })
})
