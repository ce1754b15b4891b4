import { assert } from '../../kernel/assert.ts'
import { AMOUNT_MAX } from '../../kernel/number-bounds.ts'
import type { Change } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { raiseGeneration } from '../providers/generation.ts'
import { findGroupRefusal, type GroupRefusal } from './group-policy.ts'
import { book, type ClaimRefusal, type ConsumerClaim, currentLimits, forgetConsumer } from './ledger.ts'
import { useEqualPlaces } from './reserved.ts'

/**
 * Replaces the allocations of one consumer, subject to the policy of its server group. The policy applies
 * only to new placements: allocations that move between consumers, as when a migration is reverted, may
 * return to their host.
 */
export function claimAllocations(
  world: World,
  { claim }: { readonly claim: ConsumerClaim },
  nowMs: number,
): Decision<null, ClaimRefusal | GroupRefusal> {
  const decision = claimSeveral(world, { claims: [claim] }, nowMs)
  const broken = decision.ok ? findGroupRefusal(world, claim, nowMs) : null
  return broken === null ? decision : refuse(broken)
}

/** Replaces the allocations of several consumers, all or none, with the places that reservations keep for them. */
export function claimSeveral(
  world: World,
  { claims }: { readonly claims: readonly ConsumerClaim[] },
  nowMs: number,
): Decision<null, ClaimRefusal> {
  const freed = useEqualPlaces(world, claims)
  const decision = replaceAllocations(world, { claims: [...claims, ...freed.claims] }, nowMs)
  return decision.ok ? accept({ ops: [...decision.change.ops, ...freed.ops] }, null) : decision
}

/** Replaces the allocations of several consumers, all or none. */
export function replaceAllocations(
  world: World,
  command: { readonly claims: readonly ConsumerClaim[]; readonly avoid?: ReadonlySet<number> },
  nowMs: number,
): Decision<null, ClaimRefusal> {
  const booking = book(world, command.claims, currentLimits(world), nowMs, command.avoid)
  if (booking.kind !== 'booking') return refuse(booking)
  const generations = [...booking.raised].map(provider => raiseGeneration(world, provider, 1, nowMs))
  return accept({ ops: [...booking.ops, ...generations] }, null)
}

const NO_LIMITS = { capacity: Number.POSITIVE_INFINITY, minUnit: 1, maxUnit: AMOUNT_MAX, stepSize: 1 }

/** Writes what is so elsewhere: space that does not suffice refuses nothing. The providers and their inventories exist. */
export function mirrorAllocations(
  world: World,
  { claims }: { readonly claims: readonly ConsumerClaim[] },
  nowMs: number,
): Change {
  const booking = book(world, claims, () => NO_LIMITS, nowMs)
  assert(booking.kind === 'booking', 'without limits every claim on an inventory is valid')
  const generations = [...booking.raised].map(provider => raiseGeneration(world, provider, 1, nowMs))
  return { ops: [...booking.ops, ...generations] }
}

/** Removes all allocations of a consumer. The generations of the providers stay. */
export function deleteAllocations(
  world: World,
  command: { readonly consumer: string },
): Decision<null, { readonly kind: 'no-allocations'; readonly consumer: string }> {
  const slot = world.consumers.find(command.consumer)
  if (slot === undefined || world.consumers.holdings(slot).length === 0)
    return refuse({ kind: 'no-allocations', consumer: command.consumer })
  return accept({ ops: forgetConsumer(world, slot) }, null)
}
