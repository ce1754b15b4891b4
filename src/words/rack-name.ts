import type { HostAggregate } from '../wire/openstack-compute.ts'

type Named = Pick<HostAggregate, 'name' | 'metadata'>

/** The rack that a host aggregate is, by its metadata or its name; null if it is none. */
export function findRackName({ name, metadata }: Named): string | null {
  return metadata.rack ?? (/^rack\b/i.test(name) ? name : null)
}

/** The rack as the map shows it; null if the aggregate is none. */
export function findRackTitle(aggregate: Named): string | null {
  const rack = findRackName(aggregate)
  return rack === null || aggregate.metadata.rack === undefined ? rack : `Rack ${rack}`
}

/** The aggregates of a rack, by its name, or by what the map calls it in any case. */
export function findAggregatesOfRack<T extends Named>(aggregates: readonly T[], rack: string): readonly T[] {
  const exact = aggregates.filter(one => findRackName(one) === rack)
  if (exact.length > 0) return exact
  const title = rack.toLowerCase()
  return aggregates.filter(one => findRackTitle(one)?.toLowerCase() === title)
}
