import type { AggregateId, ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import { type RowOp, remove, update } from '../../world/change.ts'
import type { World } from '../../world/world.ts'

// Placement's commits also delete the compute rows of the providers and consumers that they change.

/** Deleting a provider deletes its host row and its membership in host aggregates. */
export function forgetHost({ compute }: World, provider: ProviderSlot): RowOp[] {
  const ops: RowOp[] = []
  for (const { id } of compute.getAggregates(provider)) {
    const row = compute.aggregateHosts.find(id, provider)
    if (row !== undefined) ops.push(remove('host_aggregate_hosts', row))
  }
  const host = compute.host(provider)
  if (host !== undefined) ops.push(remove('hosts', host))
  return ops
}

/**
 * After another request removed the provider from an aggregate, the host aggregate no longer owns that
 * membership.
 */
export function disownMembership(
  { compute, aggregates }: World,
  provider: ProviderSlot,
  aggregate: AggregateId,
): RowOp[] {
  const owner = compute.aggregates.find(aggregates.uuid(aggregate))
  const row = owner === undefined ? undefined : compute.aggregateHosts.find(owner.id, provider)
  if (row === undefined || row.made_member === 0) return []
  return [update('host_aggregate_hosts', row, { ...row, made_member: 0 })]
}

/** A consumer without allocations leaves its server group and its reservation, and its stored request is deleted. */
export function forgetServer({ compute, reservations }: World, consumer: ConsumerSlot): RowOp[] {
  const member = compute.groupOf(consumer)
  const request = compute.getRequest(consumer)
  const place = reservations.slotOf(consumer)
  return [
    ...(member === undefined ? [] : [remove('server_group_members', member)]),
    ...(request === undefined ? [] : [remove('server_requests', request)]),
    ...(place === undefined ? [] : [remove('reservation_slots', place)]),
  ]
}
