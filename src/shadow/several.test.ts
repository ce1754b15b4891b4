import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sharedPostgres } from '../../test/postgres.ts'
import { Berth } from '../../test/running-berth.ts'
import type { Config } from '../config/keys.ts'

const minor = 39
let database: string
let placement: Berth
let servers: readonly [Berth, Berth]

const start = (shadow_of: string | null, more: Partial<Config> = {}) =>
  Berth.start({ database, shadow_of, shadow_sweep_per_second: 1_000, ...more }, false)
/** Longer than any test: what waits for the database never ends. */
const FOREVER_MS = 3_600_000

/** Two processes on one database shadow the same Placement, for which a Berth stands. */
beforeAll(async () => {
  database = await (await sharedPostgres()).newDatabase()
  placement = await Berth.start()
  const url = `${placement.server.url}/placement`
  servers = [
    await start(url, { database_timeout_ms: 5_000 }),
    await start(url, { database_timeout_ms: FOREVER_MS }),
  ]
})
afterAll(async () => {
  for (const server of [...servers, placement]) await server.stop()
})

const set = (at: Berth, body: object) => at.ask('PUT', '/v1/shadow', { body })

async function addHost(at: Berth): Promise<string> {
  const uuid = randomUUID()
  expect((await at.ask('POST', '/resource_providers', { minor, body: { uuid, name: uuid } })).status).toBe(
    200,
  )
  return uuid
}

async function hostsOf(at: Berth): Promise<string[]> {
  const lines = (await at.ask('GET', '/v1/export')).text.trim().split('\n')
  return lines.flatMap(line => JSON.parse(line).provider?.uuid ?? []).sort()
}

const expectEverywhere = (hosts: readonly string[]) =>
  vi.waitFor(async () => {
    for (const at of [placement, ...servers]) expect(await hostsOf(at)).toEqual(hosts.toSorted())
  }, 20_000)

test('several processes follow, switch and send together', async () => {
  const [one, other] = servers
  const hosts = [await addHost(one), await addHost(other)]
  await expectEverywhere(hosts)
  expect((await set(one, { reads: 'berth' })).json).toMatchObject({ reads: 'berth' })
  expect((await set(other, { writes: 'berth' })).json).toMatchObject({ writes: 'berth' })
  hosts.push(await addHost(one), await addHost(other))
  await expectEverywhere(hosts)
  expect((await set(other, { writes: 'placement', reads: 'placement' })).json).toMatchObject({ lost: [] })
  hosts.push(await addHost(one), await addHost(other))
  await expectEverywhere(hosts)
  for (const at of servers)
    expect((await at.ask('GET', '/v1/shadow/differences')).json.differences).toEqual([])
})

test('a process without the Placement is refused beside those that shadow it', async () => {
  await expect(start(null)).rejects.toThrow('set shadow_of as they do, or stop them first')
})

test('a process with another Placement is refused beside those that shadow this one', async () => {
  await expect(start('http://127.0.0.1:1/placement')).rejects.toThrow(
    `shadow the Placement at ${placement.server.url}`,
  )
})

test('a database that does not answer delays no answer of Placement, and makes no process unready', async () => {
  const [impatient] = servers
  const host = await addHost(impatient)
  const isGivenUp = () => impatient.logLines.some(line => line.includes('the database cannot be read'))
  const client = new Client({ connectionString: database })
  await client.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE head IN ACCESS EXCLUSIVE MODE')
  try {
    // While the lock is held, also after a process has given the database up.
    for (let roundsAfter = 0; roundsAfter < 3; roundsAfter += isGivenUp() ? 1 : 0) {
      for (const at of servers) {
        const body = { name: randomUUID() }
        expect((await at.ask('PUT', `/resource_providers/${host}`, { minor, body })).status).toBe(200)
        expect((await at.ask('GET', `/resource_providers/${host}`, { minor })).json).toMatchObject(body)
        expect((await fetch(`${at.server.url}/readyz`)).status).toBe(200)
      }
      await setTimeout(200)
    }
  } finally {
    await client.query('ROLLBACK')
    await client.end()
  }
  await expectEverywhere(await hostsOf(placement))
}, 60_000)
