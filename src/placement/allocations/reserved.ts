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

/** A consumer that holds a part of a reservation. */
export interface Place {
  readonly row: ReservationRow
  readonly slot: ConsumerSlot
}

/** Uses places of reservations: their consumers end, and each reservation counts how many. */
export function usePlaces(world: World, places: readonly Place[]): Freed {
  const byRow = Map.groupBy(places, ({ row }) => row)
  return {
    claims: places.map(({ slot }) => leaveOnly(world, slot, [])),
    ops: [...byRow].map(([row, { length }]) =>
      update('reservations', row, { ...row, used: row.used + length }),
    ),
  }
}

/** The reservations of a project. */
export const listProjectReservations = ({ reservations }: World, project: string): ReservationRow[] =>
  reservations.size === 0
    ? []
    : reservations.rows.all().filter(row => row.kind === 'project' && row.project_id === project)

/**
 * A new server of a project that claims exactly what a reservation of the project holds on the same providers uses that place:
 * Placement's clients do not say whether they mean it. Each claim uses a place of its own.
 */
export function useEqualPlaces(world: World, claims: readonly ConsumerClaim[]): Freed {
  if (world.reservations.size === 0) return NOTHING_FREED
  const taken = new Set<number | undefined>(claims.map(({ consumer }) => world.consumers.find(consumer)))
  const places: Place[] = []
  for (const claim of claims) {
    const place = findEqualPlace(world, claim, taken)
    if (place === null) continue
    taken.add(place.slot)
    places.push(place)
  }
  return usePlaces(world, places)
}

function findEqualPlace(
  world: World,
  claim: ConsumerClaim,
  taken: ReadonlySet<number | undefined>,
): Place | null {
  if (world.consumers.find(claim.consumer) !== undefined) return null
  if (claim.type !== undefined && claim.type !== 'INSTANCE') return null
  for (const row of listProjectReservations(world, claim.projectId))
    for (const slot of world.reservations.listSlots(row.id))
      if (!taken.has(slot) && holdsExactly(world, slot, claim.allocations)) return { row, slot }
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
