import { request } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Answer, Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
})
afterEach(() => berth.end())

const NDJSON = { 'content-type': 'application/x-ndjson' }
const trait = (name: string) => `${JSON.stringify({ trait: { name: `CUSTOM_${name}` } })}\n`

const send = (body: string, key: string, more: Record<string, string> = {}) =>
  berth.ask('POST', '/v1/import', { raw: body, headers: { ...NDJSON, 'idempotency-key': key, ...more } })

const outcome = ({ status, json, headers }: Answer) => [
  status,
  json.code ?? json.traits,
  headers.get('idempotent-replay'),
]
const MADE = { created: 1, updated: 0, unchanged: 0, removed: 0 }

/** More lines than one command accepts. */
const MANY = Array.from({ length: 300 }, (_, number) => trait(`MANY_${number}`)).join('')

/** A request whose body stays open until `end` is called. Resolves once the server is reading it. */
async function held(key: string) {
  const asking = request(`${berth.server.url}/v1/import`, {
    method: 'POST',
    headers: { ...NDJSON, 'x-auth-token': 'admin', 'idempotency-key': key },
  })
  const status = new Promise<number>((resolve, reject) => {
    asking.on('response', answer => resolve(answer.resume().statusCode as number)).on('error', reject)
  })
  asking.write(MANY)
  while ((await berth.ask('GET', '/traits/CUSTOM_MANY_0', { minor: 6 })).status !== 204);
  return { status, end: (rest: string) => void asking.end(rest), abort: () => asking.destroy() }
}

test('the same key and body again give the first answer and have no second effect', async () => {
  const first = await send(trait('A'), 'one')
  expect(outcome(first)).toEqual([200, MADE, null])
  await berth.ask('DELETE', '/traits/CUSTOM_A', { minor: 6 })
  const second = await send(trait('A'), 'one')
  expect(outcome(second)).toEqual([200, MADE, 'true'])
  expect(second.text).toBe(first.text)
  expect((await berth.ask('GET', '/traits/CUSTOM_A', { minor: 6 })).status).toBe(404)
})

test('the same key with another body is 422, and that body has no effect', async () => {
  await send(trait('A'), 'one')
  expect(outcome(await send(trait('B'), 'one'))).toEqual([422, 'idempotency.other-request', null])
  expect(outcome(await send(`${trait('A')}\n`, 'one'))).toEqual([422, 'idempotency.other-request', null])
  expect((await berth.ask('GET', '/traits/CUSTOM_B', { minor: 6 })).status).toBe(404)
})

test('while the first request is under way its key is 409; other keys are free; then it is known', async () => {
  const first = await held('one')
  expect(outcome(await send(MANY, 'one'))).toEqual([409, 'idempotency.running', null])
  expect((await send(trait('B'), 'two')).status).toBe(200)
  first.end(trait('C'))
  expect(await first.status).toBe(200)
  expect(outcome(await send(MANY + trait('C'), 'one'))).toEqual([200, { ...MADE, created: 301 }, 'true'])
})

test('a request that breaks off frees its key, and the same may be sent again', async () => {
  const first = await held('one')
  first.abort()
  await first.status.catch(() => undefined)
  let again = await send(trait('A'), 'one')
  while (again.status === 409) again = await send(trait('A'), 'one')
  expect(again.status).toBe(200)
  expect(again.headers.get('idempotent-replay')).toBeNull()
})

test('keys are their caller’s own: another user or project may use the same', async () => {
  await send(trait('A'), 'one')
  for (const token of ['other:p:admin', 'admin:q:admin'])
    expect(outcome(await send(trait('B'), 'one', { 'x-auth-token': token }))[0]).toBe(200)
  expect(outcome(await send(trait('A'), 'one'))).toEqual([200, MADE, 'true'])
})

test('a request that was refused is not remembered: it may be mended and sent under its key', async () => {
  const bad = `${trait('A')}{"trait":{"name":"NO_SUCH"}}\n`
  expect((await send(bad, 'one')).status).toBe(409)
  expect((await send('{', 'one')).status).toBe(400)
  expect(outcome(await send(trait('B'), 'one'))).toEqual([200, MADE, null])
})

test.each(['', 'has a blank', 'é', 'x'.repeat(256)])('%j is no key', async key => {
  const answer = await berth.ask('POST', '/v1/import', {
    raw: trait('A'),
    headers: { ...NDJSON, 'idempotency-key': Buffer.from(key).toString('latin1') },
  })
  expect(outcome(answer)).toEqual([400, 'idempotency.bad-key', null])
})

test('a body of nothing that changes nothing is remembered too', async () => {
  expect((await send('', 'one')).headers.get('idempotent-replay')).toBeNull()
  expect((await send('', 'one')).headers.get('idempotent-replay')).toBe('true')
})

test('keys outlive the server', async () => {
  await send(trait('A'), 'one')
  const { directory } = berth
  await berth.stop()
  berth = await Berth.start({ data_dir: directory })
  expect(outcome(await send(trait('A'), 'one'))).toEqual([200, MADE, 'true'])
  expect(outcome(await send(trait('B'), 'one'))[0]).toBe(422)
})
