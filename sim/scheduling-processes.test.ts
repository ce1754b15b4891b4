/** Three processes on one PostgreSQL: rules between servers hold however many requests run at once. */
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../scripts/free-port.ts'
import { freshDatabase } from '../src/store/postgres/fresh-database.fixture.ts'
import { Server } from './history/server.ts'

const HOSTS = 60
const REQUESTS = 200
const PROCESSES = 3

async function startServers(): Promise<Server[]> {
  const { url, drop } = await freshDatabase('nothing')
  const settings = { only: null, rbac: 'legacy', 'catalog-builtin': 'false' }
  const servers: Server[] = []
  onTestFinished(async () => {
    await Promise.all(servers.map(server => server.remove()))
    await drop()
  })
  for (let nth = 0; nth < PROCESSES; nth++) {
    const server = new Server({ name: `s${nth}`, port: await freePort(), database: url, settings })
    servers.push(server)
    await server.start()
  }
  return servers
}

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
async function post(url: string, body: unknown, headers = {}): Promise<{ status: number; json: any }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, json: await answer.json() }
}

test(`of ${REQUESTS} parallel requests of one anti-affinity group over ${PROCESSES} processes no two share a host`, async () => {
  const servers = await startServers()
  const [first] = servers as [Server, ...Server[]]
  const inventories = { VCPU: { total: 64 }, MEMORY_MB: { total: 65_536 } }
  const hosts = Array.from({ length: HOSTS }, (_, nth) => ({ name: `host-${nth}`, inventories }))
  expect((await post(`${first.url}/v1/apply?owner=test`, { hosts })).status).toBe(200)
  const version = { 'openstack-api-version': 'compute 2.64' }
  const made = await post(
    `${first.url}/compute/v2.1/os-server-groups`,
    { server_group: { name: 'apart', policy: 'anti-affinity' } },
    version,
  )
  const body = {
    flavor: { vcpus: 1, ram: 512, disk: 0 },
    server_group: made.json.server_group.id,
    alternates: 0,
  }
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, (_, nth) => post(`${servers[nth % PROCESSES]?.url}/v1/schedule`, body)),
  )
  const placed = answers.filter(({ status }) => status === 200).map(({ json }) => json.placed[0].host)
  expect(new Set(placed).size).toBe(placed.length)
  // Nobody is turned away while a host is free.
  expect(placed).toHaveLength(HOSTS)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(new Set(refused.map(({ status, json }) => `${status} ${json.code}`))).toEqual(
    new Set(['409 schedule.no-host']),
  )
}, 120_000)
