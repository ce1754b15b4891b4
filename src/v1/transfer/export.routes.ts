import type { Policy } from '../../http/policy.ts'
import type { Store } from '../../store/store.ts'
import { AnswerLimit } from '../api/answer-limit.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { closeWith, NDJSON, REVISION_HEADER, streamAnswer } from '../api/streaming.ts'
import { findVisibleTables } from '../fleet/feed-rights.ts'
import { exportLines } from './export.ts'

/** Each export makes the store keep its snapshot, and uses its own connection. */
const EXPORTS_MAX = 8
const EXPORTS_PER_USER_MAX = 4

export const TRANSFER_EXAMPLE = `{"berth_export":2,"revision":4711}
{"resource_class":{"name":"CUSTOM_FPGA"}}
{"trait":{"name":"CUSTOM_FAST"}}
{"provider":{"uuid":"…","name":"host-1","generation":3,"parent_provider_uuid":null,"inventories":{"VCPU":{"total":64,"reserved":0,"min_unit":1,"max_unit":64,"step_size":1,"allocation_ratio":4}},"traits":["CUSTOM_FAST"],"aggregates":["…"]}}
{"consumer":{"uuid":"…","generation":1,"project_id":"…","user_id":"…","consumer_type":"INSTANCE","allocations":{"…":{"resources":{"VCPU":2}}}}}
{"table":"flavors","row":{"flavorid":"1","name":"m1.small","memory_mb":2048,"vcpus":1,"root_gb":20,"ephemeral_gb":0,"swap":0,"rxtx_factor":1,"is_public":1,"description":null,"applied_by":null,"created_at":1735689600000,"updated_at":null}}
{"table":"flavor_extra_specs","row":{"flavor":"1","key":"trait:CUSTOM_FAST","value":"required"}}
{"end":{"resource_classes":1,"traits":1,"providers":1,"consumers":1,"rows":{"flavors":1,"flavor_extra_specs":1},"left_out":[],"not_exported":{"passwords":1,"application_credentials":0,"static_tokens":2,"share_steps":0},"shares_under_way":[]}}
`

/** A whole cloud as lines, to be kept, compared, or imported elsewhere. */
export function exportRoutes(store: () => Store, policy: Policy): V1Route[] {
  const limit = new AnswerLimit('export.too-many', 'exports are in progress', {
    max: EXPORTS_MAX,
    perUserMax: EXPORTS_PER_USER_MAX,
  })
  return [
    v1Route({
      method: 'GET',
      path: '/export',
      operation: 'berth:export',
      summary: 'Export the whole cloud as lines of JSON',
      description:
        'Everything as of one revision, while writes continue. First a line with the version of the ' +
        'format and the revision; then resource classes and traits, custom ones only; providers, parents before ' +
        'children; consumers with what they hold. Then a line for each row of the catalog, of flavors, hosts, host ' +
        'aggregates, server groups, requests of servers, users, projects, roles and their assignments, share ' +
        'types, back ends, pools, shares, snapshots and quotas, with names for numbers: columns are those of ' +
        '`GET /v1/changes`, and `updated_at`. The last line counts the others, so that a ' +
        'truncated file can be recognized. An empty server that imports them exports the same lines, byte for ' +
        'byte.\n\nIt leaves out secrets (passwords, application credentials, all tokens), the files of ' +
        'shares and work in progress on them, audit, decisions, messages and the change log; the ' +
        'last line counts some of these in `not_exported`. It also leaves out rows that the caller may not read, ' +
        'and names their tables in `left_out`: with the role `service` all tables of users and ' +
        'projects.',
      answer: {
        description: 'One object a line.',
        mediaType: NDJSON,
        example: TRANSFER_EXAMPLE,
        headers: { [REVISION_HEADER]: 'The revision of the export.' },
      },
      problems: {
        429: `${EXPORTS_PER_USER_MAX} exports of the user are in progress.`,
        503: `${EXPORTS_MAX} exports are in progress.`,
      },
      async handle({ credentials, reauthenticate, onClose }) {
        limit.acquire(credentials.userId, onClose)
        const snapshot = await store().snapshot()
        closeWith(onClose, snapshot)
        const headers = { [REVISION_HEADER]: String(snapshot.head.revision) }
        const lines = exportLines(snapshot, findVisibleTables(policy, credentials))
        return streamAnswer(NDJSON, headers, lines, reauthenticate)
      },
    }),
  ]
}
