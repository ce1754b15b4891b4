import { type AggregateId, aggregateId } from '../../kernel/ids.ts'
import { insert, type RowOp, remove } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import {
  atGeneration,
  type GenerationConflict,
  type ProviderMissing,
  raiseGeneration,
} from '../providers/generation.ts'
import { disownMembership } from '../providers/host-rows.ts'

export interface SetAggregates {
  readonly provider: string
  /** Null: not checked and not raised, as old clients expect. */
  readonly generation: number | null
  readonly aggregates: readonly string[]
}

export function setAggregates(
  world: World,
  command: SetAggregates,
  nowMs: number,
): Decision<{ readonly generation: number }, ProviderMissing | GenerationConflict> {
  const found = atGeneration(world, command)
  if (found.kind !== 'provider') return refuse(found)
  const provider = found.slot
  const generation = world.providers.generation[provider] as number
  const { ids, created } = numberAggregates(world, command.aggregates)
  const held = new Set(world.providerAggregates.of(provider))
  const row = (aggregate_id: AggregateId) => ({ provider_id: provider, aggregate_id })
  const ops: RowOp[] = [
    ...created,
    ...[...held]
      .filter(id => !ids.has(id))
      .flatMap(id => [...disownMembership(world, provider, id), remove('provider_aggregates', row(id))]),
    ...[...ids].filter(id => !held.has(id)).map(id => insert('provider_aggregates', row(id))),
  ]
  if (command.generation === null) return accept({ ops }, { generation })
  ops.push(raiseGeneration(world, provider, 1, nowMs))
  return accept({ ops }, { generation: generation + 1 })
}

/** Aggregates need not exist: naming one makes it. */
export function numberAggregates(
  world: World,
  uuids: readonly string[],
): { ids: Set<AggregateId>; created: RowOp[] } {
  const ids = new Set<AggregateId>()
  const created: RowOp[] = []
  let next = world.aggregates.size + 1
  for (const uuid of new Set(uuids)) {
    const known = world.aggregates.find(uuid)
    if (known !== undefined) ids.add(known)
    else {
      created.push(insert('aggregates', { id: next, uuid }))
      ids.add(aggregateId(next++))
    }
  }
  return { ids, created }
}
