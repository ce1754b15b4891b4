import { consumerSlot, type ProviderSlot } from '../../kernel/ids.ts'
import { replaceAllocations } from '../../placement/allocations/allocations.ts'
import { type ConsumerClaim, forgetConsumer, type ProviderClaim } from '../../placement/allocations/ledger.ts'
import { holdsExactly, leaveOnly, RESERVATION_TYPE } from '../../placement/allocations/reserved.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import { isReservationOpen, type ReservationRow } from '../../world/reservations.ts'
import type { World } from '../../world/world.ts'
import { getHostRow, isHostUp } from '../hosts/hosts.ts'

export type ReservationRefusal =
  | { readonly kind: 'reservation-exists'; readonly name: string }
  | { readonly kind: 'reservation-missing'; readonly reservation: string }
  | { readonly kind: 'too-many-reservations'; readonly max: number }
  /** It would end before it begins, or in the past. */
  | { readonly kind: 'reservation-ended'; readonly until: number }
  | { readonly kind: 'aggregate-missing'; readonly aggregate: string }
  /** Refused while another Placement is shadowed: that one would not know the reservation. */
  | { readonly kind: 'shadowing' }
  /** Another claim took the capacity first. */
  | { readonly kind: 'overtaken' }

const RESERVATIONS_MAX = 1_000

interface CreateReservation {
  readonly uuid: string
  readonly name: string
  readonly what: 'project' | 'failover'
  readonly project: string | null
  readonly aggregate: string | null
  readonly count: number
  /** The request of one server as JSON; empty for failover. */
  readonly request: string
  /** Null: from now on; without an end. */
  readonly from: number | null
  readonly until: number | null
}

/** Stores the reservation only. The keeper claims its places once it has begun. */
export function createReservation(
  world: World,
  command: CreateReservation,
  nowMs: number,
): Decision<ReservationRow, ReservationRefusal> {
  const { rows } = world.reservations
  const { uuid, name, what: kind, project, aggregate, count, request, from, until } = command
  if (world.shadow.row?.is_ended === 0) return refuse({ kind: 'shadowing' })
  if (world.reservations.find(name) !== undefined) return refuse({ kind: 'reservation-exists', name })
  if (rows.size >= RESERVATIONS_MAX) return refuse({ kind: 'too-many-reservations', max: RESERVATIONS_MAX })
  if (until !== null && until <= Math.max(nowMs, from ?? nowMs))
    return refuse({ kind: 'reservation-ended', until })
  if (aggregate !== null && world.compute.aggregates.find(aggregate) === undefined)
    return refuse({ kind: 'aggregate-missing', aggregate })
  const row: ReservationRow = {
    id: rows.nextId(),
    uuid,
    name,
    kind,
    project_id: project,
    aggregate,
    request,
    servers: count,
    from_at: from ?? nowMs,
    until_at: until,
    used: 0,
    short: 0,
    created_at: nowMs,
  }
  return accept({ ops: [insert('reservations', row)] }, row)
}

export function deleteReservation(
  world: World,
  { reservation }: { readonly reservation: string },
): Decision<null, ReservationRefusal> {
  const row = world.reservations.find(reservation)
  if (row === undefined) return refuse({ kind: 'reservation-missing', reservation })
  return accept({ ops: removeAll(world, row) }, null)
}

const removeAll = (world: World, row: ReservationRow): RowOp[] => [
  ...world.reservations.listSlots(row.id).flatMap(slot => forgetConsumer(world, slot)),
  remove('reservations', row),
]

/** Removes all reservations whose time is over. */
export function expireReservations(
  world: World,
  _command: object,
  nowMs: number,
): Decision<readonly string[], never> {
  const ended = world.reservations.rows.all().filter(row => row.until_at !== null && row.until_at <= nowMs)
  const ops = ended.flatMap(row => removeAll(world, row))
  return accept(
    { ops },
    ended.map(({ name }) => name),
  )
}

/** Releases places on hosts that are disabled or down, where they are useless. The keeper claims others. */
export function leaveClosedHosts(
  world: World,
  { reservation }: { readonly reservation: string },
): Decision<null, ReservationRefusal> {
  const row = world.reservations.find(reservation)
  if (row === undefined) return refuse({ kind: 'reservation-missing', reservation })
  const { consumers, providers } = world
  const useless = world.reservations
    .listSlots(row.id)
    .filter(slot =>
      consumers.holdings(slot).some(({ provider }) => isClosed(world, providers.rootOf(provider))),
    )
  return accept({ ops: useless.flatMap(slot => forgetConsumer(world, slot)) }, null)
}

/** Nova marks hosts that it disabled with the trait. */
function isClosed(world: World, root: ProviderSlot): boolean {
  const host = getHostRow(world, root)
  const trait = world.traits.id('COMPUTE_STATUS_DISABLED')
  const isMarked = trait !== undefined && world.providerTraits.has(root, trait)
  return isMarked || host.is_disabled !== 0 || !isHostUp(host)
}

/** Stores how many places are missing. */
export function noteShort(
  world: World,
  { reservation, short }: { readonly reservation: string; readonly short: number },
): Decision<null, ReservationRefusal> {
  const row = world.reservations.find(reservation)
  if (row === undefined) return refuse({ kind: 'reservation-missing', reservation })
  if (row.short === short) return accept(NO_CHANGE, null)
  return accept({ ops: [update('reservations', row, { ...row, short })] }, null)
}

export interface KeptPart {
  /** The uuid of the new consumer, used if no present one holds exactly these allocations. */
  readonly uuid: string
  readonly allocations: readonly ProviderClaim[]
}

interface HoldFailover {
  readonly reservation: string
  readonly parts: readonly KeptPart[]
  /** Servers that would find no place in the worst case. */
  readonly short: number
}

/** Makes the reservation hold exactly these parts in one commit: keeps what it has of them, claims the rest, releases everything else. */
export function holdFailover(
  world: World,
  { reservation, parts, short }: HoldFailover,
  nowMs: number,
): Decision<null, ReservationRefusal> {
  const row = world.reservations.find(reservation)
  if (row === undefined) return refuse({ kind: 'reservation-missing', reservation })
  if (!isReservationOpen(row, nowMs)) return accept(NO_CHANGE, null)
  const present = new Set(world.reservations.listSlots(row.id))
  const missing = parts.filter(({ allocations }) => {
    const same = [...present].find(slot => holdsExactly(world, slot, allocations))
    if (same !== undefined) present.delete(same)
    return same === undefined
  })
  const noted = row.short === short ? [] : [update('reservations', row, { ...row, short })]
  const claims: ConsumerClaim[] = [
    ...[...present].map(slot => leaveOnly(world, slot, [])),
    ...missing.map(({ uuid, allocations }) => ({
      consumer: uuid,
      projectId: row.uuid,
      userId: row.uuid,
      generation: null,
      allocations,
      type: RESERVATION_TYPE,
    })),
  ]
  if (claims.length === 0) return accept({ ops: noted }, null)
  const booked = replaceAllocations(world, { claims }, nowMs)
  if (!booked.ok) return refuse({ kind: 'overtaken' })
  const made = new Set(missing.map(({ uuid }) => uuid))
  const slots = booked.change.ops.flatMap(op =>
    op.table === 'consumers' && op.after !== null && made.has(op.after.uuid)
      ? [insert('reservation_slots', { consumer_id: consumerSlot(op.after.id), reservation_id: row.id })]
      : [],
  )
  return accept({ ops: [...booked.change.ops, ...slots, ...noted] }, null)
}
