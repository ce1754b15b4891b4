import { json } from '../../http/api.ts'
import { objectOf, whole } from '../../http/formats/schema-forms.ts'
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

const namesFor = (features: Features) =>
  NAMES.filter(([, , , since]) => since === undefined || features[since])

const limitsSchema = (features: Features) =>
  objectOf({
    limits: objectOf({
      rate: { type: 'array', maxItems: 0 },
      absolute: objectOf(
        Object.fromEntries(
          namesFor(features).flatMap(([, max, used]) => [
            [max, whole],
            [used, whole],
          ]),
        ),
      ),
    }),
  })

export function limitRoutes({ world }: ShareContext): ShareRoute[] {
  return [
    {
      method: 'GET',
      path: '/limits',
      operation: 'limits:index',
      summary: 'Show the limits of a project and its usage',
      answers: features => ({ 200: limitsSchema(features) }),
      handle(request) {
        const project = requireProjectId(request)
        const usage = countUsage(world, project)
        const absolute: Record<string, number> = emptyRecord()
        for (const [resource, max, used] of namesFor(request.features)) {
          absolute[max] = findProjectLimit(world, project, resource)
          absolute[used] = usage[resource]
        }
        return json(200, { limits: { rate: [], absolute } })
      },
    },
  ]
}
