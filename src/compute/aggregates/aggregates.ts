import type { ProviderSlot } from '../../kernel/ids.ts'
import { numberAggregates } from '../../placement/aggregates/aggregates.ts'
import { raiseGeneration } from '../../placement/providers/generation.ts'
import { findHostByName, listConsumers, ZONE } from '../../scheduling/hosts/hosts.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import type { AggregateRow, HostAggregate } from '../../world/compute.ts'
import { accept, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { ComputeDecision, ComputeRefusal } from '../refusals.ts'

export interface AggregateState {
  readonly row: AggregateRow
  readonly metadata: ReadonlyMap<string, string>
  /** By name, in order of slots. */
  readonly hosts: readonly string[]
}

export function describeState(world: World, row: AggregateRow): AggregateState {
  return { row, metadata: world.compute.aggregate(row.id).metadata, hosts: listHosts(world, row.id) }
}

export const listHosts = ({ compute, providers }: World, id: number): string[] =>
  compute.aggregateHosts.list(id).map(({ provider_id }) => providers.name(provider_id as ProviderSlot))

export function createAggregate(
  world: World,
  command: {
    readonly uuid: string
    readonly name: string
    readonly zone: string | null
    readonly appliedBy?: string | null
  },
  nowMs: number,
): ComputeDecision<AggregateState> {
  const { uuid, name, zone, appliedBy = null } = command
  const { aggregates } = world.compute
  if (world.compute.findAggregateByName(name) !== undefined) return refuse({ kind: 'aggregate-exists', name })
  const row = {
    id: aggregates.nextId(),
    uuid,
    name,
    applied_by: appliedBy,
    created_at: nowMs,
    updated_at: null,
  }
  const ops: RowOp[] = [insert('host_aggregates', row)]
  if (zone !== null)
    ops.push(insert('host_aggregate_metadata', { aggregate_id: row.id, key: ZONE, value: zone }))
  return accept({ ops }, { row, metadata: new Map(zone === null ? [] : [[ZONE, zone]]), hosts: [] })
}

interface ChangeAggregate {
  readonly aggregate: number
  /** Undefined: unchanged. */
  readonly name?: string | undefined
  /** Added to what is there; null removes a key. */
  readonly metadata: Readonly<Record<string, string | null>>
}

/** A new name, other metadata, or both. */
export function updateAggregate(
  world: World,
  command: ChangeAggregate,
  nowMs: number,
): ComputeDecision<AggregateState> {
  const { aggregates, metadata } = world.compute
  const before = aggregates.get(command.aggregate)
  if (before === undefined) return refuse({ kind: 'aggregate-missing', aggregate: command.aggregate })
  const named = command.name === undefined ? undefined : world.compute.findAggregateByName(command.name)
  if (named !== undefined && named.id !== before.id)
    return refuse({ kind: 'aggregate-exists', name: named.name })
  const wrongZone = checkZone(world, before, command.metadata)
  if (wrongZone !== null) return refuse(wrongZone)
  const row = { ...before, name: command.name ?? before.name, updated_at: nowMs }
  const ops: RowOp[] = [update('host_aggregates', before, row)]
  const after = new Map(world.compute.aggregate(before.id).metadata)
  for (const [key, value] of Object.entries(command.metadata)) {
    const old = metadata.find(before.id, key)
    if (value === null) after.delete(key)
    else after.set(key, value)
    if (old?.value === (value ?? undefined)) continue
    if (old !== undefined && value === null) ops.push(remove('host_aggregate_metadata', old))
    else if (value !== null) ops.push(makeMetadataOp(before.id, key, value, old))
  }
  return accept({ ops }, { row, metadata: after, hosts: listHosts(world, before.id) })
}

function makeMetadataOp(
  aggregate_id: number,
  key: string,
  value: string,
  old: { readonly aggregate_id: number; readonly key: string; readonly value: string } | undefined,
): RowOp {
  const wanted = { aggregate_id, key, value }
  return old === undefined
    ? insert('host_aggregate_metadata', wanted)
    : update('host_aggregate_metadata', old, wanted)
}

/** A zone must have a name, no host can be in two, and none with servers changes its zone. */
function checkZone(
  world: World,
  row: AggregateRow,
  metadata: Readonly<Record<string, string | null>>,
): ComputeRefusal | null {
  if (!Object.hasOwn(metadata, ZONE)) return null
  const zone = metadata[ZONE]
  if (!zone) return { kind: 'zone-empty', aggregate: row.name }
  const isSame = world.compute.aggregate(row.id).metadata.get(ZONE) === zone
  for (const { provider_id } of world.compute.aggregateHosts.list(row.id)) {
    const provider = provider_id as ProviderSlot
    const host = world.providers.name(provider)
    const other = findOtherZone(world, provider, zone, row.id)
    if (other !== null) return { kind: 'zone-other', host, ...other, adding: false }
    if (!isSame && listConsumers(world, provider).length > 0) return { kind: 'zone-in-use', host }
  }
  return null
}

/** The zone that a host has by another aggregate, if it differs. */
function findOtherZone(
  { compute }: World,
  provider: ProviderSlot,
  zone: string,
  except: number,
): { readonly zone: string; readonly by: string } | null {
  const isOther = ({ id, metadata }: HostAggregate) =>
    id !== except && metadata.has(ZONE) && metadata.get(ZONE) !== zone
  const found = compute.getAggregates(provider).find(isOther)
  return found === undefined ? null : { zone: found.metadata.get(ZONE) as string, by: found.name }
}

export function deleteAggregate(
  world: World,
  command: { readonly aggregate: number },
): ComputeDecision<null> {
  const { aggregates, metadata, aggregateHosts } = world.compute
  const { aggregate } = command
  const row = aggregates.get(aggregate)
  if (row === undefined) return refuse({ kind: 'aggregate-missing', aggregate })
  const hosts = aggregateHosts.countOf(aggregate)
  if (hosts > 0) return refuse({ kind: 'aggregate-not-empty', aggregate, hosts })
  const ops = metadata.list(aggregate).map(one => remove('host_aggregate_metadata', one))
  return accept({ ops: [...ops, remove('host_aggregates', row)] }, null)
}

interface AggregateAndHost {
  readonly aggregate: number
  readonly host: string
}

/** Also adds the host's provider to the Placement aggregate of the same uuid. */
export function addAggregateHost(
  world: World,
  command: AggregateAndHost,
  nowMs: number,
): ComputeDecision<AggregateState> {
  const decision = joinAggregate(world, command, nowMs)
  if (!decision.ok) return decision
  const { compute } = world
  const { row, provider } = decision.answer
  const slots = [...compute.aggregateHosts.list(row.id).map(one => one.provider_id), provider]
  const hosts = slots.sort((a, b) => a - b).map(slot => world.providers.name(slot as ProviderSlot))
  return accept(decision.change, { row, metadata: compute.aggregate(row.id).metadata, hosts })
}

interface Membership {
  readonly row: AggregateRow
  readonly provider: ProviderSlot
}

/** Without the list of all hosts in it, which would be long where many join in sequence. */
export function joinAggregate(
  world: World,
  command: AggregateAndHost,
  nowMs: number,
): ComputeDecision<Membership> {
  const { aggregate, host } = command
  const { compute } = world
  const provider = findHostByName(world, host)
  if (provider === undefined) return refuse({ kind: 'host-missing', host })
  const row = compute.aggregates.get(aggregate)
  if (row === undefined) return refuse({ kind: 'aggregate-missing', aggregate })
  if (compute.aggregateHosts.find(aggregate, provider) !== undefined)
    return refuse({ kind: 'aggregate-host-exists', aggregate, host })
  const zone = compute.metadata.find(aggregate, ZONE)?.value
  const other = zone === undefined ? null : findOtherZone(world, provider, zone, aggregate)
  if (other !== null) return refuse({ kind: 'zone-other', host, ...other, adding: true })
  const placed = addMember(world, provider, row.uuid, nowMs)
  const made_member = placed.length > 0 ? 1 : 0
  const ops = [
    ...placed,
    insert('host_aggregate_hosts', { aggregate_id: aggregate, provider_id: provider, made_member }),
  ]
  return accept({ ops }, { row, provider })
}

/** Nothing if the provider is a member already: then removing the host does not remove it. */
function addMember(world: World, provider: ProviderSlot, uuid: string, nowMs: number): RowOp[] {
  const { ids, created } = numberAggregates(world, [uuid])
  const [aggregate_id] = ids
  if (aggregate_id === undefined || world.providerAggregates.has(provider, aggregate_id)) return []
  const joined = insert('provider_aggregates', { provider_id: provider, aggregate_id })
  return [...created, joined, raiseGeneration(world, provider, 1, nowMs)]
}

/** Undoes in Placement only what joining did. */
export function removeAggregateHost(
  world: World,
  command: AggregateAndHost,
  nowMs: number,
): ComputeDecision<AggregateState> {
  const decision = leaveAggregate(world, command, nowMs)
  if (!decision.ok) return decision
  const { row } = decision.answer
  const hosts = listHosts(world, row.id).filter(one => one !== command.host)
  return accept(decision.change, { row, metadata: world.compute.aggregate(row.id).metadata, hosts })
}

export function leaveAggregate(
  world: World,
  command: AggregateAndHost,
  nowMs: number,
): ComputeDecision<Membership> {
  const { aggregate, host } = command
  const { compute, aggregates } = world
  const row = compute.aggregates.get(aggregate)
  if (row === undefined) return refuse({ kind: 'aggregate-missing', aggregate })
  // It may have ceased to be a host since it joined.
  const provider = world.providers.findName(host)
  const member = provider === undefined ? undefined : compute.aggregateHosts.find(aggregate, provider)
  if (provider === undefined || member === undefined)
    return refuse({ kind: 'aggregate-host-missing', aggregate, host })
  const ops: RowOp[] = [remove('host_aggregate_hosts', member)]
  const id = aggregates.find(row.uuid)
  if (member.made_member === 1 && id !== undefined)
    ops.push(
      remove('provider_aggregates', { provider_id: provider, aggregate_id: id }),
      raiseGeneration(world, provider, 1, nowMs),
    )
  return accept({ ops }, { row, provider })
}
