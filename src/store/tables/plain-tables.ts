import { recordOf } from '../../kernel/records.ts'
import {
  type Columns,
  integer,
  nullable,
  type RowOf,
  secretText,
  type Table,
  table,
  text,
  type Value,
} from '../../world/table.ts'

/**
 * Tables that are neither mirrored in memory nor recorded in `changes`. Rows are put whole, found by key, and expire
 * after the time that their table keeps them; `at_ms` is when a row was put, or what counts as that.
 */
export interface PlainTable<Name extends string = string, C extends Columns = Columns>
  extends Table<Name, C> {
  readonly keepMsMax: number
  /** Columns with an index of their own, so that the newest rows with one value are found without a look at all rows. */
  readonly listedBy: readonly string[]
}

const HOUR_MS = 60 * 60 * 1000

function plainTable<Name extends string, C extends Columns & { readonly at_ms: typeof integer }>(
  name: Name,
  keepMsMax: number,
  columns: C,
  key: readonly (keyof C & string)[],
  listedBy: readonly (keyof C & string)[] = [],
): PlainTable<Name, C> {
  return { ...table(name, columns, key), keepMsMax, listedBy }
}

/** Answers of /v1 to writes with an Idempotency-Key. `request` is a digest of the request. */
export const idempotencyKeys = plainTable(
  'idempotency_keys',
  24 * HOUR_MS,
  { caller: text, key: text, request: text, status: integer, answer: text, at_ms: integer },
  ['caller', 'key'],
)

/**
 * Decisions of the scheduler with their input: enough to replay them. `revision` is the state for the choice,
 * `decided_revision` that of the claim; `share` is set for decisions about a share, `request_id` and `global_request_id` where the
 * caller named the request that it worked on.
 */
const decisions = plainTable(
  'decisions',
  14 * 24 * HOUR_MS,
  {
    id: text,
    kind: text,
    outcome: text,
    project_id: nullable(text),
    revision: integer,
    decided_revision: integer,
    seed: integer,
    request: text,
    summary: text,
    at_ms: integer,
    share: nullable(text),
    request_id: nullable(text),
    global_request_id: nullable(text),
  },
  ['id'],
  ['outcome', 'project_id', 'share'],
)

/** The servers of a decision, placed or not, and the ids of requests it was made for, so that all decisions about one are found. */
const decisionServers = plainTable(
  'decision_servers',
  decisions.keepMsMax,
  { instance: text, decision: text, at_ms: integer },
  ['instance', 'decision'],
)

/**
 * Tokens of users. Rights are looked up at each use; here is only for whom it was issued. `methods` and `audit_ids` are
 * separated by blanks, the token's own audit id comes first.
 */
const tokens = plainTable(
  'tokens',
  25 * HOUR_MS,
  {
    token_hash: secretText,
    user: text,
    project: nullable(text),
    application_credential: nullable(text),
    methods: text,
    audit_ids: text,
    issued_at: integer,
    expires_at: integer,
    at_ms: integer,
  },
  ['token_hash'],
)

/** Who changed what. `roles` are separated by blanks; `generations` is a JSON array. */
const auditLog = plainTable(
  'audit_log',
  90 * 24 * HOUR_MS,
  {
    id: text,
    request_id: text,
    user: text,
    project: nullable(text),
    roles: text,
    service: text,
    operation: nullable(text),
    method: text,
    path: text,
    command: text,
    revision: integer,
    rows: integer,
    generations: text,
    at_ms: integer,
  },
  ['id'],
)

/** Messages to owners of shares about failures. Deleting one marks it. */
export const shareMessages = plainTable(
  'share_messages',
  30 * 24 * HOUR_MS,
  {
    id: text,
    project_id: text,
    resource_type: text,
    resource_id: text,
    action_id: text,
    detail_id: text,
    level: text,
    request_id: nullable(text),
    user_message: text,
    is_deleted: integer,
    at_ms: integer,
  },
  ['id'],
)

/**
 * Writes that a shadowed Placement still has to get, in the order of `id`, the revision. Without a `method` it is told of the
 * state of the things that `subjects` names, a JSON array. A row is put with time 0 when it was sent, and so expires.
 */
const shadowQueue = plainTable(
  'shadow_queue',
  10 * 365 * 24 * HOUR_MS,
  {
    id: text,
    request_id: text,
    method: text,
    path: text,
    version: text,
    body: text,
    subjects: text,
    at_ms: integer,
  },
  ['id'],
)

/**
 * Usage over time. `at_ms` is when the step of time began; `scope` is `cloud`, `zone:NAME` or `aggregate:UUID`, and in
 * minutes and days also `hosts:NUMBER`, a part of all hosts. `is_made_up`: written by the demo, not measured.
 */
const usageColumns = { scope: text, points: text, is_made_up: integer, at_ms: integer }
const usageMinutes = plainTable('usage_minutes', 26 * HOUR_MS, usageColumns, ['scope', 'at_ms'])
const usageHours = plainTable('usage_hours', 35 * 24 * HOUR_MS, usageColumns, ['scope', 'at_ms'])
const usageDays = plainTable('usage_days', 400 * 24 * HOUR_MS, usageColumns, ['scope', 'at_ms'])

export const plainTables = [
  idempotencyKeys,
  decisions,
  decisionServers,
  tokens,
  auditLog,
  shareMessages,
  shadowQueue,
  usageMinutes,
  usageHours,
  usageDays,
] as const

type Plain = (typeof plainTables)[number]
export type PlainName = Plain['name']
export type PlainRow<N extends PlainName> =
  Extract<Plain, { name: N }> extends PlainTable<N, infer C> ? RowOf<C> : never

/** A row to put: it replaces one with its key, unless it must be `new`. Expired rows do not count. */
export type PlainPut = {
  [N in PlainName]: { readonly table: N; readonly row: PlainRow<N>; readonly isNew?: true }
}[PlainName]

export const plainTableByName: { readonly [N in PlainName]: PlainTable<PlainName> } = recordOf(
  plainTables.map(described => [described.name, described]),
)

/** Which rows of a plain table, the newest first. */
export interface AnyPlainQuery {
  /** Values that columns must have. */
  readonly where?: Readonly<Record<string, Value>>
  /** Only rows of this time or later. */
  readonly sinceMs?: number
  /** Only rows after this one in the list: its time and its key. */
  readonly after?: readonly Value[]
  readonly limit: number
}

export interface PlainQuery<N extends PlainName> extends AnyPlainQuery {
  readonly where?: Readonly<Partial<PlainRow<N>>> & Readonly<Record<string, Value>>
}
