import { ZONE } from '../../scheduling/hosts/hosts.ts'
import type { AggregateRow } from '../../world/compute.ts'
import { accept, type Decision } from '../../world/decision.ts'
import { inSequence, type Step } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import {
  changeAggregate,
  createAggregate,
  deleteAggregate,
  hostsOf,
  joinAggregate,
  leaveAggregate,
} from '../aggregates/aggregates.ts'
import type { ComputeRefusal } from '../refusals.ts'
import { type AggregateDeclaration, differencesOf, type PlannedChange } from './declarations.ts'

type AggregateStep = Step<unknown, ComputeRefusal>
type Planned = Decision<PlannedChange, ComputeRefusal>

/**
 * Hosts leave before any join, so that one can move from an aggregate of one zone to that of another. So the parts of a
 * plan are done one after the other for all aggregates together.
 */

/** Everybody who is to leave. */
export function leavingHosts(
  world: World,
  declared: AggregateDeclaration,
  nowMs: number,
): Decision<null, ComputeRefusal> {
  const row = world.compute.aggregateNamed(declared.name)
  if (row === undefined || declared.hosts === undefined) return accept({ ops: [] }, null)
  const wanted = new Set(declared.hosts)
  return leave(
    world,
    row,
    hostsOf(world, row.id).filter(host => !wanted.has(host)),
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
  const decision = inSequence(world, steps)
  return decision.ok ? accept(decision.change, null) : decision
}

/** The aggregate itself and its metadata; the plan tells of its hosts too. */
export function applyAggregate(
  world: World,
  declared: AggregateDeclaration,
  before: AggregateBefore,
  { owner, newUuid, nowMs }: { readonly owner: string; readonly newUuid: string; readonly nowMs: number },
): Planned {
  const { name } = declared
  const row = world.compute.aggregateNamed(name)
  const differences = differencesOf(before, toldOf(declared))
  const owned = row === undefined || row.applied_by === owner
  const action = row === undefined ? 'create' : differences.length === 0 ? 'unchanged' : 'update'
  const change: PlannedChange = { kind: 'aggregate', name, action, owned, differences }
  const steps: AggregateStep[] = []
  if (row === undefined)
    steps.push(at =>
      createAggregate(at, { uuid: newUuid, name, zone: declared.zone ?? null, appliedBy: owner }, nowMs),
    )
  const metadata = metadataOf(world, row, declared)
  if (Object.keys(metadata).length > 0)
    steps.push(at => {
      const aggregate = at.compute.aggregateNamed(name)?.id as number
      return changeAggregate(at, { aggregate, metadata }, nowMs)
    })
  const decision = inSequence(world, steps)
  return decision.ok ? accept(decision.change, change) : decision
}

/** What has to be set so that it is as declared. */
function metadataOf(
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

/** Everybody who is to join. */
export function joiningHosts(
  world: World,
  declared: AggregateDeclaration,
  nowMs: number,
): Decision<null, ComputeRefusal> {
  const row = world.compute.aggregateNamed(declared.name) as AggregateRow
  const there = new Set(hostsOf(world, row.id))
  const steps = [...new Set(declared.hosts ?? [])]
    .filter(host => !there.has(host))
    .map(
      (host): AggregateStep =>
        at =>
          joinAggregate(at, { aggregate: row.id, host }, nowMs),
    )
  const decision = inSequence(world, steps)
  return decision.ok ? accept(decision.change, null) : decision
}

export function dropAggregate(world: World, { id, name }: AggregateRow): Planned {
  const gone = deleteAggregate(world, { aggregate: id })
  const change: PlannedChange = { kind: 'aggregate', name, action: 'remove', owned: true, differences: [] }
  return gone.ok ? accept(gone.change, change) : gone
}

export const appliedAggregates = ({ compute }: World, owner: string): AggregateRow[] =>
  compute.aggregates.all().filter(row => row.applied_by === owner)

type AggregateBefore = Readonly<Record<string, unknown>>

function toldOf({ zone, metadata, hosts }: AggregateDeclaration): Record<string, unknown> {
  return {
    ...(zone === undefined ? {} : { availability_zone: zone }),
    ...Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [`metadata.${key}`, value])),
    ...(hosts === undefined ? {} : { hosts: [...new Set(hosts)].sort() }),
  }
}

/** What there is of what is declared, before anything is done. */
export function aggregateBefore(world: World, declared: AggregateDeclaration): AggregateBefore {
  const row = world.compute.aggregateNamed(declared.name)
  if (row === undefined) return {}
  const { metadata } = world.compute.aggregate(row.id)
  const others = declared.metadata === undefined ? [] : [...metadata].filter(([key]) => key !== ZONE)
  return {
    ...(declared.zone === undefined || !metadata.has(ZONE) ? {} : { availability_zone: metadata.get(ZONE) }),
    ...Object.fromEntries(others.map(([key, value]) => [`metadata.${key}`, value])),
    ...(declared.hosts === undefined ? {} : { hosts: hostsOf(world, row.id).sort() }),
  }
}
