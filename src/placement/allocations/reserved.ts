import type { ConsumerSlot } from '../../kernel/ids.ts'
import { type RowOp, update } from '../../world/change.ts'
import type { ReservationRow } from '../../world/reservations.ts'
import type { World } from '../../world/world.ts'
import type { ConsumerClaim } from './ledger.ts'

/** The type of consumers that hold reservations. */
export const RESERVATION_TYPE = 'RESERVATION'

/** What a claim takes out of reservations, in its own commit. */
export interface Freed {
  readonly claims: readonly ConsumerClaim[]
  /** Further rows. */
  readonly ops: readonly RowOp[]
}

export const NOTHING_FREED: Freed = { claims: [], ops: [] }

/** A claim that leaves a consumer only these allocations. */
export function leaveOnly(
  { consumers }: World,
  slot: ConsumerSlot,
  allocations: ConsumerClaim['allocations'],
): ConsumerClaim {
  const { uuid, project_id, user_id, generation } = consumers.row(slot)
  return { consumer: uuid, projectId: project_id, userId: user_id, generation, type: undefined, allocations }
}

/** Uses one place of a reservation: its consumer ends, and the reservation counts it. */
export const usePlace = (world: World, row: ReservationRow, slot: ConsumerSlot): Freed => ({
  claims: [leaveOnly(world, slot, [])],
  ops: [update('reservations', row, { ...row, used: row.used + 1 })],
})

/** The reservations of a project. */
export const listProjectReservations = ({ reservations }: World, project: string): ReservationRow[] =>
  reservations.size === 0
    ? []
    : reservations.rows.all().filter(row => row.kind === 'project' && row.project_id === project)

/**
 * A new server of a project that claims exactly what a reservation of the project holds on the same providers uses that place:
 * Placement's clients do not say whether they mean it.
 */
export function findEqualPlace(world: World, claim: ConsumerClaim): Freed | null {
  if (world.consumers.find(claim.consumer) !== undefined) return null
  if (claim.type !== undefined && claim.type !== 'INSTANCE') return null
  for (const row of listProjectReservations(world, claim.projectId))
    for (const slot of world.reservations.listSlots(row.id))
      if (holdsExactly(world, slot, claim.allocations)) return usePlace(world, row, slot)
  return null
}

export function holdsExactly(
  { consumers, providers, classes }: World,
  slot: ConsumerSlot,
  allocations: ConsumerClaim['allocations'],
): boolean {
  const held = new Map(
    consumers
      .holdings(slot)
      .map(one => [`${providers.uuid(one.provider)} ${classes.name(one.class)}`, one.used]),
  )
  let equal = 0
  for (const { provider, resources } of allocations)
    for (const [name, amount] of resources) {
      if (held.get(`${provider} ${name}`) !== amount) return false
      equal++
    }
  return equal === held.size
}
