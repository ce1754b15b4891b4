import { ZONE } from '../../scheduling/hosts/hosts.ts'
import type { AggregateRow } from '../../world/compute.ts'
import { accept, type Decision } from '../../world/decision.ts'
import { decideInSequence, type Step } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import {
  createAggregate,
  deleteAggregate,
  joinAggregate,
  leaveAggregate,
  listHosts,
  updateAggregate,
} from '../aggregates/aggregates.ts'
import type { ComputeRefusal } from '../refusals.ts'
import { type AggregateDeclaration, compareFields, type PlannedChange } from './declarations.ts'

type AggregateStep = Step<unknown, ComputeRefusal>
type ChangeDecision = Decision<PlannedChange, ComputeRefusal>

/**
 * Hosts leave before any join, so that one can move between aggregates of two zones. So each part of a plan runs for all
 * aggregates before the next.
 */

export function removeHosts(
  world: World,
  declared: AggregateDeclaration,
  nowMs: number,
): Decision<null, ComputeRefusal> {
  const row = world.compute.findAggregateByName(declared.name)
  if (row === undefined || declared.hosts === undefined) return accept({ ops: [] }, null)
  const wanted = new Set(declared.hosts)
  return leave(
    world,
    row,
    listHosts(world, row.id).filter(host => !wanted.has(host)),
    nowMs,
  )
}

export function leave(
  world: World,
  { id }: AggregateRow,
  hosts: readonly string[],
  nowMs: number,
): Decision<null, ComputeRefusal> {
  const steps = hosts.map(
    (host): AggregateStep =>
      at =>
        leaveAggregate(at, { aggregate: id, host }, nowMs),
  )
  const decision = decideInSequence(world, steps)
  return decision.ok ? accept(decision.change, null) : decision
}

/** The aggregate and its metadata; the plan also shows its hosts. */
export function applyAggregate(
  world: World,
  declared: AggregateDeclaration,
  before: AggregateBefore,
  { owner, newUuid, nowMs }: { readonly owner: string; readonly newUuid: string; readonly nowMs: number },
): ChangeDecision {
  const { name } = declared
  const row = world.compute.findAggregateByName(name)
  const differences = compareFields(before, renderDeclared(declared))
  const owned = row === undefined || row.applied_by === owner
  const action = row === undefined ? 'create' : differences.length === 0 ? 'unchanged' : 'update'
  const change: PlannedChange = { kind: 'aggregate', name, action, owned, differences }
  const steps: AggregateStep[] = []
  if (row === undefined)
    steps.push(at =>
      createAggregate(at, { uuid: newUuid, name, zone: declared.zone ?? null, appliedBy: owner }, nowMs),
    )
  const metadata = diffMetadata(world, row, declared)
  if (Object.keys(metadata).length > 0)
    steps.push(at => {
      const aggregate = at.compute.findAggregateByName(name)?.id as number
      return updateAggregate(at, { aggregate, metadata }, nowMs)
    })
  const decision = decideInSequence(world, steps)
  return decision.ok ? accept(decision.change, change) : decision
}

/** What must be set to match the declaration. */
function diffMetadata(
  { compute }: World,
  row: AggregateRow | undefined,
  { zone, metadata }: AggregateDeclaration,
): Record<string, string | null> {
  const there: ReadonlyMap<string, string> =
    row === undefined ? new Map() : compute.aggregate(row.id).metadata
  const wanted = new Map<string, string | null>()
  const isZoneNew = row !== undefined && zone !== undefined && there.get(ZONE) !== zone
  if (isZoneNew) wanted.set(ZONE, zone)
  for (const [key, value] of Object.entries(metadata ?? {}))
    if (there.get(key) !== value) wanted.set(key, value)
  if (metadata !== undefined)
    for (const key of there.keys()) if (key !== ZONE && !Object.hasOwn(metadata, key)) wanted.set(key, null)
  return Object.fromEntries(wanted)
}

export function addHosts(
  world: World,
  declared: AggregateDeclaration,
  nowMs: number,
): Decision<null, ComputeRefusal> {
  const row = world.compute.findAggregateByName(declared.name) as AggregateRow
  const there = new Set(listHosts(world, row.id))
  const steps = [...new Set(declared.hosts ?? [])]
    .filter(host => !there.has(host))
    .map(
      (host): AggregateStep =>
        at =>
          joinAggregate(at, { aggregate: row.id, host }, nowMs),
    )
  const decision = decideInSequence(world, steps)
  return decision.ok ? accept(decision.change, null) : decision
}

export function dropAggregate(world: World, { id, name }: AggregateRow): ChangeDecision {
  const gone = deleteAggregate(world, { aggregate: id })
  const change: PlannedChange = { kind: 'aggregate', name, action: 'remove', owned: true, differences: [] }
  return gone.ok ? accept(gone.change, change) : gone
}

export const listAppliedAggregates = ({ compute }: World, owner: string): AggregateRow[] =>
  compute.aggregates.all().filter(row => row.applied_by === owner)

type AggregateBefore = Readonly<Record<string, unknown>>

function renderDeclared({ zone, metadata, hosts }: AggregateDeclaration): Record<string, unknown> {
  return {
    ...(zone === undefined ? {} : { availability_zone: zone }),
    ...Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [`metadata.${key}`, value])),
    ...(hosts === undefined ? {} : { hosts: [...new Set(hosts)].sort() }),
  }
}

/** The state before the changes. */
export function describeBefore(world: World, declared: AggregateDeclaration): AggregateBefore {
  const row = world.compute.findAggregateByName(declared.name)
  if (row === undefined) return {}
  const { metadata } = world.compute.aggregate(row.id)
  const others = declared.metadata === undefined ? [] : [...metadata].filter(([key]) => key !== ZONE)
  return {
    ...(declared.zone === undefined || !metadata.has(ZONE) ? {} : { availability_zone: metadata.get(ZONE) }),
    ...Object.fromEntries(others.map(([key, value]) => [`metadata.${key}`, value])),
    ...(declared.hosts === undefined ? {} : { hosts: listHosts(world, row.id).sort() }),
  }
}
