import type { ProviderSlot, TraitId } from '../../kernel/ids.ts'
import { insert, type RowOp, remove } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import {
  atGeneration,
  type GenerationConflict,
  type ProviderMissing,
  raiseGeneration,
} from '../providers/generation.ts'

export type TraitRefusal =
  | { readonly kind: 'trait-missing'; readonly name: string }
  | { readonly kind: 'trait-standard'; readonly name: string }
  | { readonly kind: 'trait-in-use'; readonly name: string }

export function ensureTrait(
  world: World,
  command: { readonly name: string },
  nowMs: number,
): Decision<{ readonly created: boolean; readonly updatedAt: number }, never> {
  const { name } = command
  const known = world.traits.id(name)
  if (known !== undefined)
    return accept(NO_CHANGE, { created: false, updatedAt: world.traits.row(known).updated_at })
  const row = { id: world.traits.nextId(1), name, updated_at: nowMs }
  return accept({ ops: [insert('traits', row)] }, { created: true, updatedAt: nowMs })
}

/** The traits to remove and to add, so that a provider has exactly the wanted ones. */
export function traitOps(world: World, provider_id: ProviderSlot, wanted: ReadonlySet<TraitId>): RowOp[] {
  const { providerTraits } = world
  const ops: RowOp[] = []
  for (const trait_id of providerTraits.list(provider_id))
    if (!wanted.has(trait_id)) ops.push(remove('provider_traits', { provider_id, trait_id }))
  for (const trait_id of wanted)
    if (!providerTraits.has(provider_id, trait_id))
      ops.push(insert('provider_traits', { provider_id, trait_id }))
  return ops
}

export function deleteTrait(world: World, command: { readonly name: string }): Decision<null, TraitRefusal> {
  const { name } = command
  const id = world.traits.id(name)
  if (id === undefined) return refuse({ kind: 'trait-missing', name })
  if (!name.startsWith('CUSTOM_')) return refuse({ kind: 'trait-standard', name })
  if (world.providerTraits.isInUse(id)) return refuse({ kind: 'trait-in-use', name })
  return accept({ ops: [remove('traits', world.traits.row(id))] }, null)
}

interface SetProviderTraits {
  readonly provider: string
  /** Null: any generation. */
  readonly generation: number | null
  readonly traits: readonly string[]
}

export type SetTraitsRefusal =
  | ProviderMissing
  | GenerationConflict
  | { readonly kind: 'traits-missing'; readonly names: readonly string[] }

export interface TraitsSet {
  readonly generation: number
  /** In order of id. */
  readonly traits: readonly string[]
  readonly updatedAt: number
}

/** Setting the same traits again does not raise the generation. */
export function setProviderTraits(
  world: World,
  command: SetProviderTraits,
  nowMs: number,
): Decision<TraitsSet, SetTraitsRefusal> {
  const found = atGeneration(world, command)
  if (found.kind !== 'provider') return refuse(found)
  const provider = found.slot
  const generation = world.providers.generation[provider] as number
  const names = [...new Set(command.traits)]
  const missing = names.filter(name => world.traits.id(name) === undefined)
  if (missing.length > 0) return refuse({ kind: 'traits-missing', names: missing })
  const wanted = new Set(names.map(name => world.traits.id(name) as TraitId))
  const ops = traitOps(world, provider, wanted)
  const rows = [...wanted].sort((a, b) => a - b).map(id => world.traits.row(id))
  const answer = {
    traits: rows.map(one => one.name),
    updatedAt: rows.reduce((latest, one) => Math.max(latest, one.updated_at), 0),
  }
  if (ops.length === 0) return accept(NO_CHANGE, { ...answer, generation })
  ops.push(raiseGeneration(world, provider, 1, nowMs))
  return accept({ ops }, { ...answer, generation: generation + 1 })
}
