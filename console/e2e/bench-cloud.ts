import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Server } from './server.ts'

export const HOSTS = 10_000
const CHILDREN = 9
export const PROVIDERS = HOSTS * (CHILDREN + 1)

/** Hosts with devices below them, and in the map's terms nothing else; gives back the hosts. */
export async function importCloud(server: Server): Promise<readonly string[]> {
  const hosts: string[] = []
  const lines: string[] = []
  const add = (uuid: string, name: string, parent: string | null, inventories: object) =>
    lines.push(
      JSON.stringify({ provider: { ...bare, uuid, name, parent_provider_uuid: parent, inventories } }),
    )
  for (let host = 0; host < HOSTS; host++) {
    const uuid = randomUUID()
    hosts.push(uuid)
    const name = nameOf(host)
    add(uuid, name, null, { VCPU: stock(64, 16), MEMORY_MB: stock(262_144) })
    for (let child = 0; child < CHILDREN; child++)
      add(randomUUID(), `${name}_dev${child}`, uuid, { SRIOV_NET_VF: stock(16) })
  }
  const answer = await fetch(`${server.url}/v1/import`, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  })
  if (!answer.ok) throw new Error(await answer.text())
  return hosts
}

const bare = { generation: 0, traits: [], aggregates: [] }

const stock = (total: number, ratio = 1) => ({
  total,
  reserved: 0,
  min_unit: 1,
  max_unit: total * ratio,
  step_size: 1,
  allocation_ratio: ratio,
})

const ZONES = ['a', 'b', 'c', 'd']
const HOSTS_PER_RACK = 40

/** Racks of forty hosts in four zones, as host aggregates; each rack is one commit. */
export async function addRacks(server: Server): Promise<void> {
  const racks = Array.from({ length: HOSTS / HOSTS_PER_RACK }, (_, at) => {
    const zone = ZONES[Math.floor((at * ZONES.length * HOSTS_PER_RACK) / HOSTS)] as string
    const name = `${zone}${String(at).padStart(3, '0')}`
    const hosts = Array.from({ length: HOSTS_PER_RACK }, (_, host) => nameOf(at * HOSTS_PER_RACK + host))
    return { zone, name, hosts }
  })
  await server.ask('POST', '/v1/apply?owner=racks', {
    aggregates: [
      ...ZONES.map(zone => ({ name: `zone-${zone}`, availability_zone: zone })),
      ...racks.map(({ name }) => ({ name: `rack-${name}`, metadata: { rack: name } })),
    ],
  })
  for (const { zone, name, hosts } of racks)
    await server.ask('POST', '/v1/hosts/change', { hosts, join: [`zone-${zone}`, `rack-${name}`] })
}

export const DECISIONS = 100_000

/** One is made by the server, which then starts again with copies of it: to make all of them would take minutes. */
export async function addDecisions(server: Server): Promise<void> {
  await server.ask('POST', '/v1/apply?owner=bench', {
    flavors: [{ name: 'm1.small', vcpus: 1, ram: 256, disk: 0 }],
  })
  await server.ask('POST', '/v1/schedule', { flavor: 'm1.small', dry_run: true })
  await server.stop()
  const database = new DatabaseSync(join(server.directory, 'berth-data/berth.sqlite'))
  database.exec(`
    INSERT INTO decisions
    SELECT printf('%08x', n) || substr(id, 9), kind, outcome, project_id, revision, decided_revision, seed, request,
      summary, at_ms - n * 1000, share, request_id, global_request_id
    FROM (SELECT * FROM decisions LIMIT 1),
      (WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${DECISIONS}) SELECT n FROM numbers)`)
  database.close()
  await server.start()
}

const nameOf = (host: number): string => `host-${String(host).padStart(5, '0')}`

/** Different on each host, most about half full; the fullest is as full as `shareMax`. */
export async function useCloud(
  server: Server,
  hosts: readonly string[],
  { serversPerHost = 1, shareMax = 1 } = {},
): Promise<void> {
  const claims = hosts.flatMap((host, at) => {
    // As good as chance, and the same every time.
    const noise = (Math.sin(at * 12.9898) * 43_758.5453) % 1
    const share = Math.max(0, Math.min(shareMax, 0.55 + Math.sin(at / 900) * 0.2 + noise * 0.3))
    return Array.from({ length: serversPerHost }, () =>
      claimOf(host, {
        VCPU: Math.round((share * 1_024) / serversPerHost) || 1,
        MEMORY_MB: Math.round((share * 262_144) / serversPerHost) || 1,
      }),
    )
  })
  while (claims.length > 0)
    await server.ask('POST', '/placement/allocations', Object.fromEntries(claims.splice(0, 200)))
}

/** So many come in one request, as when several servers are made at once. */
const AT_ONCE = 5

/** Claims as they would come from a busy cloud, several requests at a time. */
export async function claimFor(
  server: Server,
  hosts: readonly string[],
  perSecond: number,
  seconds: number,
): Promise<void> {
  const startMs = performance.now()
  const claims = perSecond * seconds
  const underWay = new Set<Promise<unknown>>()
  for (let at = 0; at < claims; at += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, one) => claimOn(hosts, (at + one) * 37))
    const claim = server.ask('POST', '/placement/allocations', Object.fromEntries(some))
    underWay.add(claim)
    claim.finally(() => underWay.delete(claim))
    if (underWay.size >= 16) await Promise.race(underWay)
    const earlyMs = (at * 1000) / perSecond - (performance.now() - startMs)
    if (earlyMs > 0) await new Promise(resolve => setTimeout(resolve, earlyMs))
  }
  await Promise.all(underWay)
  const tookS = (performance.now() - startMs) / 1000
  if (tookS > seconds * 1.2) console.log(`  only ${Math.round(claims / tookS)} claims a second could be made`)
}

const claimOn = (hosts: readonly string[], at: number) =>
  claimOf(hosts[at % hosts.length] as string, { VCPU: 8, MEMORY_MB: 4_096 })

function claimOf(host: string, resources: Readonly<Record<string, number>>) {
  const owner = { project_id: 'p', user_id: 'u', consumer_generation: null, consumer_type: 'INSTANCE' }
  return [randomUUID(), { allocations: { [host]: { resources } }, ...owner }] as const
}
