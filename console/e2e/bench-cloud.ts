import { randomUUID } from 'node:crypto'
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
    const name = `host-${String(host).padStart(5, '0')}`
    add(uuid, name, null, { VCPU: stock(64), MEMORY_MB: stock(262_144) })
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

const stock = (total: number) => ({
  ...{ total, reserved: 0, min_unit: 1, max_unit: total, step_size: 1, allocation_ratio: 16 },
})

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

function claimOn(hosts: readonly string[], at: number) {
  const allocations = {
    [hosts[at % hosts.length] as string]: { resources: { VCPU: 8, MEMORY_MB: 4_096 } },
  }
  const owner = { project_id: 'p', user_id: 'u', consumer_generation: null, consumer_type: 'INSTANCE' }
  return [randomUUID(), { allocations, ...owner }] as const
}
