import { Bitset } from '../../kernel/bitset.ts'
import {
  type ClassId,
  type ConsumerSlot,
  NO_PROVIDER,
  type ProviderSlot,
  providerSlot,
} from '../../kernel/ids.ts'
import type { HostRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'

/** A host is a root provider whose tree has VCPU or PCPU, or one that was declared. A sharing provider is never a host. */

const CPU_CLASSES = ['VCPU', 'PCPU'] as const
const SHARING = 'MISC_SHARES_VIA_AGGREGATE'

const listCpuClasses = ({ classes }: World): ClassId[] => CPU_CLASSES.flatMap(name => classes.id(name) ?? [])

function isSharing({ traits, providerTraits }: World, provider: ProviderSlot): boolean {
  const sharing = traits.id(SHARING)
  return sharing !== undefined && providerTraits.has(provider, sharing)
}

export function isHost(world: World, provider: ProviderSlot): boolean {
  const { providers, inventories, compute } = world
  if (!providers.exists(provider) || providers.parentOf(provider) !== NO_PROVIDER) return false
  if (isSharing(world, provider)) return false
  if (compute.host(provider)?.is_declared === 1) return true
  const classes = listCpuClasses(world)
  return providers.listSubtree(provider).some(one => classes.some(id => inventories.has(one, id)))
}

/** By name; the slot of its provider. */
export function findHostByName(world: World, name: string): ProviderSlot | undefined {
  const provider = world.providers.findName(name)
  return provider !== undefined && isHost(world, provider) ? provider : undefined
}

/** In order of slots. */
export function listAllHosts(world: World): ProviderSlot[] {
  const { providers, inventories, compute, traits, providerTraits } = world
  const found = new Bitset()
  for (const id of listCpuClasses(world))
    for (const slot of inventories.columns(id)?.present ?? []) found.add(providers.rootOf(providerSlot(slot)))
  for (const row of compute.hosts())
    if (row.is_declared === 1 && providers.parentOf(providerSlot(row.provider_id)) === NO_PROVIDER)
      found.add(row.provider_id)
  const sharing = traits.id(SHARING)
  const sharers = sharing === undefined ? undefined : providerTraits.members(sharing)
  const hosts: ProviderSlot[] = []
  for (const slot of found) if (sharers?.has(slot) !== true) hosts.push(providerSlot(slot))
  return hosts
}

/** With defaults for a host without a row. */
export function getHostRow({ compute, providers }: World, provider: ProviderSlot): HostRow {
  const row = compute.host(provider)
  if (row !== undefined) return row
  return {
    provider_id: provider,
    is_declared: 0,
    is_disabled: 0,
    disabled_reason: null,
    is_forced_down: 0,
    is_down: 0,
    capabilities: '{}',
    applied_by: null,
    created_at: providers.updatedAt[provider] as number,
    updated_at: null,
  }
}

/** Up, unless an operator or the cloud that it was pulled from says that it is down. */
export const isHostUp = ({ is_forced_down, is_down }: HostRow): boolean =>
  is_forced_down === 0 && is_down === 0

export const ZONE = 'availability_zone'

/** The rules allow a host at most one zone. A host without one is in the default zone. */
export function findZone({ compute }: World, provider: ProviderSlot, defaultZone: string): string {
  for (const { metadata } of compute.getAggregates(provider)) {
    const zone = metadata.get(ZONE)
    if (zone !== undefined) return zone
  }
  return defaultZone
}

/** Consumers with allocations on a host, in order of slots. */
export function listConsumers({ providers, consumers }: World, host: ProviderSlot): ConsumerSlot[] {
  const found = new Set<ConsumerSlot>()
  for (const provider of providers.listSubtree(host))
    for (const consumer of consumers.onProvider(provider)) found.add(consumer)
  return [...found].sort((a, b) => a - b)
}
