import type { Nova } from './nova.ts'

interface Booted {
  readonly placed: number
  /** The number of members by host. */
  readonly byHost: ReadonlyMap<string, number>
  /** What Berth says about the servers that found no host. */
  readonly explained: readonly string[]
}

const EXPLAINED_MAX = 40

/** Boots servers at the same moment into a new anti-affinity group, and deletes them again. */
export async function bootIntoGroup(nova: Nova, count: number, explains: boolean): Promise<Booted> {
  const { server_group } = await nova.ask('POST', '/os-server-groups', {
    server_group: { name: 'apart', policy: 'anti-affinity' },
  })
  const flavor = await nova.makeFlavor({})
  const boots = Array.from({ length: count }, () => nova.boot(flavor, {}, { group: server_group.id }))
  const ids = await Promise.all(boots)
  const servers = await nova.settle(ids)
  const active = servers.filter(({ status }) => status === 'ACTIVE')
  const explained: string[] = []
  const failed = explains ? servers.filter(({ status }) => status !== 'ACTIVE') : []
  for (const { id } of failed.slice(0, EXPLAINED_MAX))
    explained.push(await nova.explain([await nova.findRequestId(id)], 1))
  const byHost = new Map<string, number>()
  for (const server of active) {
    const host = server['OS-EXT-SRV-ATTR:host']
    byHost.set(host, (byHost.get(host) ?? 0) + 1)
  }
  await nova.remove(ids)
  await nova.ask('DELETE', `/os-server-groups/${server_group.id}`)
  return { placed: active.length, byHost, explained }
}
