import { isUuidLike, normalizeUuid } from '../../kernel/uuid.ts'
import type { DecisionRow } from '../../scheduling/decisions/rows.ts'
import type { Store } from '../../store/store.ts'
import { decisionFields, decisionPageShape, type ListedDecision } from '../../wire/decisions.ts'
import { object, text, uuid, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Turns } from '../api/in-turns.ts'
import { parseTime } from '../api/parse-time.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { decisionBody, findDecisionOr404 } from './decision-bodies.ts'
import type { DecisionContext } from './decisions.routes.ts'

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1_000
/** A search looks at this many rows for one page. */
const SEARCHED_MAX = 5_000
const ROWS_PER_READ = 500
const BAD_TIME = 'request.invalid'
const WORDS_MAX = 10

export function decisionListRoute({ world, store, clock }: DecisionContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/decisions',
    operation: 'berth:decisions',
    summary: 'List decisions of the scheduler, or search in them',
    description:
      'The newest first. They are kept for 14 days. With `flavor`, `q`, `kind` or several filters, an answer may have fewer than ' +
      `\`limit\`, even none, and a next page: it looked at ${SEARCHED_MAX} decisions. Uuids and request ids are looked up at once.`,
    query: object(
      'What to list.',
      {},
      {
        kind: decisionFields.kind,
        outcome: decisionFields.outcome,
        project_id: text('Only of this project.'),
        request_id: text('Made for this request of another service.'),
        global_request_id: text('Made for requests with this global id.'),
        instance: uuid('All about this server or share, placed or refused.'),
        share: uuid('Those about this share, whether it is still there or not.'),
        flavor: text('With this flavor or share type, by name.', { minLength: 1, maxLength: 255 }),
        q: text(
          'With all of these words in ids, names, flavor, zone, hosts, project, user or reason; or about this uuid or request id.',
          { maxLength: 255 },
        ),
        since: text(
          'Not older than this: a time, such as `2026-11-18T09:00:00Z`, or so long ago, such as `12h`.',
        ),
        until: text('Older than this.'),
        limit: whole(`How many at most; default: ${LIMIT_DEFAULT}.`, { minimum: 1, maximum: LIMIT_MAX }),
        marker: uuid('Only decisions after this one in the list.'),
      },
    ),
    answer: { description: 'The decisions.', shape: decisionPageShape },
    problems: { 404: 'There is no decision with the id of the marker.' },
    async handle({ query }) {
      const nowMs = clock.nowMs()
      const { limit = LIMIT_DEFAULT, marker, instance, flavor, q = '', since, until, share, ...given } = query
      const named = instance ?? given.request_id ?? given.global_request_id
      const last = marker === undefined ? null : await findDecisionOr404(store(), marker, nowMs)
      const about = share === undefined ? {} : { share: normalizeUuid(share) ?? share }
      const wanted: DecisionFilter = {
        where: { ...dropUndefined(given), ...about },
        limit,
        after: last === null ? parseUntil(until, nowMs) : [last.at_ms, last.id],
        sinceMs: since === undefined ? 0 : parseTime('since', since, nowMs, BAD_TIME),
        nowMs,
      }
      const words = q.toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX)
      const meant = { words, flavor: flavor ?? null }
      const id = named ?? findId(q)
      if (id !== null) {
        const rest = named === undefined ? { ...meant, words: [] } : meant
        const isAsked = (row: DecisionRow) => isWanted(row, wanted) && isMeant(world, row, rest)
        const found = await findById(store(), normalizeUuid(id) ?? id, wanted, isAsked)
        if (found.rows.length > 0 || found.last !== null || named !== undefined)
          return renderPage(world, found)
      }
      return renderPage(world, await scan(world, store(), wanted, meant))
    },
  })
}

const dropUndefined = (given: Readonly<Record<string, string | null | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).filter((pair): pair is [string, string] => pair[1] != null))

function parseUntil(until: string | undefined, nowMs: number): DecisionFilter['after'] {
  return until === undefined ? null : [parseTime('until', until, nowMs, BAD_TIME), '']
}

/** Whole ids are indexed; parts of them are searched for like words. */
const findId = (q: string): string | null => {
  const word = q.trim()
  return isUuidLike(word) || /^req-[0-9a-f-]{36}$/.test(word) ? word : null
}

interface DecisionFilter {
  readonly where: Readonly<Record<string, string>>
  readonly limit: number
  readonly after: readonly (string | number)[] | null
  readonly sinceMs: number
  readonly nowMs: number
}

/** What is looked for in the requests, which no index has. */
interface Meant {
  readonly words: readonly string[]
  readonly flavor: string | null
}

const isWanted = (row: DecisionRow, { where, sinceMs }: DecisionFilter): boolean =>
  row.at_ms >= sinceMs && Object.entries(where).every(([key, value]) => row[key as 'kind'] === value)

interface Found {
  readonly rows: readonly DecisionRow[]
  /** The last row that was looked at, if there may be more after it. */
  readonly last: DecisionRow | null
}

