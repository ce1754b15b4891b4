import { type AggregateId, aggregateId, type ProviderSlot } from '../../kernel/ids.ts'
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

interface SetAggregates {
  readonly provider: string
  /** Null: neither checked nor raised, as old clients expect. */
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
  const ops = [...created, ...aggregateOps(world, provider, ids)]
  if (command.generation === null) return accept({ ops }, { generation })
  ops.push(raiseGeneration(world, provider, 1, nowMs))
  return accept({ ops }, { generation: generation + 1 })
}

/** The aggregates that a provider leaves and joins, so that it is in exactly the wanted ones. */
export function aggregateOps(
  world: World,
  provider_id: ProviderSlot,
  wanted: ReadonlySet<AggregateId>,
): RowOp[] {
  const { providerAggregates } = world
  const ops: RowOp[] = []
  for (const aggregate_id of providerAggregates.list(provider_id)) {
    if (wanted.has(aggregate_id)) continue
    ops.push(...disownMembership(world, provider_id, aggregate_id))
    ops.push(remove('provider_aggregates', { provider_id, aggregate_id }))
  }
  for (const aggregate_id of wanted)
    if (!providerAggregates.has(provider_id, aggregate_id))
      ops.push(insert('provider_aggregates', { provider_id, aggregate_id }))
  return ops
}

/** Aggregates need not exist: naming one creates it. */
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
