import type { Nova } from './nova.ts'

interface Booted {
  readonly placed: number
  /** The number of members by host. */
  readonly byHost: ReadonlyMap<string, number>
}

/** Boots servers at the same moment into a new anti-affinity group, and deletes them again. */
export async function bootIntoGroup(nova: Nova, count: number): Promise<Booted> {
  const { server_group } = await nova.ask('POST', '/os-server-groups', {
    server_group: { name: 'apart', policy: 'anti-affinity' },
  })
  const flavor = await nova.makeFlavor({})
  const boots = Array.from({ length: count }, () => nova.boot(flavor, {}, { group: server_group.id }))
  const ids = await Promise.all(boots)
  const active = (await nova.settle(ids)).filter(({ status }) => status === 'ACTIVE')
  const byHost = new Map<string, number>()
  for (const server of active) {
    const host = server['OS-EXT-SRV-ATTR:host']
    byHost.set(host, (byHost.get(host) ?? 0) + 1)
  }
  await nova.remove(ids)
  await nova.ask('DELETE', `/os-server-groups/${server_group.id}`)
  return { placed: active.length, byHost }
}
