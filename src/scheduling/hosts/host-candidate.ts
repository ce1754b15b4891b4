import type { ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import { replaceAllocations } from '../../placement/allocations/allocations.ts'
import type { ConsumerClaim } from '../../placement/allocations/ledger.ts'
import { type Freed, NOTHING_FREED, RESERVATION_TYPE } from '../../placement/allocations/reserved.ts'
import type { ExpandedCandidate } from '../../placement/candidates/candidates.ts'
import { type Change, insert, type RowOp, remove, update } from '../../world/change.ts'
import type { World } from '../../world/world.ts'
import { renderSpec, type ServerAsk } from './server-spec.ts'
import type { WorldHost } from './world-host.ts'

/** A host and the allocations of a server in its tree: an allocation candidate of Placement on that host. */
export interface HostCandidate {
  readonly host: string
  /** The uuid of the host's root provider. */
  readonly provider: string
  /** By provider, then by resource class. */
  readonly allocations: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** The providers of each request group, by suffix. */
  readonly mappings: Readonly<Record<string, readonly string[]>>
}

export function makeHostCandidate(
  { providers, classes }: World,
  host: WorldHost,
  candidate: ExpandedCandidate,
): HostCandidate {
  const uuid = (slot: ProviderSlot) => providers.uuid(slot)
  return {
    host: host.name,
    provider: host.uuid,
    allocations: Object.fromEntries(
      [...candidate.allocations].map(([slot, amounts]) => [
        uuid(slot),
        Object.fromEntries([...amounts].map(([id, amount]) => [classes.name(id), amount])),
      ]),
    ),
    mappings: Object.fromEntries([...candidate.mappings].map(([suffix, slots]) => [suffix, slots.map(uuid)])),
  }
}

/** Releases all allocations of a server. */
export function releaseServer(world: World, instance: string): Change {
  const slot = world.consumers.find(instance)
  return slot === undefined ? { ops: [] } : releaseConsumer(world, slot)
}

/** Releases all allocations of a consumer, to see what would fit then. */
export const releaseConsumer = ({ consumers }: World, consumer_id: ConsumerSlot): Change => ({
  ops: consumers
    .holdings(consumer_id)
    .map(({ provider: provider_id, class: class_id, used }) =>
      remove('allocations', { consumer_id, provider_id, class_id, used }),
    ),
})

interface Booking {
  readonly ask: ServerAsk
  readonly instance: string
  readonly decision: string
  /** The consumer that takes over the server's old allocations. */
  readonly sourceHolder: string | null
  /** What it takes out of reservations. */
  readonly freed?: Freed
  /** Numbers of consumers that earlier servers of the same change took out of reservations. */
  readonly avoid?: ReadonlySet<number>
}

/** Allocates a candidate to a server and writes its rows. Null if the ledger refuses. */
export function bookCandidate(
  world: World,
  { ask, instance, decision, sourceHolder, freed = NOTHING_FREED, avoid }: Booking,
  candidate: HostCandidate,
  nowMs: number,
): Change | null {
  const known = world.consumers.find(instance)
  const claims: ConsumerClaim[] = [
    {
      consumer: instance,
      projectId: ask.project,
      userId: ask.user,
      type: ask.reserves === undefined ? 'INSTANCE' : RESERVATION_TYPE,
      generation: known === undefined ? null : world.consumers.row(known).generation,
      allocations: Object.entries(candidate.allocations).map(([provider, resources]) => ({
        provider,
        resources: Object.entries(resources),
      })),
    },
  ]
  if (sourceHolder !== null && known !== undefined)
    claims.push(makeSourceClaim(world, ask, sourceHolder, known))
  const booked = replaceAllocations(
    world,
    { claims: [...claims, ...freed.claims], ...(avoid !== undefined && { avoid }) },
    nowMs,
  )
  if (!booked.ok) return null
  const slot = findConsumer(booked.change, instance)
  if (ask.reserves !== undefined)
    return { ops: [...booked.change.ops, ...makePlaceRows(world, ask.reserves, slot)] }
  return {
    ops: [...booked.change.ops, ...freed.ops, ...makeServerRows(world, ask, instance, slot, decision)],
  }
}

/** Moves the server's current allocations to another consumer. */
function makeSourceClaim(
  { consumers, providers, classes }: World,
  { project, user }: ServerAsk,
  sourceHolder: string,
  server: ConsumerSlot,
): ConsumerClaim {
  return {
    consumer: sourceHolder,
    projectId: project,
    userId: user,
    type: 'MIGRATION',
    generation: null,
    allocations: consumers.holdings(server).map(({ provider, class: id, used }) => ({
      provider: providers.uuid(provider),
      resources: [[classes.name(id), used] as const],
    })),
  }
}

function findConsumer({ ops }: Change, uuid: string): number {
  for (const op of ops) if (op.table === 'consumers' && op.after?.uuid === uuid) return op.after.id
  throw new Error(`a claim without its consumer ${uuid}`)
}

function makePlaceRows({ reservations }: World, reservation: string, consumer_id: number): RowOp[] {
  const row = reservations.rows.find(reservation)
  return row === undefined ? [] : [insert('reservation_slots', { consumer_id, reservation_id: row.id })]
}

/** The request and the name of the server, and its group membership. */
function makeServerRows(
  { compute }: World,
  ask: ServerAsk,
  instance: string,
  consumer_id: number,
  decision: string,
): RowOp[] {
  const before = compute.getRequest(consumer_id as ConsumerSlot)
  const name = ask.names?.[ask.instances.indexOf(instance)] ?? before?.name ?? null
  const after = { consumer_id, name, decision, request: renderSpec(ask.spec), applied_by: null }
  const ops = [
    before === undefined ? insert('server_requests', after) : update('server_requests', before, after),
  ]
  const group = ask.group === null ? undefined : compute.groups.find(ask.group)
  if (group !== undefined && compute.groupOf(consumer_id as ConsumerSlot) === undefined)
    ops.push(insert('server_group_members', { consumer_id, group_id: group.id }))
  return ops
}
