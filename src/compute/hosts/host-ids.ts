import { type ProviderSlot, providerSlot } from '../../kernel/ids.ts'
import { isHost } from '../../scheduling/hosts/hosts.ts'
import type { World } from '../../world/world.ts'
import type { Features } from '../versions.ts'

/**
 * A host is one hypervisor and one service. Both have the uuid of its provider as their id; in versions without uuids, the
 * number of its slot, which may be reused after the host is deleted.
 */
export const idShown = (
  { providers }: World,
  { features }: { readonly features: Features },
  host: ProviderSlot,
): string | number => (features.uuids ? providers.uuid(host) : host + 1)

export function findByNumber(world: World, text: string): ProviderSlot | undefined {
  if (!/^\d{1,9}$/.test(text)) return undefined
  const slot = providerSlot(Number(text) - 1)
  return isHost(world, slot) ? slot : undefined
}
