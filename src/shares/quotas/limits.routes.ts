import { json } from '../../http/api.ts'
import { emptyRecord } from '../../kernel/records.ts'
import { requireProjectId, type ShareContext, type ShareRoute } from '../context.ts'
import type { Features } from '../versions.ts'
import { countUsage, findProjectLimit, type QuotaResource } from './quotas.ts'

/** The names of a resource in limits. */
const NAMES: readonly (readonly [QuotaResource, max: string, used: string, since?: keyof Features])[] = [
  ['shares', 'maxTotalShares', 'totalSharesUsed'],
  ['gigabytes', 'maxTotalShareGigabytes', 'totalShareGigabytesUsed'],
  ['snapshots', 'maxTotalShareSnapshots', 'totalShareSnapshotsUsed'],
  ['snapshot_gigabytes', 'maxTotalSnapshotGigabytes', 'totalSnapshotGigabytesUsed'],
  ['share_networks', 'maxTotalShareNetworks', 'totalShareNetworksUsed'],
  ['share_replicas', 'maxTotalShareReplicas', 'totalShareReplicasUsed', 'replicaQuotas'],
  ['replica_gigabytes', 'maxTotalReplicaGigabytes', 'totalReplicaGigabytesUsed', 'replicaQuotas'],
  ['share_groups', 'maxTotalShareGroups', 'totalShareGroupsUsed', 'groupLimits'],
  ['share_group_snapshots', 'maxTotalShareGroupSnapshots', 'totalShareGroupSnapshotsUsed', 'groupLimits'],
]

export function limitRoutes({ world }: ShareContext): ShareRoute[] {
  return [
    {
      method: 'GET',
      path: '/limits',
      operation: 'limits:index',
      handle(request) {
        const project = requireProjectId(request)
        const usage = countUsage(world, project)
        const absolute: Record<string, number> = emptyRecord()
        for (const [resource, max, used, since] of NAMES) {
          if (since !== undefined && !request.features[since]) continue
          absolute[max] = findProjectLimit(world, project, resource)
          absolute[used] = usage[resource]
        }
        return json(200, { limits: { rate: [], absolute } })
      },
    },
  ]
}
