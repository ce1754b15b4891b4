import {
  aggregateId,
  type ClassId,
  NO_PROVIDER,
  type ProviderSlot,
  type TraitId,
  traitId,
} from '../../kernel/ids.ts'
import { ownValue } from '../../kernel/records.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import type { Row } from '../../world/tables.ts'
import { aggregateOps } from '../aggregates/aggregates.ts'
import { hasBadCapacity, type InventoryRecord, inventoryRow } from '../inventories/inventories.ts'
import { traitOps } from '../traits/traits.ts'
import type { ImportDraft } from './import-draft.ts'
import type { InventoryFields, ProviderFields } from './lines.ts'

export type ProviderRefusal =
  | { readonly kind: 'parent-missing'; readonly uuid: string; readonly parent: string }
  | { readonly kind: 'loop'; readonly uuid: string; readonly parent: string }
  | { readonly kind: 'name-taken'; readonly uuid: string; readonly name: string }
  | { readonly kind: 'class-missing'; readonly name: string }
  | { readonly kind: 'trait-missing'; readonly name: string }
  | { readonly kind: 'bad-capacity'; readonly class: string }
  | { readonly kind: 'inventory-in-use'; readonly class: string; readonly used: number }

/** A provider as a line describes it, with numbers instead of names. */
interface Wanted {
  readonly slot: ProviderSlot
  readonly parent: ProviderSlot
  readonly inventories: ReadonlyMap<ClassId, InventoryRecord>
  readonly traits: ReadonlySet<TraitId>
}

export function importProvider(
  draft: ImportDraft,
  line: ProviderFields,
): 'created' | 'updated' | 'unchanged' | ProviderRefusal {
  const known = draft.provider(line.uuid)
  const wanted = wantedOf(draft, line, known ?? NO_PROVIDER)
  if ('kind' in wanted) return wanted
  const inUse = known === undefined ? null : droppedInUse(draft, known, wanted)
  if (inUse !== null) return inUse
  const slot = known ?? draft.newProviderSlot()
  const newAggregates: RowOp[] = []
  const aggregates = new Set(line.aggregates.map(uuid => aggregateId(draft.aggregate(uuid, newAggregates))))
  const ops: RowOp[] = [
    ...inventoryOps(draft, slot, wanted),
    ...traitOps(draft.world, slot, wanted.traits),
    ...newAggregates,
    ...aggregateOps(draft.world, slot, aggregates),
  ]
  const row = rowOp(draft, line, { ...wanted, slot }, known !== undefined, ops.length > 0)
  const oldName = known === undefined ? null : draft.world.providers.name(known)
  draft.placeProvider(line.uuid, slot, line.name, oldName, wanted.parent)
  draft.setInventories(slot, new Set(wanted.inventories.keys()))
  if (row === null) return 'unchanged'
  draft.ops.push(row, ...ops)
  return known === undefined ? 'created' : 'updated'
}

function wantedOf(draft: ImportDraft, line: ProviderFields, slot: ProviderSlot): Wanted | ProviderRefusal {
  const { uuid, name, parent_provider_uuid: parentUuid } = line
  const parent = parentUuid === null ? NO_PROVIDER : draft.provider(parentUuid)
  if (parent === undefined) return { kind: 'parent-missing', uuid, parent: parentUuid as string }
  if (slot !== NO_PROVIDER && parent !== NO_PROVIDER && draft.isAbove(slot, parent))
    return { kind: 'loop', uuid, parent: parentUuid as string }
  const owner = draft.nameOwner(name)
  if (owner !== undefined && owner !== slot) return { kind: 'name-taken', uuid, name }
  const inventories = new Map<ClassId, InventoryRecord>()
  for (const [className, fields] of Object.entries(line.inventories)) {
    const id = draft.class(className)
    if (id === undefined) return { kind: 'class-missing', name: className }
    const record = recordOf(fields)
    if (hasBadCapacity(record, { mayBeFullyReserved: true }))
      return { kind: 'bad-capacity', class: className }
    inventories.set(id, record)
  }
  const traits = new Set<TraitId>()
  for (const trait of line.traits) {
    const id = draft.trait(trait)
    if (id === undefined) return { kind: 'trait-missing', name: trait }
    traits.add(traitId(id))
  }
  return { slot, parent, inventories, traits }
}

function recordOf(fields: InventoryFields): InventoryRecord {
  return {
    total: fields.total,
    reserved: fields.reserved,
    minUnit: fields.min_unit,
    maxUnit: fields.max_unit,
    stepSize: fields.step_size,
    allocationRatio: fields.allocation_ratio,
  }
}

function droppedInUse(draft: ImportDraft, slot: ProviderSlot, wanted: Wanted): ProviderRefusal | null {
  for (const id of draft.world.inventories.listClasses(slot)) {
    const used = wanted.inventories.has(id) ? 0 : draft.used(slot, id)
    if (used > 0) return { kind: 'inventory-in-use', class: draft.world.classes.name(id), used }
  }
  return null
}

function inventoryOps(draft: ImportDraft, slot: ProviderSlot, { inventories: wanted }: Wanted): RowOp[] {
  const { inventories } = draft.world
  const ops: RowOp[] = []
  for (const id of inventories.listClasses(slot))
    if (!wanted.has(id)) ops.push(remove('inventories', inventories.row(slot, id) as Row<'inventories'>))
  for (const [id, record] of wanted) {
    const before = inventories.row(slot, id)
    const after = inventoryRow(slot, id, record, draft.nowMs)
    if (before === null) ops.push(insert('inventories', after))
    else if (!isSame(before, { ...after, updated_at: before.updated_at }))
      ops.push(update('inventories', before, after))
  }
  return ops
}

/**
 * A new provider gets its generation from the line. A changed one gets the next generation, or with exact
 * generations that of the line.
 */
function rowOp(
  draft: ImportDraft,
  line: ProviderFields,
  { slot, parent }: Wanted,
  isKnown: boolean,
  hasOthers: boolean,
): RowOp | null {
  const parent_id = parent === NO_PROVIDER ? null : parent
  const { name } = line
  if (!isKnown) {
    const { uuid, generation } = line
    const row = { id: slot, uuid, name, generation, parent_id, updated_at: draft.nowMs }
    return insert('resource_providers', row)
  }
  const before = draft.world.providers.row(slot)
  const generation = draft.exactGenerations ? line.generation : before.generation + 1
  const isKept = !draft.exactGenerations || before.generation === generation
  if (isKept && !hasOthers && before.name === name && before.parent_id === parent_id) return null
  return update('resource_providers', before, {
    ...before,
    name,
    parent_id,
    generation,
    updated_at: draft.nowMs,
  })
}

function isSame(a: Row<'inventories'>, b: Row<'inventories'>): boolean {
  return (Object.keys(a) as (keyof Row<'inventories'>)[]).every(
    column => ownValue(a, column) === ownValue(b, column),
  )
}