const renderPage = (world: World, { rows, last }: Found) => ({
  decisions: rows.map(row => decisionBody(world, row)),
  next: last === null ? null : last.id,
  searched_to: last === null ? null : new Date(last.at_ms).toISOString(),
})

/** The filter that the store has an index for. With two of them it would look at all rows of one, so the others are for us. */
function findIndexed(where: DecisionFilter['where']): DecisionFilter['where'] {
  const column = INDEXED.find(one => Object.hasOwn(where, one))
  return Object.fromEntries(Object.entries(where).filter(([one]) => one === column))
}

/** The most selective first. */
const INDEXED = ['share', 'project_id', 'outcome'] as const

/** Reads page after page until there are enough, or as many as one answer may look at. */
async function scan(world: World, store: Store, wanted: DecisionFilter, meant: Meant): Promise<Found> {
  const { limit, after, sinceMs, nowMs } = wanted
  const turns = new Turns()
  const where = findIndexed(wanted.where)
  const isPlain =
    meant.words.length === 0 &&
    meant.flavor === null &&
    Object.keys(wanted.where).length === Object.keys(where).length
  const rows: DecisionRow[] = []
  let from = after
  for (let looked = 0; looked < SEARCHED_MAX || isPlain; ) {
    const size = isPlain ? limit + 1 : ROWS_PER_READ
    const page: DecisionRow[] = await store.plainRows(
      'decisions',
      { where, sinceMs, limit: size, ...(from === null ? {} : { after: from }) },
      nowMs,
    )
    for (const row of page) {
      await turns.give()
      if (rows.length === limit) return { rows, last: rows.at(-1) as DecisionRow }
      if (isPlain || (isWanted(row, wanted) && isMeant(world, row, meant))) rows.push(row)
    }
    looked += page.length
    const last = page.at(-1)
    if (last === undefined || page.length < size) return { rows, last: null }
    from = [last.at_ms, last.id]
    if (looked >= SEARCHED_MAX) return { rows, last }
  }
  return { rows, last: null }
}

function isMeant(world: World, row: DecisionRow, { words, flavor }: Meant): boolean {
  if (words.length === 0 && flavor === null) return true
  // Most rows have another flavor: these need not be parsed.
  if (flavor !== null && !row.request.includes(JSON.stringify(flavor)) && !row.kind.startsWith('share'))
    return false
  const body = decisionBody(world, row)
  if (flavor !== null && body.asked.flavor !== flavor) return false
  if (words.length === 0) return true
  const searched = renderWords(body)
  return words.every(word => searched.includes(word))
}

function renderWords({ asked, placed, ...body }: ListedDecision): string {
  const { instances, names, flavor, zone, host, query } = asked
  return [
    ...[body.id, body.kind, body.outcome, body.reason, body.request_id, body.global_request_id],
    ...[body.project_id, body.project_name, body.user_id, body.user_name],
    ...[...instances, ...Object.values(names), flavor, zone, host, query],
    ...placed.map(one => one.host),
  ]
    .join('\n')
    .toLowerCase()
}

type IsAsked = (row: DecisionRow) => boolean

/** All about a server or a share, or for a request, newest first; or the decision with this id. */
async function findById(store: Store, id: string, wanted: DecisionFilter, isAsked: IsAsked): Promise<Found> {
  const { limit, after, nowMs } = wanted
  const own = after === null ? await store.plainRow('decisions', [id], nowMs) : null
  if (own !== null) return { rows: [own].filter(isAsked), last: null }
  const servers = await findByServer(store, id, wanted, isAsked)
  if (servers.rows.length > 0 || servers.last !== null) return servers
  const page = { limit: limit + 1, ...(after === null ? {} : { after }) }
  // Only by the column with the most different values: another filter could make the store look at all rows of its own.
  const found = await store.plainRows('decisions', { where: { share: id }, ...page }, nowMs)
  const rows = found.slice(0, limit)
  return { rows: rows.filter(isAsked), last: found.length > limit ? (rows.at(-1) as DecisionRow) : null }
}

/**
 * The servers and request ids of a decision are in rows of another table. One id may have any number of decisions: it looks at as
 * many as a search does.
 */
async function findByServer(
  store: Store,
  instance: string,
  { limit, after, sinceMs, nowMs }: DecisionFilter,
  isAsked: IsAsked,
): Promise<Found> {
  const rows: DecisionRow[] = []
  let from = after === null ? null : [after[0] as number, instance, after[1] as string]
  let last: DecisionRow | null = null
  for (let looked = 0; ; ) {
    const servers = await store.plainRows(
      'decision_servers',
      { where: { instance }, limit: limit + 1, ...(from === null ? {} : { after: from }) },
      nowMs,
    )
    for (const { decision, at_ms } of servers) {
      if (at_ms < sinceMs) return { rows, last: null }
      if (rows.length === limit || looked++ === SEARCHED_MAX) return { rows, last }
      const row = await store.plainRow('decisions', [decision], nowMs)
      if (row === null) continue
      last = row
      if (isAsked(row)) rows.push(row)
    }
    const end = servers.at(-1)
    if (end === undefined || servers.length <= limit) return { rows, last: null }
    from = [end.at_ms, end.instance, end.decision]
  }
}
