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

export function raiseGeneration(world: World, provider: ProviderSlot, by: number, nowMs: number): RowOp {
  const before = world.providers.row(provider)
  const after = { ...before, generation: before.generation + by, updated_at: nowMs }
  return update('resource_providers', before, after)
}
