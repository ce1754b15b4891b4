import type { GenerationChange } from '../../http/ops/audit.ts'
import type { Store } from '../../store/store.ts'
import { AUDIT_PAGE_MAX, type AuditEntry, type AuditPage, auditPageShape } from '../../wire/admin.ts'
import { object, type TypeOf, text, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { parseTime } from '../api/parse-time.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { type AuditPosition, type AuditQuestion, type AuditRow, readAuditLog } from './audit-log.ts'

const LIMIT_DEFAULT = 100
/** What one request looks at. */
const READ_MAX = 20_000
const SEARCH_LENGTH_MAX = 255

const query = object(
  'Which.',
  {},
  {
    user: text('A user or a static token, by id or name.'),
    project: text('A project, by id or name.'),
    request_id: text('The id of a request.'),
    service: text('A service, such as `placement`.'),
    command: text('What was done, such as `placement:create-provider`.'),
    target: text(
      'A part of the path: the uuid or the name of what was changed, or its kind, such as `flavors`; case does not matter.',
      { minLength: 1, maxLength: SEARCH_LENGTH_MAX },
    ),
    search: text(
      'A part of the command, the operation, the path, the request id, or of the name or id of user or project; case does not matter.',
      { minLength: 1, maxLength: SEARCH_LENGTH_MAX },
    ),
    since: text(
      'Not older than this: a time, such as `2026-11-18T09:00:00Z`, or so long ago, such as `12h`.',
    ),
    until: text('Older than this.'),
    before: text('Only those older than this: `next` of an earlier answer.'),
    limit: whole(`How many at most; default: ${LIMIT_DEFAULT}.`, {
      minimum: 1,
      maximum: AUDIT_PAGE_MAX,
    }),
  },
)

type AuditQuery = TypeOf<typeof query>

interface AuditContext {
  readonly world: World
  readonly store: () => Store
  readonly nowMs: () => number
}

export function auditRoutes({ world, store, nowMs }: AuditContext): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/audit',
      operation: 'berth:audit',
      summary: 'Read the audit log',
      description:
        'Every change that a request made, the newest first, for 90 days. What was refused changed nothing and is in the log of ' +
        `the server only, and so is what the server did without a caller. A request looks at ${READ_MAX} entries at most, so that an ` +
        'answer to filters may have fewer entries than `limit`, or none, and still a `next`: there the search goes on.',
      query,
      answer: {
        description: 'The changes.',
        shape: auditPageShape,
      },
      async handle({ query: asked }): Promise<AuditPage> {
        const { rows, next } = await readAuditLog(store(), toQuestion(world, asked, nowMs()), nowMs())
        return {
          entries: rows.map(row => renderEntry(world, row)),
          next: next === null ? null : next.join('-'),
        }
      },
    }),
  ]
}

const BAD_TIME = 'audit.bad-time'

function toQuestion(world: World, asked: AuditQuery, nowMs: number): AuditQuestion {
  const { before, since, until, limit = LIMIT_DEFAULT } = asked
  const starts: AuditPosition[] = [
    ...(before === undefined ? [] : [parsePosition(before)]),
    // Before every id of this time.
    ...(until === undefined ? [] : [[parseTime('until', until, nowMs, BAD_TIME), ''] as const]),
  ]
  return {
    after: starts.toSorted(([a], [b]) => a - b)[0] ?? null,
    sinceMs: since === undefined ? 0 : parseTime('since', since, nowMs, BAD_TIME),
    limit,
    readMax: READ_MAX,
    matches: makeTest(world, asked),
  }
}

function makeTest(world: World, asked: AuditQuery): (row: AuditRow) => boolean {
  const { request_id, service, command } = asked
  const { identity } = world
  const users = idsOf(asked.user, text => [
    identity.findUserByName(text)?.uuid,
    identity.findStaticTokenByName(text)?.uuid,
  ])
  const projects = idsOf(asked.project, text => [identity.findProjectByName(text)?.uuid])
  const search = asked.search?.toLowerCase()
  const target = asked.target?.toLowerCase()
  return row =>
    (request_id === undefined || row.request_id === request_id) &&
    (service === undefined || row.service === service) &&
    (command === undefined || row.command === command) &&
    (users === null || users.includes(row.user)) &&
    (projects === null || (row.project !== null && projects.includes(row.project))) &&
    (target === undefined || row.path.toLowerCase().includes(target)) &&
    (search === undefined || textsOf(world, row).some(text => text.toLowerCase().includes(search)))
}

/** What it may be: an id, or the ids of that name. */
function idsOf(
  text: string | undefined,
  find: (name: string) => readonly (string | undefined)[],
): string[] | null {
  return text === undefined ? null : [text, ...find(text).filter(id => id !== undefined)]
}

function textsOf(world: World, row: AuditRow): string[] {
  const { user, project, request_id, operation, path, command } = row
  const texts = [user, project, request_id, operation, path, command]
  return [...texts, findUserName(world, user), findProjectName(world, project)].filter(text => text !== null)
}

/** The name of a user or of a static token. */
function findUserName({ identity }: World, id: string): string | null {
  return (identity.users.find(id) ?? identity.staticTokens.find(id))?.name ?? null
}

const findProjectName = ({ identity }: World, id: string | null): string | null =>
  id === null ? null : (identity.projects.find(id)?.name ?? null)

function parsePosition(text: string): AuditPosition {
  const [, atMs, id] = /^(\d{1,15})-(.+)$/.exec(text) ?? []
  if (atMs === undefined || id === undefined)
    throw new Problem(
      400,
      'audit.bad-position',
      `before: ${text} is not a value of next from an earlier answer.`,
    )
  return [Number(atMs), id]
}

function renderEntry(world: World, row: AuditRow): AuditEntry {
  const { id: _, at_ms, roles, generations, ...rest } = row
  return {
    at: new Date(at_ms).toISOString(),
    ...rest,
    user_name: findUserName(world, row.user),
    project_name: findProjectName(world, row.project),
    roles: roles === '' ? [] : roles.split(' '),
    generations: JSON.parse(generations) as GenerationChange[],
  }
}
