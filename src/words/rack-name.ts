import type { HostAggregate } from '../wire/openstack-compute.ts'

/** The rack that a host aggregate is, by its metadata or its name; null if it is none. */
export function findRackName({ name, metadata }: Pick<HostAggregate, 'name' | 'metadata'>): string | null {
  return metadata.rack ?? (/^rack\b/i.test(name) ? name : null)
}
