import type { Store } from '../store/store.ts'
import { exportLines } from './export.ts'
import { Places } from './places.ts'
import { type V1Route, v1Route } from './route.ts'
import { closeWith, NDJSON, REVISION_HEADER, streamed } from './streaming.ts'

/** Each keeps the store from forgetting what it shows, and has a connection of its own. */
const EXPORTS_MAX = 8
const EXPORTS_PER_USER_MAX = 4

export const TRANSFER_EXAMPLE = `{"berth_export":1,"revision":4711}
{"resource_class":{"name":"CUSTOM_FPGA"}}
{"trait":{"name":"CUSTOM_FAST"}}
{"provider":{"uuid":"…","name":"host-1","generation":3,"parent_provider_uuid":null,"inventories":{"VCPU":{"total":64,"reserved":0,"min_unit":1,"max_unit":64,"step_size":1,"allocation_ratio":4}},"traits":["CUSTOM_FAST"],"aggregates":["…"]}}
{"consumer":{"uuid":"…","generation":1,"project_id":"…","user_id":"…","consumer_type":"INSTANCE","allocations":{"…":{"resources":{"VCPU":2}}}}}
{"end":{"resource_classes":1,"traits":1,"providers":1,"consumers":1}}
`

/** A whole cloud as lines, to be kept, compared, or imported elsewhere. */
export function exportRoutes(store: () => Store): V1Route[] {
  const places = new Places('export.too-many', 'exports are being made', {
    max: EXPORTS_MAX,
    perUserMax: EXPORTS_PER_USER_MAX,
  })
  return [
    v1Route({
      method: 'GET',
      path: '/export',
      operation: 'berth:export',
      summary: 'Write the whole cloud as lines of JSON',
      description:
        'Everything as of one revision, read beside the writes that go on. First a line with the version of the ' +
        'format and the revision; then resource classes and traits, custom ones only; providers, parents before ' +
        'children; consumers with what they hold; and a last line that counts the others, by which a file that was ' +
        'cut short can be told. The same lines, written alike, come out of every server that imported them.',
      answer: {
        description: 'One thing a line.',
        mediaType: NDJSON,
        example: TRANSFER_EXAMPLE,
        headers: { [REVISION_HEADER]: 'The revision that it shows.' },
      },
      problems: {
        429: `${EXPORTS_PER_USER_MAX} exports of the user are being made already.`,
        503: `${EXPORTS_MAX} exports are being made already.`,
      },
      async handle({ reply, credentials, again }) {
        places.take(credentials.userId, reply)
        const snapshot = await store().snapshot()
        closeWith(reply, snapshot)
        reply.header(REVISION_HEADER, snapshot.head.revision)
        return streamed(reply, NDJSON, exportLines(snapshot), again)
      },
    }),
  ]
}
