import type { ProviderSlot } from '../../kernel/ids.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { Row } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import type { ProviderMissing } from './generation.ts'
import { forgetHost } from './host-rows.ts'

/** A provider as the API shows it. */
export interface ProviderView {
  readonly uuid: string
  readonly name: string
  readonly generation: number
  readonly parentUuid: string | null
  readonly rootUuid: string
  readonly updatedAt: number
}

export function viewProvider(world: World, slot: ProviderSlot): ProviderView {
  const { providers } = world
  const parent = providers.parentOf(slot)
  return {
    uuid: providers.uuid(slot),
    name: providers.name(slot),
    generation: providers.generation[slot] as number,
    parentUuid: parent < 0 ? null : providers.uuid(parent),
    rootUuid: providers.uuid(providers.rootOf(slot)),
    updatedAt: providers.updatedAt[slot] as number,
  }
}

interface CreateProvider {
  readonly uuid: string
  readonly name: string
  readonly parent: string | null
}

export type CreateProviderRefusal =
  | { readonly kind: 'name-required' }
  | { readonly kind: 'provider-exists'; readonly field: 'uuid' | 'name'; readonly value: string }
  | { readonly kind: 'parent-is-self' }
  | { readonly kind: 'parent-missing' }

export function createProvider(
  world: World,
  command: CreateProvider,
  nowMs: number,
): Decision<ProviderView, CreateProviderRefusal> {
  const { uuid, name, parent } = command
  const { providers } = world
  if (name === '') return refuse({ kind: 'name-required' })
  if (parent === uuid) return refuse({ kind: 'parent-is-self' })
  const parentSlot = parent === null ? null : providers.find(parent)
  if (parentSlot === undefined) return refuse({ kind: 'parent-missing' })
  if (providers.find(uuid) !== undefined)
    return refuse({ kind: 'provider-exists', field: 'uuid', value: uuid })
  if (providers.findName(name) !== undefined)
    return refuse({ kind: 'provider-exists', field: 'name', value: name })
  const row: Row<'resource_providers'> = {
    id: providers.free.lowest,
    uuid,
    name,
    generation: 0,
    parent_id: parentSlot,
    updated_at: nowMs,
  }
  const rootUuid = parentSlot === null ? uuid : providers.uuid(providers.rootOf(parentSlot))
  const view = { uuid, name, generation: 0, parentUuid: parent, rootUuid, updatedAt: nowMs }
  return accept({ ops: [insert('resource_providers', row)] }, view)
}

interface UpdateProvider {
  readonly provider: string
  readonly name: string
  /** Undefined: unchanged. */
  readonly parent: string | null | undefined
  readonly mayReparent: boolean
}

export type UpdateProviderRefusal =
  | ProviderMissing
  | { readonly kind: 'provider-exists'; readonly field: 'name'; readonly value: string }
  | { readonly kind: 'parent-missing' }
  | { readonly kind: 'reparenting-not-allowed' }
  | { readonly kind: 'unparenting-not-allowed' }
  | { readonly kind: 'loop' }

/** Renaming and moving do not raise the generation. */
export function updateProvider(
  world: World,
  command: UpdateProvider,
  nowMs: number,
): Decision<ProviderView, UpdateProviderRefusal> {
  const { providers } = world
  const slot = providers.find(command.provider)
  if (slot === undefined) return refuse({ kind: 'provider-missing', uuid: command.provider })
  const before = providers.row(slot)
  const parent = newParent(world, slot, command)
  if (parent.kind !== 'parent') return refuse(parent)
  const namesake = providers.findName(command.name)
  if (namesake !== undefined && namesake !== slot)
    return refuse({ kind: 'provider-exists', field: 'name', value: command.name })
  const after = { ...before, name: command.name, parent_id: parent.slot, updated_at: nowMs }
  const rootUuid =
    parent.slot === null ? before.uuid : providers.uuid(providers.rootOf(parent.slot as ProviderSlot))
  const moved = before.parent_id === parent.slot ? [] : providers.listSubtree(slot).slice(1)
  // The root of the descendants changes, so they are modified too.
  const followers = moved.map(providers.row, providers)
  return accept(
    {
      ops: [
        update('resource_providers', before, after),
        ...followers.map(row => update('resource_providers', row, { ...row, updated_at: nowMs })),
      ],
    },
    {
      uuid: before.uuid,
      name: command.name,
      generation: before.generation,
      parentUuid: parent.slot === null ? null : providers.uuid(parent.slot as ProviderSlot),
      rootUuid,
      updatedAt: nowMs,
    },
  )
}

function newParent(
  world: World,
  slot: ProviderSlot,
  command: UpdateProvider,
): { kind: 'parent'; slot: number | null } | Exclude<UpdateProviderRefusal, ProviderMissing> {
  const { providers } = world
  const current = providers.row(slot).parent_id
  if (command.parent === undefined) return { kind: 'parent', slot: current }
  if (command.parent === null) {
    if (current !== null && !command.mayReparent) return { kind: 'unparenting-not-allowed' }
    return { kind: 'parent', slot: null }
  }
  const parent = providers.find(command.parent)
  if (parent === undefined) return { kind: 'parent-missing' }
  if (current !== null && current !== parent && !command.mayReparent)
    return { kind: 'reparenting-not-allowed' }
  if (providers.isAncestorOrSelf(slot, parent)) return { kind: 'loop' }
  return { kind: 'parent', slot: parent }
}

export type DeleteProviderRefusal =
  | ProviderMissing
  | { readonly kind: 'has-children'; readonly uuid: string }
  | { readonly kind: 'has-allocations'; readonly uuid: string; readonly consumers: number }

export function deleteProvider(
  world: World,
  command: { readonly provider: string },
): Decision<null, DeleteProviderRefusal> {
  const { providers } = world
  const uuid = command.provider
  const slot = providers.find(uuid)
  if (slot === undefined) return refuse({ kind: 'provider-missing', uuid })
  if ((providers.firstChild[slot] as number) >= 0) return refuse({ kind: 'has-children', uuid })
  const consumers = world.consumers.onProvider(slot).size
  if (consumers > 0) return refuse({ kind: 'has-allocations', uuid, consumers })
  return accept({ ops: forgetProvider(world, slot) }, null)
}

/** Deletes a provider with all its rows. It must have no children and no allocations. */
export function forgetProvider(world: World, slot: ProviderSlot): RowOp[] {
  const ops: RowOp[] = forgetHost(world, slot)
  for (const id of world.inventories.listClasses(slot))
    ops.push(remove('inventories', world.inventories.row(slot, id) as Row<'inventories'>))
  for (const trait_id of world.providerTraits.list(slot))
    ops.push(remove('provider_traits', { provider_id: slot, trait_id }))
  for (const aggregate_id of world.providerAggregates.list(slot))
    ops.push(remove('provider_aggregates', { provider_id: slot, aggregate_id }))
  ops.push(remove('resource_providers', world.providers.row(slot)))
  return ops
}
