import type { ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import { emptyRecord } from '../../kernel/records.ts'
import type { World } from '../../world/world.ts'
import { isHost } from '../hosts/hosts.ts'
import { type FlavorSpec, type ServerAsk, type ServerSpec, specOf } from './server-spec.ts'

const NO_FLAVOR: FlavorSpec = {
  id: '',
  name: '',
  vcpus: 0,
  ram: 0,
  disk: 0,
  ephemeral: 0,
  swap: 0,
  extra_specs: {},
}

/** Asks for nothing yet. */
export const EMPTY_SPEC: ServerSpec = {
  flavor: NO_FLAVOR,
  groups: null,
  group_policy: null,
  image: null,
  volume_backed: false,
  zone: null,
  hints: { same_host: [], different_host: [], query: null },
}

/** The hosts that a server holds something of: one, but for a moment. */
export function hostsOfServer(world: World, server: ConsumerSlot): ProviderSlot[] {
  const { consumers, providers } = world
  const roots = new Set(consumers.holdings(server).map(({ provider }) => providers.rootOf(provider)))
  return [...roots].filter(root => isHost(world, root))
}

/** What was asked for a server; or, if it was not scheduled here, as much as it holds. */
export function specOfServer(world: World, server: ConsumerSlot): ServerSpec {
  const row = world.compute.requestOf(server)
  if (row !== undefined) return specOf(row)
  const resources: Record<string, number> = emptyRecord()
  for (const { class: id, used } of world.consumers.holdings(server)) {
    const name = world.classes.name(id)
    resources[name] = (resources[name] ?? 0) + used
  }
  return { ...EMPTY_SPEC, flavor: sizedAs(resources), groups: [groupOf(resources)] }
}

export const groupOf = (resources: Readonly<Record<string, number>>) => ({
  suffix: '',
  resources,
  required: [],
  forbidden: [],
  member_of: [],
  in_tree: null,
})

/** No flavor, but of the size that filters and weighers look at. */
export const sizedAs = (resources: Readonly<Record<string, number>>): FlavorSpec => ({
  ...NO_FLAVOR,
  vcpus: (resources.VCPU ?? 0) + (resources.PCPU ?? 0),
  ram: resources.MEMORY_MB ?? 0,
  disk: resources.DISK_GB ?? 0,
})

/** What a server has to be asked for to be moved, as it is; where to is not said yet. */
export function askOfServer(world: World, server: ConsumerSlot): ServerAsk {
  const { uuid, project_id: project, user_id: user, generation } = world.consumers.row(server)
  const group = world.compute.groupOf(server)
  return {
    operation: 'move',
    instances: [uuid],
    generation,
    project,
    user,
    host: null,
    not_hosts: [],
    spec: specOfServer(world, server),
    group: group === undefined ? null : world.compute.groups.row(group.group_id).uuid,
  }
}
