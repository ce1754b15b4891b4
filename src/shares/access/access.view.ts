import type { AccessRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { renderTime } from '../bodies.ts'
import type { ShareApiRequest } from '../context.ts'
import { readAccessMetadata, summarizeAccess } from './access-rules.ts'

export function accessBody(world: World, { features }: ShareApiRequest, rule: AccessRow) {
  return {
    id: rule.uuid,
    access_level: rule.access_level,
    access_to: rule.access_to,
    access_type: rule.access_type,
    state: features.accessStates ? rule.state : renderOldState(world, rule),
    // Only a Ceph back end has keys.
    ...(features.accessKey ? { access_key: null } : {}),
    ...(features.accessTimes
      ? { created_at: renderTime(rule.created_at), updated_at: renderTime(rule.updated_at) }
      : {}),
    ...(features.accessRules ? { metadata: readAccessMetadata(world, rule) } : {}),
  }
}

/** A list omits the share. */
export function accessDetail(world: World, request: ShareApiRequest, rule: AccessRow) {
  return { ...accessBody(world, request, rule), share_id: world.shares.shares.row(rule.share_id).uuid }
}

/** Before 2.28 all rules of a share have one state. */
function renderOldState(world: World, { share_id }: AccessRow): string {
  const status = summarizeAccess(world, world.shares.shares.row(share_id))
  return status === 'syncing' ? 'new' : status
}
