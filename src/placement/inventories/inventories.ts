import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { Row } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import {
  atGeneration,
  type GenerationConflict,
  type ProviderMissing,
  raiseGeneration,
} from '../providers/generation.ts'

/** How much there is of one class, and in which units it is allocated. */
export interface InventoryRecord {
  readonly total: number
  readonly reserved: number
  readonly minUnit: number
  readonly maxUnit: number
  readonly stepSize: number
  readonly allocationRatio: number
}

export type InventoryRefusal =
  | ProviderMissing
  | GenerationConflict
  | { readonly kind: 'class-missing'; readonly name: string }
  | { readonly kind: 'inventory-exists'; readonly class: string }
  | { readonly kind: 'inventory-missing'; readonly class: string }
  /** The capacity would be zero or negative. */
  | { readonly kind: 'bad-capacity'; readonly class: string }
  | { readonly kind: 'inventory-in-use'; readonly classes: readonly string[] }

/** The refusals of one rule, so that its route must handle exactly these. */
type Refusals<Kind extends InventoryRefusal['kind']> = Extract<InventoryRefusal, { readonly kind: Kind }>
type Unusable = 'provider-missing' | 'class-missing'
export type AddRefusal = Refusals<Unusable | 'bad-capacity' | 'inventory-exists'>
export type UpdateRefusal = Refusals<Unusable | 'generation-conflict' | 'bad-capacity' | 'inventory-missing'>
export type ReplaceRefusal = Refusals<Unusable | 'generation-conflict' | 'bad-capacity' | 'inventory-in-use'>
export type DeleteRefusal = Refusals<Unusable | 'inventory-missing' | 'inventory-in-use'>

/** Versions differ in whether an inventory may be fully reserved. */
interface CapacityRule {
  readonly mayBeFullyReserved: boolean
}

export function hasBadCapacity(record: InventoryRecord, rule: CapacityRule): boolean {
  const capacity = Math.trunc((record.total - record.reserved) * record.allocationRatio)
  return rule.mayBeFullyReserved ? capacity < 0 : capacity <= 0
}

export function inventoryRow(
  provider: ProviderSlot,
  id: ClassId,
  record: InventoryRecord,
  nowMs: number,
): Row<'inventories'> {
  return {
    provider_id: provider,
    class_id: id,
    total: record.total,
    reserved: record.reserved,
    min_unit: record.minUnit,
    max_unit: record.maxUnit,
    step_size: record.stepSize,
    allocation_ratio: record.allocationRatio,
    updated_at: nowMs,
  }
}

type Accepted = { readonly generation: number }

interface AddInventory extends CapacityRule {
  readonly provider: string
  readonly class: string
  readonly record: InventoryRecord
}

export function addInventory(
  world: World,
  command: AddInventory,
  nowMs: number,
): Decision<Accepted, AddRefusal> {
  const provider = world.providers.find(command.provider)
  if (provider === undefined) return refuse({ kind: 'provider-missing', uuid: command.provider })
  const name = command.class
  if (hasBadCapacity(command.record, command)) return refuse({ kind: 'bad-capacity', class: name })
  const id = world.classes.id(name)
  if (id === undefined) return refuse({ kind: 'class-missing', name })
  if (world.inventories.has(provider, id)) return refuse({ kind: 'inventory-exists', class: name })
  return withNewGeneration(world, provider, nowMs, [
    insert('inventories', inventoryRow(provider, id, command.record, nowMs)),
  ])
}

interface UpdateInventory extends AddInventory {
  readonly generation: number
}

export function updateInventory(
  world: World,
  command: UpdateInventory,
  nowMs: number,
): Decision<Accepted, UpdateRefusal> {
  const found = atGeneration(world, command)
  if (found.kind !== 'provider') return refuse(found)
  const name = command.class
  if (hasBadCapacity(command.record, command)) return refuse({ kind: 'bad-capacity', class: name })
  const id = world.classes.id(name)
  if (id === undefined) return refuse({ kind: 'class-missing', name })
  const before = world.inventories.row(found.slot, id)
  if (before === null) return refuse({ kind: 'inventory-missing', class: name })
  return withNewGeneration(world, found.slot, nowMs, [
    update('inventories', before, inventoryRow(found.slot, id, command.record, nowMs)),
  ])
}

interface ReplaceInventories extends CapacityRule {
  readonly provider: string
  /** Null: any generation. */
  readonly generation: number | null
  readonly inventories: readonly (readonly [name: string, record: InventoryRecord])[]
}

export function replaceInventories(
  world: World,
  command: ReplaceInventories,
  nowMs: number,
): Decision<Accepted, ReplaceRefusal> {
  const found = atGeneration(world, command)
  if (found.kind !== 'provider') return refuse(found)
  for (const [name, record] of command.inventories)
    if (hasBadCapacity(record, command)) return refuse({ kind: 'bad-capacity', class: name })
  const wanted = new Map<ClassId, InventoryRecord>()
  for (const [name, record] of command.inventories) {
    const id = world.classes.id(name)
    if (id === undefined) return refuse({ kind: 'class-missing', name })
    wanted.set(id, record)
  }
  const dropped = world.inventories.listClasses(found.slot).filter(id => !wanted.has(id))
  const used = dropped.filter(id => world.inventories.used(found.slot, id) > 0)
  if (used.length > 0)
    return refuse({ kind: 'inventory-in-use', classes: used.map(id => world.classes.name(id)) })
  return withNewGeneration(world, found.slot, nowMs, replacementOps(world, found.slot, wanted, nowMs))
}

/** The ops that give a provider exactly the wanted inventories. */
export function replacementOps(
  world: World,
  provider: ProviderSlot,
  wanted: ReadonlyMap<ClassId, InventoryRecord>,
  nowMs: number,
): RowOp[] {
  const ops: RowOp[] = []
  for (const id of world.inventories.listClasses(provider))
    if (!wanted.has(id))
      ops.push(remove('inventories', world.inventories.row(provider, id) as Row<'inventories'>))
  for (const [id, record] of wanted) {
    const before = world.inventories.row(provider, id)
    const after = inventoryRow(provider, id, record, nowMs)
    ops.push(before === null ? insert('inventories', after) : update('inventories', before, after))
  }
  return ops
}

export function deleteInventory(
  world: World,
  command: { readonly provider: string; readonly class: string },
  nowMs: number,
): Decision<Accepted, DeleteRefusal> {
  const provider = world.providers.find(command.provider)
  if (provider === undefined) return refuse({ kind: 'provider-missing', uuid: command.provider })
  const name = command.class
  const id = world.classes.id(name)
  if (id === undefined) return refuse({ kind: 'class-missing', name })
  if (world.inventories.used(provider, id) > 0) return refuse({ kind: 'inventory-in-use', classes: [name] })
  const before = world.inventories.row(provider, id)
  if (before === null) return refuse({ kind: 'inventory-missing', class: name })
  return withNewGeneration(world, provider, nowMs, [remove('inventories', before)])
}

/** Every inventory write raises the generation, even one that changes nothing. */
function withNewGeneration(world: World, provider: ProviderSlot, nowMs: number, ops: RowOp[]) {
  const generation = (world.providers.generation[provider] as number) + 1
  return accept({ ops: [...ops, raiseGeneration(world, provider, 1, nowMs)] }, { generation })
}
