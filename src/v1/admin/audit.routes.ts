import { GENERATIONS_MAX, type GenerationChange } from '../../http/ops/audit.ts'
import type { Store } from '../../store/store.ts'
import type { PlainRow } from '../../store/tables/plain-tables.ts'
import type { Value } from '../../world/table.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { list, object, orNull, text, whole } from '../api/shape.ts'

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1_000

const generation = object(
  'A generation that is another one now.',
  {
    before: orNull(whole('Before the change; null: it was not there.')),
    after: orNull(whole('After it; null: it is gone.')),
  },
  { provider: text('The uuid of the provider.'), consumer: text('The uuid of the consumer.') },
)

const entryShape = object('A change and who asked for it.', {
  at: text('When.'),
  request_id: text('The id of the request, as the log and the client have it.'),
  user: text('The id of the user, or of the static token.'),
  project: orNull(text('The project of the token.')),
  roles: list(text('A role.'), 'The roles that the caller had.'),
  service: text('The service that was asked.'),
  operation: orNull(text('The operation of the policy that let it pass; null where none was asked for.')),
  method: text('The method of the request.'),
  path: text('Its path, without the query.'),
  command: text('What was done.'),
  revision: whole(
    'The revision that the change made: `/v1/changes` has it in full for as long as changes are kept.',
  ),
  rows: whole('How many rows it touched.'),
  generations: list(
    generation,
    `Generations of providers and consumers; of one change the first ${GENERATIONS_MAX}.`,
  ),
})

const filters = ['user', 'project', 'request_id', 'service', 'command'] as const

/** Who changed what: written in the commit of each change. */
export function auditRoutes(parts: { readonly store: () => Store; readonly nowMs: () => number }): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/audit',
      operation: 'berth:audit',
      summary: 'Read the audit log',
      description:
        'Every change that a request made, the newest first, for 90 days. What was refused changed nothing and is in the log of ' +
        'the server only, and so is what the server did by itself.',
      query: object(
        'Which.',
        {},
        {
          user: text('The id of a user.'),
          project: text('The id of a project.'),
          request_id: text('The id of a request.'),
          service: text('A service, such as `placement`.'),
          command: text('What was done, such as `create-provider`.'),
          before: text('Only those older than this: `next` of an earlier answer.'),
          limit: whole(`How many at most; ${LIMIT_DEFAULT} unless said otherwise.`, {
            minimum: 1,
            maximum: LIMIT_MAX,
          }),
        },
      ),
      answer: {
        description: 'The changes.',
        shape: object('A part of the log.', {
          entries: list(entryShape, 'The newest first.'),
          next: orNull(text('For `before`, to read on; null: there are no older ones.')),
        }),
      },
      async handle({ query }) {
        const { limit = LIMIT_DEFAULT, before } = query
        const where = Object.fromEntries(
          filters.flatMap(name => (query[name] === undefined ? [] : [[name, query[name]]])),
        ) as Record<string, Value>
        const after = before === undefined ? {} : { after: positionOf(before) }
        const asked = { where, limit: limit + 1, ...after }
        const rows = await parts.store().plainRows('audit_log', asked, parts.nowMs())
        const shown = rows.slice(0, limit)
        const last = shown.at(-1)
        return {
          entries: shown.map(entryOf),
          next: rows.length > limit && last !== undefined ? `${last.at_ms}-${last.id}` : null,
        }
      },
    }),
  ]
}

function positionOf(text: string): [number, string] {
  const [, atMs, id] = /^(\d{1,15})-(.+)$/.exec(text) ?? []
  if (atMs === undefined || id === undefined)
    throw new Problem(400, 'audit.bad-position', `before: ${text} is not what an earlier answer had in next.`)
  return [Number(atMs), id]
}

function entryOf(row: PlainRow<'audit_log'>) {
  const { id: _, at_ms, roles, generations, ...rest } = row
  return {
    at: new Date(at_ms).toISOString(),
    ...rest,
    roles: roles === '' ? [] : roles.split(' '),
    generations: JSON.parse(generations) as GenerationChange[],
  }
}
