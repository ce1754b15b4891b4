import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ rbac: 'secure' })
})
afterAll(() => berth.end())

const asked = async (token: string) =>
  (await berth.ask('GET', '/v1/whoami', { headers: { 'x-auth-token': token } })).json

test('an admin hears of the roles of the token and of what they allow', async () => {
  const told = await asked('admin')
  expect(told).toMatchObject({ user_id: 'admin', project_id: 'admin', roles: ['admin', 'member', 'reader'] })
  expect(told.allowed).toContain('berth:fleet')
  expect(told.allowed).not.toContain('placement:reshaper:reshape')
})

test('a reader may ask for usages of the own project and not for the fleet', async () => {
  const told = await asked('joe:shop:reader')
  expect(told).toMatchObject({ user_id: 'joe', project_id: 'shop', roles: ['reader'], system_scope: false })
  // Without authentication, names are unknown.
  expect(told).toMatchObject({ user_name: null, project_name: null })
  expect(told.allowed).toContain('placement:usages')
  expect(told.allowed).not.toContain('berth:fleet')
})

test('without a token there is no answer', async () => {
  expect((await berth.ask('GET', '/v1/whoami', { headers: { 'x-auth-token': '' } })).status).toBe(401)
})
