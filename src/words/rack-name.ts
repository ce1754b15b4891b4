import type { HostAggregate } from '../wire/openstack-compute.ts'

/** The rack that a host aggregate is, by its metadata or its name; null if it is none. */
export function findRackName({ name, metadata }: Pick<HostAggregate, 'name' | 'metadata'>): string | null {
  return metadata.rack ?? (/^rack\b/i.test(name) ? name : null)
}

/** The rack as the map shows it; null if the aggregate is none. */
export function findRackTitle(aggregate: Pick<HostAggregate, 'name' | 'metadata'>): string | null {
  const rack = findRackName(aggregate)
  return rack === null || aggregate.metadata.rack === undefined ? rack : `Rack ${rack}`
}
