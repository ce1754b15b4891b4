import type { ProviderSlot } from '../../kernel/ids.ts'
import { type RowOp, update } from '../../world/change.ts'
import type { World } from '../../world/world.ts'

export interface ProviderMissing {
  readonly kind: 'provider-missing'
  readonly uuid: string
}

export interface GenerationConflict {
  readonly kind: 'generation-conflict'
  readonly actual: number
  readonly given: number
}

/** The provider to write, if its generation is still the one that the client saw. Null accepts any generation. */
export function atGeneration(
  world: World,
  command: { readonly provider: string; readonly generation: number | null },
): { readonly kind: 'provider'; readonly slot: ProviderSlot } | ProviderMissing | GenerationConflict {
  const slot = world.providers.find(command.provider)
  if (slot === undefined) return { kind: 'provider-missing', uuid: command.provider }
  const actual = world.providers.generation[slot] as number
  if (command.generation !== null && command.generation !== actual)
    return { kind: 'generation-conflict', actual, given: command.generation }
  return { kind: 'provider', slot }
}

export function raiseGeneration(world: World, provider: ProviderSlot, by: number, nowMs: number): RowOp {
  const before = world.providers.row(provider)
  const after = { ...before, generation: before.generation + by, updated_at: nowMs }
  return update('resource_providers', before, after)
}
