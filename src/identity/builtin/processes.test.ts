import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { freshDatabase } from '../../store/postgres/fresh-database.fixture.ts'
import { IdentityClient } from '../api/identity-client.fixture.ts'

async function two(): Promise<[IdentityClient, Berth]> {
  const { url, drop } = await freshDatabase('nothing')
  const one = await IdentityClient.start({ database: url, catalog_builtin: false })
  const other = await Berth.start({ database: url, catalog_builtin: false, auth: 'token', rbac: 'secure' })
  onTestFinished(async () => {
    await Promise.all([one.end(), other.end()])
    await drop()
  })
  return [one, other]
}

test('what one process gives, revokes or changes, another on the same database knows at once', async () => {
  const [one, other] = await two()
  const at = async (token: string) =>
    (await other.ask('GET', '/resource_providers', { headers: { 'x-auth-token': token } })).status
  const token = await one.tokenOf()
  expect(await at(token)).toBe(200)
  await one.ask('DELETE', '/identity/v3/auth/tokens', { token, headers: { 'x-subject-token': token } })
  expect(await at(token)).toBe(401)

  const machine = 'a-token-for-a-machine-that-is-long'
  const fields = { name: 'm', roles: ['service'], token_sha256: hash('sha256', machine, 'hex') }
  await one.ask('POST', '/v1/tokens', { token: one.adminToken, body: fields })
  expect(await at(machine)).toBe(200)
  await one.ask('DELETE', '/v1/tokens/m', { token: one.adminToken })
  expect(await at(machine)).toBe(401)

  const { id } = await one.addUser('ray', 'admin', 'lab')
  const rays = await one.tokenOf({ user: 'ray', password: 'rayrayray' })
  expect(await at(rays)).toBe(200)
  await one.admin('PATCH', `/users/${id}`, { user: { enabled: false } })
  expect(await at(rays)).toBe(401)
})

test('the admin is made once: only the process that made it has the password in its directory', async () => {
  const [one, other] = await two()
  expect(await readdir(other.directory)).not.toContain('admin-password')
  const signIn = await fetch(`${other.server.url}/identity/v3/auth/tokens`, {
    method: 'POST',
    body: JSON.stringify({
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { id: 'admin', password: one.adminPassword } },
        },
      },
    }),
  })
  expect(signIn.status).toBe(201)
})
