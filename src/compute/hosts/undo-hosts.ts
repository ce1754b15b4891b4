import type { ProviderSlot } from '../../kernel/ids.ts'
import { raiseGeneration } from '../../placement/providers/generation.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import type { HostRow } from '../../world/compute.ts'
import { accept, refuse } from '../../world/decision.ts'
import { decideInSequence, type Step } from '../../world/rehearsal.ts'
import type { Row, TableName } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import { joinAggregate, leaveAggregate } from '../aggregates/aggregates.ts'
import type { ComputeDecision, ComputeRefusal } from '../refusals.ts'
import { findCloudHost } from './change-hosts.ts'

interface UndoHosts {
  /** The revision of the change, for messages. */
  readonly revision: number
  readonly ops: readonly RowOp[]
}

type Op<N extends TableName> = Extract<RowOp, { readonly table: N }>
type UndoStep = Step<string, ComputeRefusal>

/**
 * Takes back an earlier change of hosts by a new one: settings, allocation ratios, memberships in host aggregates.
 * Refused if one of the rows was changed since, or if a host belongs to a cloud by now. Answers with the hosts.
 */
export function undoHosts(
  world: World,
  { revision, ops }: UndoHosts,
  nowMs: number,
): ComputeDecision<readonly string[]> {
  const steps: UndoStep[] = []
  for (const op of ops.toReversed()) {
    const step = planStep(op, revision, nowMs)
    if (step === 'other') return refuse({ kind: 'change-not-undoable', revision, what: op.table })
    if (step !== null) steps.push(step)
  }
  if (steps.length === 0)
    return refuse({ kind: 'change-not-undoable', revision, what: ops[0]?.table ?? 'nothing' })
  const decision = decideInSequence(world, steps)
  if (!decision.ok) return decision
  const hosts = [...new Set(decision.answer)].sort()
  const owned = findCloudHost(world, hosts)
  return owned === null ? accept(decision.change, hosts) : refuse(owned)
}

/** Null: another step does it. */
function planStep(op: RowOp, revision: number, nowMs: number): UndoStep | null | 'other' {
  switch (op.table) {
    case 'hosts':
      return at => undoSettings(at, op, revision, nowMs)
    case 'inventories':
      return isRatioChange(op) ? at => undoInventory(at, op, revision, nowMs) : 'other'
    case 'host_aggregate_hosts':
      return at => undoMembership(at, op, revision, nowMs)
    case 'resource_providers':
      return op.before?.name === op.after?.name && op.before?.parent_id === op.after?.parent_id
        ? null
        : 'other'
    // Joining and leaving a host aggregate write these, and undoing that does.
    case 'provider_aggregates':
    case 'aggregates':
      return null
    default:
      return 'other'
  }
}

/** Totals and the like are what services report, not settings. */
const isRatioChange = ({ before, after }: Op<'inventories'>): boolean =>
  before !== null &&
  after !== null &&
  isSameRow({ ...before, allocation_ratio: after.allocation_ratio, updated_at: after.updated_at }, after)

const isSameRow = (one: object | null, other: object | null): boolean =>
  one === null || other === null
    ? one === other
    : Object.entries(one).every(([column, value]) => other[column as never] === value)

/** The name of a host that may be gone. */
const nameOf = ({ providers }: World, id: number): string =>
  providers.exists(id as ProviderSlot) ? providers.name(id as ProviderSlot) : `number ${id}`

const changedSince = (world: World, provider: number, revision: number, what: string) =>
  refuse({ kind: 'host-changed-since', host: nameOf(world, provider), revision, what } as const)

function undoSettings(
  world: World,
  { before, after }: Op<'hosts'>,
  revision: number,
  nowMs: number,
): ComputeDecision<string> {
  const { provider_id } = (after ?? before) as HostRow
  const slot = provider_id as ProviderSlot
  const current = world.compute.host(slot) ?? null
  // A host that was added or removed is more than a setting. A host without a row has the settings of a new one.
  if ((after ?? before)?.is_declared === 1 && (after === null || before === null))
    return refuse({ kind: 'change-not-undoable', revision, what: 'hosts' })
  if (!world.providers.exists(slot) || !isSameRow(after, current))
    return changedSince(world, provider_id, revision, 'settings')
  const host = world.providers.name(slot)
  const op =
    after === null
      ? insert('hosts', before as HostRow)
      : before === null
        ? remove('hosts', after)
        : update('hosts', after, { ...before, updated_at: nowMs })
  return accept({ ops: [op] }, host)
}

function undoInventory(
  world: World,
  op: Op<'inventories'>,
  revision: number,
  nowMs: number,
): ComputeDecision<string> {
  const before = op.before as Row<'inventories'>
  const after = op.after as Row<'inventories'>
  const slot = after.provider_id as ProviderSlot
  const what = `inventory of ${world.classes.name(after.class_id as never)}`
  const current = world.providers.exists(slot) ? world.inventories.row(slot, after.class_id as never) : null
  if (!isSameRow(after, current)) return changedSince(world, after.provider_id, revision, what)
  const ops = [
    update('inventories', after, { ...before, updated_at: nowMs }),
    raiseGeneration(world, slot, 1, nowMs),
  ]
  return accept({ ops }, nameOf(world, world.providers.rootOf(slot)))
}

function undoMembership(
  world: World,
  { before, after }: Op<'host_aggregate_hosts'>,
  revision: number,
  nowMs: number,
): ComputeDecision<string> {
  const { aggregate_id: aggregate, provider_id } = (after ?? before) as Row<'host_aggregate_hosts'>
  const host = nameOf(world, provider_id)
  const row = world.compute.aggregates.get(aggregate)
  const what = `membership in host aggregate ${row?.name ?? aggregate}`
  const current = world.compute.aggregateHosts.find(aggregate, provider_id as ProviderSlot) ?? null
  if (row === undefined || !isSameRow(after, current)) return changedSince(world, provider_id, revision, what)
  const rule = after === null ? joinAggregate : leaveAggregate
  const decided = rule(world, { aggregate, host }, nowMs)
  return decided.ok ? accept(decided.change, host) : decided
}
