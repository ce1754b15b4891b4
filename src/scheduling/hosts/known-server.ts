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

/** Requests nothing yet. */
export const EMPTY_SPEC: ServerSpec = {
  flavor: NO_FLAVOR,
  groups: null,
  group_policy: null,
  image: null,
  volume_backed: false,
  zone: null,
  hints: { same_host: [], different_host: [], query: null },
}

/** The name of a server; null if it has none, or is gone. */
export function findServerName({ compute, consumers }: World, uuid: string): string | null {
  const slot = consumers.find(uuid)
  return slot === undefined ? null : compute.nameOf(slot)
}

/** The hosts that a server has allocations on: usually one. */
export function listHostsOfServer(world: World, server: ConsumerSlot): ProviderSlot[] {
  const { consumers, providers } = world
  const roots = new Set(consumers.holdings(server).map(({ provider }) => providers.rootOf(provider)))
  return [...roots].filter(root => isHost(world, root))
}

/** The request of a server. If it was not scheduled here, makes one from its allocations. */
export function makeSpecOfServer(world: World, server: ConsumerSlot): ServerSpec {
  const row = world.compute.getRequest(server)
  if (row !== undefined) return specOf(row)
  const resources: Record<string, number> = emptyRecord()
  for (const { class: id, used } of world.consumers.holdings(server)) {
    const name = world.classes.name(id)
    resources[name] = (resources[name] ?? 0) + used
  }
  return { ...EMPTY_SPEC, flavor: makeSizedFlavor(resources), groups: [groupOf(resources)] }
}

export const groupOf = (resources: Readonly<Record<string, number>>) => ({
  suffix: '',
  resources,
  required: [],
  forbidden: [],
  member_of: [],
  in_tree: null,
})

/** Has no flavor, but the sizes that filters and weighers read. */
export const makeSizedFlavor = (resources: Readonly<Record<string, number>>): FlavorSpec => ({
  ...NO_FLAVOR,
  vcpus: (resources.VCPU ?? 0) + (resources.PCPU ?? 0),
  ram: resources.MEMORY_MB ?? 0,
  disk: resources.DISK_GB ?? 0,
})

/** The ask to move a server as it is, without a target. */
export function makeMoveAsk(world: World, server: ConsumerSlot): ServerAsk {
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
    spec: makeSpecOfServer(world, server),
    group: group === undefined ? null : world.compute.groups.row(group.group_id).uuid,
  }
}
