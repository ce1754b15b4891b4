import { inParallel } from '../../client/in-parallel.ts'
import type { CloudService, MinorRange } from '../cloud/cloud-service.ts'
import type {
  NovaAggregate,
  NovaFlavor,
  NovaGroup,
  NovaHypervisor,
  NovaServer,
  NovaService,
  NovaState,
  NovaZone,
} from './nova-state.ts'

/** 2.61 brought extra specs into the list of flavors; 2.100 shows scheduler hints of servers. */
export const NOVA_MINORS: MinorRange = { min: 61, max: 100 }

/** Requests at once. The client has a limit of its own, for all services of the cloud together. */
const AT_ONCE = 8
const COMPUTE = 'nova-compute'

/** Everything but servers: a few lists, and a request for each private flavor whose projects are not known yet. */
export async function readNovaLists(
  nova: CloudService,
  known: NovaState['access'],
): Promise<Omit<NovaState, 'servers'>> {
  const flavors = await nova.list<NovaFlavor>('/flavors/detail', 'flavors', { query: { is_public: 'none' } })
  const aggregates = await nova.list<NovaAggregate>('/os-aggregates', 'aggregates', { paging: 'none' })
  const services = await nova.list<NovaService>('/os-services', 'services', {
    paging: 'none',
    query: { binary: COMPUTE },
  })
  const hypervisors = await nova.list<NovaHypervisor>('/os-hypervisors/detail', 'hypervisors')
  const zones = await nova.list<NovaZone>('/os-availability-zone/detail', 'availabilityZoneInfo', {
    paging: 'none',
  })
  const groups = await nova.list<NovaGroup>('/os-server-groups', 'server_groups', {
    paging: 'offset',
    query: { all_projects: 'true' },
  })
  const access = await readAccess(nova, flavors, known)
  return { flavors, access, aggregates, services, hypervisors, zones, groups }
}

async function readAccess(
  nova: CloudService,
  flavors: readonly NovaFlavor[],
  known: NovaState['access'],
): Promise<NovaState['access']> {
  const hidden = flavors.filter(flavor => !flavor['os-flavor-access:is_public'])
  const pairs = await inParallel(hidden, AT_ONCE, async ({ id }) => {
    const found = known.get(id)
    if (found !== undefined) return [id, found] as const
    // A flavor that was deleted meanwhile has no list.
    const answer = await nova.getIfAny<{ flavor_access: readonly { tenant_id: string }[] }>(
      `/flavors/${encodeURIComponent(id)}/os-flavor-access`,
    )
    return [id, (answer?.flavor_access ?? []).map(({ tenant_id }) => tenant_id).sort()] as const
  })
  return new Map(pairs)
}

/** All servers of all projects, or those that changed since a moment; deleted ones too then. */
export const readServers = (nova: CloudService, since: string | null): Promise<NovaServer[]> =>
  nova.list<NovaServer>('/servers/detail', 'servers', {
    query: { all_tenants: '1', ...(since === null ? {} : { 'changes-since': since }) },
  })
