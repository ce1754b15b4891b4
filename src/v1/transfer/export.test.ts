import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
/** More than the buffers of a connection hold, so that an export does not end while nobody reads it. */
const HOSTS = 40_000
const LONG = 'x'.repeat(180)

beforeAll(async () => {
  berth = await Berth.start()
  const lines = Array.from({ length: HOSTS }, (_, number) => ({
    provider: {
      uuid: uuid(number + 1),
      name: `host-${number}-${LONG}`,
      generation: 0,
      parent_provider_uuid: null,
      inventories: {},
      traits: [],
      aggregates: [],
    },
  }))
  const raw = lines.map(line => `${JSON.stringify(line)}\n`).join('')
  const headers = { 'content-type': 'application/x-ndjson' }
  expect((await berth.ask('POST', '/v1/import', { raw, headers })).status).toBe(200)
})
afterAll(() => berth.end())

/** An export before anything of it is read. */
async function begun(token = 'admin'): Promise<{ answer: IncomingMessage; leave: () => Promise<unknown> }> {
  const asking = get(`${berth.server.url}/v1/export`, { headers: { 'x-auth-token': token }, agent: false })
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  const leave = () => {
    answer.on('error', () => undefined)
    const closed = once(asking, 'close')
    asking.destroy()
    return closed
  }
  return { answer, leave }
}

test('what is written while an export is read does not show in it', async () => {
  const { answer } = await begun()
  await berth.ask('POST', '/resource_providers', { body: { name: 'late', uuid: uuid(99_999) } })
  let text = ''
  for await (const piece of answer) text += piece
  expect(JSON.parse(text.trimEnd().split('\n').at(-1) as string).end.providers).toBe(HOSTS)
  expect(text).not.toContain('"late"')
})

test('past its limit another export is turned away; those that are given up make room', async () => {
  const several = await Promise.all(
    Array.from({ length: 8 }, (_, nth) => begun(nth < 4 ? 'admin' : 'ann:p:admin')),
  )
  expect(several.map(({ answer }) => answer.statusCode)).toEqual(Array(8).fill(200))
  const own = await berth.ask('GET', '/v1/export')
  expect([own.status, own.json.code]).toEqual([429, 'export.too-many-of-user'])
  const refused = await berth.ask('GET', '/v1/export', { headers: { 'x-auth-token': 'eve:p:admin' } })
  expect([refused.status, refused.json.code]).toEqual([503, 'export.too-many'])
  await Promise.all(several.map(({ leave }) => leave()))
  let again = await berth.ask('GET', '/v1/export')
  while (again.status !== 200) again = await berth.ask('GET', '/v1/export')
  expect(again.status).toBe(200)
})
