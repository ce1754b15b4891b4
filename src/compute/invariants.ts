import { type ConsumerSlot, type ProviderSlot, providerSlot } from '../kernel/ids.ts'
import type { AggregateHostRow } from '../world/compute.ts'
import { type Finding, isJsonObject, type Report } from '../world/findings.ts'
import type { World } from '../world/world.ts'

type ComputeFinding = Finding<
  | 'flavor.missing'
  | 'host.provider-missing'
  | 'host.not-json'
  | 'host-aggregate.missing'
  | 'host-aggregate.provider-missing'
  | 'host-aggregate.membership-missing'
  | 'server-group.missing'
  | 'server-group.consumer-missing'
  | 'server-request.consumer-missing'
  | 'server-request.not-json'
  | 'reservation.missing'
  | 'reservation.consumer-missing'
  | 'index.wrong'
>

/** Every row refers to something that exists, and Placement agrees. */
export function checkCompute(world: World, report: Report<ComputeFinding>): void {
  checkFlavors(world, report)
  checkHosts(world, report)
  checkAggregates(world, report)
  checkServers(world, report)
  checkReservations(world, report)
}

function checkFlavors({ compute }: World, report: Report<ComputeFinding>): void {
  const check = (what: string, flavorId: number) => {
    if (compute.flavors.get(flavorId) === undefined)
      report.add({ kind: 'flavor.missing', what: `${what} is of flavor ${flavorId}` })
  }
  for (const { flavor_id, key } of compute.extraSpecs.rows()) check(`extra spec ${key}`, flavor_id)
  for (const { flavor_id, project_id } of compute.flavorAccess.rows())
    check(`access of ${project_id}`, flavor_id)
}

function checkHosts({ compute, providers }: World, report: Report<ComputeFinding>): void {
  for (const { provider_id, capabilities } of compute.hosts()) {
    if (!providers.exists(provider_id))
      report.add({ kind: 'host.provider-missing', what: `host of provider ${provider_id}` })
    if (!isJsonObject(capabilities))
      report.add({ kind: 'host.not-json', what: `capabilities of the host of provider ${provider_id}` })
  }
}

function checkAggregates(world: World, report: Report<ComputeFinding>): void {
  const { compute, providers } = world
  const check = (what: string, aggregateId: number): boolean => {
    const isThere = compute.aggregates.get(aggregateId) !== undefined
    if (!isThere)
      report.add({ kind: 'host-aggregate.missing', what: `${what} is of aggregate ${aggregateId}` })
    return isThere
  }
  for (const { aggregate_id, key } of compute.metadata.rows()) check(`metadata ${key}`, aggregate_id)
  for (const row of compute.aggregateHosts.rows()) {
    const what = `provider ${row.provider_id} in host aggregate ${row.aggregate_id}`
    const isThere = check(`provider ${row.provider_id}`, row.aggregate_id)
    if (!providers.exists(row.provider_id)) report.add({ kind: 'host-aggregate.provider-missing', what })
    else if (isThere && row.made_member !== 0 && !isMember(world, row))
      report.add({ kind: 'host-aggregate.membership-missing', what })
    if (
      isThere &&
      !compute.getAggregates(providerSlot(row.provider_id)).some(one => one.id === row.aggregate_id)
    )
      report.add({ kind: 'index.wrong', what: `${what}, which the host does not list` })
  }
}

function isMember({ compute, aggregates, providerAggregates }: World, row: AggregateHostRow): boolean {
  const id = aggregates.find(compute.aggregates.row(row.aggregate_id).uuid)
  return id !== undefined && providerAggregates.has(row.provider_id as ProviderSlot, id)
}

function checkServers({ compute, consumers }: World, report: Report<ComputeFinding>): void {
  const there = new Set([...consumers.rows()].map(({ id }) => id as ConsumerSlot))
  for (const { consumer_id, group_id } of compute.mirrors.server_group_members.rows()) {
    const what = `consumer ${consumer_id} in server group ${group_id}`
    if (compute.groups.get(group_id) === undefined) report.add({ kind: 'server-group.missing', what })
    if (!there.has(consumer_id as ConsumerSlot)) report.add({ kind: 'server-group.consumer-missing', what })
  }
  for (const { consumer_id, request } of compute.mirrors.server_requests.rows()) {
    const what = `the request of consumer ${consumer_id}`
    if (!there.has(consumer_id as ConsumerSlot)) report.add({ kind: 'server-request.consumer-missing', what })
    if (!isJsonObject(request)) report.add({ kind: 'server-request.not-json', what })
  }
}

function checkReservations({ reservations, consumers }: World, report: Report<ComputeFinding>): void {
  const there = new Set([...consumers.rows()].map(({ id }) => id))
  for (const { consumer_id, reservation_id } of reservations.mirrors.reservation_slots.rows()) {
    const what = `consumer ${consumer_id} of reservation ${reservation_id}`
    if (reservations.rows.get(reservation_id) === undefined) report.add({ kind: 'reservation.missing', what })
    if (!there.has(consumer_id)) report.add({ kind: 'reservation.consumer-missing', what })
  }
}
