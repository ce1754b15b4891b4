import type { GenerationChange } from '../../http/ops/audit.ts'
import type { Store } from '../../store/store.ts'
import type { PlainRow } from '../../store/tables/plain-tables.ts'
import { type AuditEntry, type AuditPage, auditPageShape } from '../../wire/admin.ts'
import { object, text, whole } from '../../wire/shape.ts'
import type { Value } from '../../world/table.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1_000

const filters = ['user', 'project', 'request_id', 'service', 'command'] as const

export function auditRoutes(parts: { readonly store: () => Store; readonly nowMs: () => number }): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/audit',
      operation: 'berth:audit',
      summary: 'Read the audit log',
      description:
        'Every change that a request made, the newest first, for 90 days. What was refused changed nothing and is in the log of ' +
        'the server only, and so is what the server did without a caller.',
      query: object(
        'Which.',
        {},
        {
          user: text('The id of a user.'),
          project: text('The id of a project.'),
          request_id: text('The id of a request.'),
          service: text('A service, such as `placement`.'),
          command: text('What was done, such as `placement:create-provider`.'),
          before: text('Only those older than this: `next` of an earlier answer.'),
          limit: whole(`How many at most; default: ${LIMIT_DEFAULT}.`, {
            minimum: 1,
            maximum: LIMIT_MAX,
          }),
        },
      ),
      answer: {
        description: 'The changes.',
        shape: auditPageShape,
      },
      async handle({ query }): Promise<AuditPage> {
        const { limit = LIMIT_DEFAULT, before } = query
        const where = Object.fromEntries(
          filters.flatMap(name => (query[name] === undefined ? [] : [[name, query[name]]])),
        ) as Record<string, Value>
        const after = before === undefined ? {} : { after: parsePosition(before) }
        const asked = { where, limit: limit + 1, ...after }
        const rows = await parts.store().plainRows('audit_log', asked, parts.nowMs())
        const shown = rows.slice(0, limit)
        const last = shown.at(-1)
        return {
          entries: shown.map(renderEntry),
          next: rows.length > limit && last !== undefined ? `${last.at_ms}-${last.id}` : null,
        }
      },
    }),
  ]
}

function parsePosition(text: string): [number, string] {
  const [, atMs, id] = /^(\d{1,15})-(.+)$/.exec(text) ?? []
  if (atMs === undefined || id === undefined)
    throw new Problem(
      400,
      'audit.bad-position',
      `before: ${text} is not a value of next from an earlier answer.`,
    )
  return [Number(atMs), id]
}

function renderEntry(row: PlainRow<'audit_log'>): AuditEntry {
  const { id: _, at_ms, roles, generations, ...rest } = row
  return {
    at: new Date(at_ms).toISOString(),
    ...rest,
    roles: roles === '' ? [] : roles.split(' '),
    generations: JSON.parse(generations) as GenerationChange[],
  }
}
