import { Servers, sumHeld } from '../../compute/servers/servers.ts'
import { countUsage, findProjectLimit, type QuotaResource } from '../../shares/quotas/quotas.ts'
import type { ProjectFacts } from '../../wire/projects.ts'
import type { World } from '../../world/world.ts'
import { Turns } from '../api/in-turns.ts'

type Quota = ProjectFacts['compute'][number]

/** Checks the clock after this many servers. */
const SERVERS_PER_LOOK = 500

/** Berth limits server groups only; other limits are those of the service that creates servers. */
export async function countCompute(
  world: World,
  project: string,
  groupsPerProjectMax: number,
  turns = new Turns(),
): Promise<Quota[]> {
  const used = { instances: 0, cores: 0, ram: 0, disk: 0 }
  for (const { slot } of new Servers(world).ofProject(project)) {
    const { vcpus, ram, disk } = sumHeld(world, slot)
    used.instances++
    used.cores += vcpus
    used.ram += ram
    used.disk += disk
    if (used.instances % SERVERS_PER_LOOK === 0) await turns.give()
  }
  const groups = world.compute.groups.all().filter(({ project_id }) => project_id === project).length
  return [
    ...Object.entries(used).map(([resource, amount]) => ({ resource, used: amount, limit: null })),
    { resource: 'server_groups', used: groups, limit: limitOrNull(groupsPerProjectMax) },
  ]
}

const SHARE_RESOURCES: readonly QuotaResource[] = ['shares', 'gigabytes', 'snapshots', 'snapshot_gigabytes']

export function countShares(world: World, project: string): Quota[] {
  const usage = countUsage(world, project)
  return SHARE_RESOURCES.map(resource => ({
    resource,
    used: usage[resource],
    limit: limitOrNull(findProjectLimit(world, project, resource)),
  }))
}

/** -1 is unlimited in OpenStack. */
const limitOrNull = (limit: number): number | null => (limit < 0 ? null : limit)
