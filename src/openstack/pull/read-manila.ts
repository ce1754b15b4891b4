import { inParallel } from '../../client/in-parallel.ts'
import type { CloudService, MinorRange } from '../cloud/cloud-service.ts'
import type { ManilaPool, ManilaService, ManilaType } from './manila-state.ts'
import type { PullLine } from './pull-line.ts'

/** 2.46 says which type is the default, 2.83 why a service is disabled. */
export const MANILA_MINORS: MinorRange = { min: 46, max: 83 }

const AT_ONCE = 8

/** Share types with their extra specs, and the projects of private ones. */
export async function readShareTypes(manila: CloudService, hasOwnDefault: boolean): Promise<PullLine[]> {
  const types = await manila.list<ManilaType>('/types', 'share_types', {
    paging: 'none',
    query: { is_public: 'all' },
  })
  const access = await inParallel(types, AT_ONCE, async type => {
    if (type['share_type_access:is_public']) return []
    const answer = await manila.getIfAny<{ share_type_access: readonly { project_id: string }[] }>(
      `/types/${type.id}/share_type_access`,
    )
    return (answer?.share_type_access ?? []).map(({ project_id }) => project_id)
  })
  return types.flatMap((type, at) => makeTypeLines(type, access[at] ?? [], hasOwnDefault))
}

function makeTypeLines(type: ManilaType, projects: readonly string[], hasOwnDefault: boolean): PullLine[] {
  return [
    {
      table: 'share_types',
      row: {
        uuid: type.id,
        name: type.name,
        description: type.description ?? null,
        is_public: type['share_type_access:is_public'] ? 1 : 0,
        // Only one type can be the default, and Berth keeps its own.
        is_default: type.is_default === true && !hasOwnDefault ? 1 : 0,
        applied_by: null,
        created_at: 0,
        updated_at: null,
      },
    },
    ...Object.entries(type.extra_specs).map(([key, value]) => ({
      table: 'share_type_extra_specs',
      row: { share_type: type.id, key, value },
    })),
    ...projects.map(project_id => ({ table: 'share_type_access', row: { share_type: type.id, project_id } })),
  ]
}

/** What serves shares, and the pools that the scheduler knows. It forgets those of services that are disabled or down. */
export async function readBackends(
  manila: CloudService,
): Promise<{ readonly services: readonly ManilaService[]; readonly pools: readonly ManilaPool[] }> {
  const services = await manila.list<ManilaService>('/services', 'services', {
    paging: 'none',
    query: { binary: 'manila-share' },
  })
  const pools = await manila.list<ManilaPool>('/scheduler-stats/pools/detail', 'pools', { paging: 'none' })
  return { services, pools }
}
