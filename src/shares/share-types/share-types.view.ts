import { isAdmin } from '../../http/policy.ts'
import type { ShareTypeRow } from '../../world/shares.ts'
import type { ShareApiRequest, ShareContext } from '../context.ts'

/** Specs that non-admins may see. */
const SHOWN_TO_ALL = [
  'driver_handles_share_servers',
  'snapshot_support',
  'create_share_from_snapshot_support',
  'revert_to_snapshot_support',
  'mount_snapshot_support',
  'replication_type',
  'availability_zones',
  'provisioning:max_share_size',
  'provisioning:min_share_size',
]

export function typeBody(context: ShareContext, request: ShareApiRequest, row: ShareTypeRow) {
  const { features, credentials } = request
  const all = [...context.world.shares.getSpecs(row.id)]
  const shown = isAdmin(context, credentials) ? all : all.filter(([key]) => SHOWN_TO_ALL.includes(key))
  const isPublic = row.is_public === 1
  return {
    id: row.uuid,
    name: row.name,
    ...(features.coreNames
      ? { 'share_type_access:is_public': isPublic }
      : { 'os-share-type-access:is_public': isPublic }),
    required_extra_specs: Object.fromEntries(all.filter(([key]) => key === 'driver_handles_share_servers')),
    extra_specs: Object.fromEntries(shown),
    ...(features.typeDescription ? { description: row.description } : {}),
    ...(features.typeIsDefault ? { is_default: row.is_default === 1 } : {}),
  }
}
