import type { Policy } from '../../http/policy.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { ChangeFeed } from '../../store/sequencer/change-feed.ts'
import type { Store } from '../../store/store.ts'
import { ACTIVITY_LIMIT_DEFAULT, ACTIVITY_LIMIT_MAX, activityShape } from '../../wire/activity.ts'
import { object, text, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Turns } from '../api/in-turns.ts'
import { makeBusyProblem, Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { findVisibleTables } from '../fleet/feed-rights.ts'
import { readActivity } from './activity.ts'

/** Limits how much reading slows down other requests. */
const AT_ONCE_MAX = 4

interface ActivityContext {
  readonly world: World
  readonly store: () => Store
  readonly feed: () => ChangeFeed
  readonly policy: Policy
  readonly clock: Clock
}

/** What changed, by whom, in words. */
export function activityRoutes({ world, store, feed, policy, clock }: ActivityContext): V1Route[] {
  const permits = new Semaphore(AT_ONCE_MAX)
  return [
    v1Route({
      method: 'GET',
      path: '/activity',
      operation: 'berth:activity',
      summary: 'Read what changed, by whom, in words',
      description:
        'From the change log and the audit log, the newest first, as far back as changes are kept. What one caller did ' +
        'several times in a row is one entry with a count. With a filter a request looks at 2,000 changes at most: there may be ' +
        'fewer entries than asked for although `next` is set. For what is new, ask again with `after` set to `revision`. ' +
        '`GET /v1/changes` has every row, `GET /v1/audit` every caller.',
      query: object(
        'Which.',
        {},
        {
          user: text('Only what this user did, by id.', { maxLength: 255 }),
          about: text('Only entries with this in their words, such as the name of a host; in any case.', {
            minLength: 2,
            maxLength: 255,
          }),
          after: whole('Only what is newer than this revision.', { minimum: 0 }),
          before: text('Only what is older: `next` of an earlier answer.'),
          limit: whole(`How many entries at most; default: ${ACTIVITY_LIMIT_DEFAULT}.`, {
            minimum: 1,
            maximum: ACTIVITY_LIMIT_MAX,
          }),
        },
      ),
      answer: { description: 'The activity.', shape: activityShape },
      problems: {
        400: '`before` is not from an earlier answer.',
        503: 'Too many such requests are running: try again.',
      },
      handle({ query, credentials }) {
        const { user = null, about, after = 0, before, limit = ACTIVITY_LIMIT_DEFAULT } = query
        const sources = {
          world,
          store: store(),
          feed: feed(),
          sight: findVisibleTables(policy, credentials),
          nowMs: clock.nowMs(),
          turns: new Turns(),
        }
        const asked = {
          user,
          about: about?.toLowerCase() ?? null,
          after,
          before: before === undefined ? null : readPosition(before),
          limit,
        }
        return permits.run(() => readActivity(sources, asked), makeBusy)
      },
    }),
  ]
}

function readPosition(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new Problem(
      400,
      'activity.bad-position',
      `before: ${text} is not a value of next from an earlier answer.`,
    )
  return Number(text)
}

const makeBusy = () => makeBusyProblem('activity.busy', AT_ONCE_MAX)
