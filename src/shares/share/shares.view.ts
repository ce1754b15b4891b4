import { isAdmin } from '../../http/policy.ts'
import { nameOrEmpty } from '../../scheduling/pools/pools.ts'
import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { summarizeAccess } from '../access/access-rules.ts'
import { renderTime } from '../bodies.ts'
import type { ShareApiRequest, ShareContext } from '../context.ts'
import { makeLinks } from '../links.ts'
import { supportsCreateFrom, supportsSnapshots } from '../snapshots/snapshots.ts'
import { renderHints } from './hints.ts'

/** With hints. */
export function renderMetadata(world: World, shareId: number): Record<string, string> {
  const own = world.shares.metadata.list(shareId).map(({ key, value }) => [key, value])
  return Object.fromEntries([...own, ...renderHints(world, shareId)])
}

export const briefBody = (request: ShareApiRequest, row: ShareRow) => ({
  id: row.uuid,
  name: row.name,
  links: makeLinks(request, `shares/${row.uuid}`),
})

export function shareBody(context: ShareContext, request: ShareApiRequest, row: ShareRow) {
  const { world } = context
  const { features, credentials } = request
  const type = world.shares.types.row(row.type_id)
  const paths = row.export_path === null ? [] : [row.export_path]
  return {
    id: row.uuid,
    size: row.size,
    availability_zone: row.availability_zone,
    created_at: renderTime(row.created_at),
    status: row.status,
    name: row.name,
    description: row.description,
    project_id: row.project_id,
    snapshot_id: row.snapshot,
    share_network_id: null,
    share_proto: row.protocol,
    metadata: renderMetadata(world, row.id),
    is_public: row.is_public === 1,
    share_type: features.typeIds ? type.uuid : type.name,
    volume_type: type.name,
    links: makeLinks(request, `shares/${row.uuid}`),
    ...(features.exportLocations ? {} : { export_location: paths[0] ?? null, export_locations: paths }),
    ...(features.snapshotSupport ? { snapshot_support: supportsSnapshots(world, row) } : {}),
    ...(features.taskState ? { task_state: row.task_state } : {}),
    ...(features.typeIds ? { share_type_name: type.name } : {}),
    ...(features.accessRulesStatus ? { access_rules_status: renderAccessStatus(world, request, row) } : {}),
    ...(features.replication ? { replication_type: null, has_replicas: false } : {}),
    ...(features.userId ? { user_id: row.user_id } : {}),
    ...(features.createFromSnapshotSupport
      ? { create_share_from_snapshot_support: supportsCreateFrom(world, row) }
      : {}),
    ...(features.revertSupport ? { revert_to_snapshot_support: false } : {}),
    ...(features.shareGroups ? { share_group_id: null, source_share_group_snapshot_member_id: null } : {}),
    ...(features.mountSnapshotSupport ? { mount_snapshot_support: false } : {}),
    ...(features.progress ? { progress: renderProgress(row) } : {}),
    ...(features.softDelete
      ? { is_soft_deleted: row.deleted_at !== null, scheduled_to_be_deleted_at: renderTime(row.deleted_at) }
      : {}),
    ...(features.backupSource ? { source_backup_id: null } : {}),
    // Members must not know where shares are.
    ...(isAdmin(context, credentials)
      ? { share_server_id: null, host: nameOrEmpty(world, row.pool_id) }
      : {}),
  }
}

/** Before 2.28 rules that are not applied yet are `out_of_sync`. */
function renderAccessStatus(world: World, { features }: ShareApiRequest, row: ShareRow): string {
  const status = summarizeAccess(world, row)
  return status === 'syncing' && !features.accessStates ? 'out_of_sync' : status
}

const renderProgress = ({ status }: ShareRow): string | null =>
  status === 'creating' ? '0%' : status === 'error' ? null : '100%'
