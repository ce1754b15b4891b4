import type { Policy } from '../../http/policy.ts'
import type { ChangeFeed } from '../../store/sequencer/change-feed.ts'
import { changeShape } from '../../wire/changes.ts'
import { object, whole, yesOrNo } from '../../wire/shape.ts'
import { listEventColumns } from '../../world/naming.ts'
import { AnswerLimit } from '../api/answer-limit.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { REVISION_HEADER, streamAnswer } from '../api/streaming.ts'
import { isOurs, type Position, parsePosition, streamChanges } from './changes.ts'
import { findVisibleTables, operationOfTable } from './feed-rights.ts'

const FOLLOWERS_MAX = 1_000
const FOLLOWERS_PER_USER_MAX = 50

const query = object(
  'Where to begin, and whether to wait for more.',
  {},
  {
    since: whole('Changes after this revision. Without it: from now on.', { minimum: 0 }),
    follow: yesOrNo('False ends the answer at the last revision when the request arrives.'),
  },
)

const example = `id: 4711-9f86d081
event: change
data: {"revision":4711,"at":"2026-11-15T12:00:00.000Z","ops":[{"table":"allocations","before":null,"after":{"consumer":"…","provider":"…","resource_class":"VCPU","used":2}}]}
`

export function changesRoutes(feed: () => ChangeFeed, policy: Policy): V1Route[] {
  const limit = new AnswerLimit('changes.too-many', 'clients follow', {
    max: FOLLOWERS_MAX,
    perUserMax: FOLLOWERS_PER_USER_MAX,
  })
  return [
    v1Route({
      method: 'GET',
      path: '/changes',
      operation: 'berth:changes',
      summary: 'Follow what changes',
      description:
        'Server-sent events, one for each revision: each row before (null if it is new) and ' +
        'after (null if it was deleted), with names and uuids instead of the numbers of the store. No revision is ' +
        'left out or sent twice; after a break continue with `Last-Event-ID`, as browsers do. A comment comes every ' +
        '15 seconds when nothing happens. A client may be slow; one that falls behind what the server keeps gets ' +
        'a last event `trimmed` with the `oldest` revision still kept, and has to start with `/v1/fleet` again. One ' +
        'whose token expires, or loses the right to follow, gets a last event `unauthorized`.\n\n' +
        'A revision has only rows of tables that the caller may read elsewhere, by the operation in brackets; ' +
        'possibly none. The tables and their rows:\n\n' +
        renderTables(),
      query,
      headers: {
        'last-event-id':
          'The same as `since`, and stronger: the id of the last event that was seen. It is the revision, and the ' +
          'beginning of a value that distinguishes the history from any other with the same number of revisions.',
      },
      answer: {
        description: 'Events.',
        mediaType: 'text/event-stream',
        shape: changeShape,
        example,
        headers: { [REVISION_HEADER]: 'The revision after which the answer begins.' },
      },
      problems: {
        400: 'The position is not a revision, or one that does not exist yet.',
        410: 'The change log no longer has the position, or a failover replaced the history; `oldest` is the oldest revision still kept.',
        429: `${FOLLOWERS_PER_USER_MAX} clients of the user already follow.`,
        503: `${FOLLOWERS_MAX} clients already follow.`,
      },
      async handle({ query: asked, headers, onClose, credentials, reauthenticate }) {
        const source = feed()
        const last = readPosition(headers['last-event-id'])
        const after = last?.revision ?? asked.since ?? source.revision
        await checkPosition(source, last ?? { revision: after, history: null })
        limit.acquire(credentials.userId, onClose)
        const gone = new AbortController()
        onClose(() => gone.abort())
        const sight = async () => {
          const caller = await reauthenticate()
          return caller === null ? null : findVisibleTables(policy, caller)
        }
        const sent = {
          [REVISION_HEADER]: String(after),
          'cache-control': 'no-cache',
          // Tells proxies not to buffer events, which would delay them.
          'x-accel-buffering': 'no',
        }
        const upTo = asked.follow === false ? source.revision : null
        const events = streamChanges(source, { after, upTo, gone: gone.signal, sight })
        return streamAnswer('text/event-stream', sent, events, null)
      },
    }),
  ]
}

function renderTables(): string {
  const rows = [...listEventColumns()].map(
    ([table, columns]) => `* \`${table}\` (\`${operationOfTable[table]}\`): ${columns.join(', ')}`,
  )
  return rows.join('\n')
}

function readPosition(header: string | string[] | undefined): Position | null {
  if (header === undefined || header === '') return null
  const found = parsePosition(String(header))
  if (found === null)
    throw new Problem(400, 'changes.bad-position', `Last-Event-ID is not a revision: ${header}.`)
  return found
}

async function checkPosition(feed: ChangeFeed, at: Position): Promise<void> {
  const after = at.revision
  const { revision } = feed
  if (after > revision && at.history === null)
    throw new Problem(
      400,
      'changes.future',
      `Revision ${after} does not exist yet; the last is ${revision}.`,
      {
        revision,
      },
    )
  const page = after > revision ? null : await feed.readAfter(after, 1)
  if (page?.kept === true && (await isOurs(feed, at))) return
  const oldest = page === null || page.kept ? revision + 1 : page.oldestKept
  const why = page?.kept === false ? 'is no longer kept' : 'is unknown: this is another history'
  throw new Problem(
    410,
    'changes.trimmed',
    `The change log after revision ${after} ${why}; start with /v1/fleet again, at revision ${oldest} or later.`,
    { oldest },
  )
}
