import type { ProviderSlot } from '../../kernel/ids.ts'
import { forgetConsumer } from '../allocations/ledger.ts'
import { forgetProvider } from '../providers/providers.ts'
import type { ImportDraft } from './import-draft.ts'

export type RemovalRefusal =
  | { readonly kind: 'has-children'; readonly uuid: string }
  | { readonly kind: 'still-used'; readonly uuid: string; readonly class: string; readonly used: number }

/** A provider that does not exist counts as unchanged. */
export function removeProvider(draft: ImportDraft, uuid: string): 'removed' | 'unchanged' | RemovalRefusal {
  const slot = draft.provider(uuid)
  if (slot === undefined) return 'unchanged'
  if (draft.hasChildren(slot)) return { kind: 'has-children', uuid }
  const inUse = findUse(draft, slot, uuid)
  if (inUse !== null) return inUse
  draft.ops.push(...forgetProvider(draft.world, slot))
  draft.removed(uuid, slot)
  return 'removed'
}

function findUse(draft: ImportDraft, slot: ProviderSlot, uuid: string): RemovalRefusal | null {
  for (const id of draft.world.inventories.listClasses(slot)) {
    const used = draft.used(slot, id)
    if (used > 0) return { kind: 'still-used', uuid, class: draft.world.classes.name(id), used }
  }
  return null
}

export function removeConsumer(draft: ImportDraft, uuid: string): 'removed' | 'unchanged' {
  const { consumers } = draft.world
  const slot = consumers.find(uuid)
  if (slot === undefined) return 'unchanged'
  for (const held of consumers.holdings(slot)) draft.use(held.provider, held.class, -held.used)
  draft.ops.push(...forgetConsumer(draft.world, slot))
  return 'removed'
}
