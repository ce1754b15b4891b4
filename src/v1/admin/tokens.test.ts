import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({})
})
afterAll(() => berth.end())

const create = (name: string, digit: string) =>
  berth.ask('POST', '/v1/tokens', { body: { name, token_sha256: digit.repeat(64), roles: ['reader'] } })

test('a token that is there under another name is refused with that name, and the server goes on', async () => {
  expect((await create('first', 'a')).status).toBe(201)
  const refused = await create('second', 'a')
  expect(refused.status).toBe(409)
  expect(refused.json).toMatchObject({ code: 'identity.static-token-same', name: 'first' })
  expect((await create('first', 'b')).status).toBe(409)
  expect((await create('third', 'c')).status).toBe(201)
  const names = (await berth.ask('GET', '/v1/tokens')).json.tokens.map((one: { name: string }) => one.name)
  expect(names).toEqual(['first', 'third'])
})
