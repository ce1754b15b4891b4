import { StoreRefused } from '../store.ts'
import { type Flavor, renderTableOptions, renderTextType } from './statements.ts'
import { renderText } from './values.ts'

/** Statements about the head, changes and the schema version, which every engine has by the same names. */

export const createSchemaBook = (flavor: Flavor): string => `CREATE TABLE IF NOT EXISTS berth_schema (
  version BIGINT NOT NULL,
  title ${renderTextType('VARCHAR(255)', flavor)} NOT NULL,
  PRIMARY KEY (version)
) ${renderTableOptions(flavor)}`

/** `turn` is new with every commit, so that each of them changes the row: Galera certifies only what changes. */
export const createHead = (flavor: Flavor): string => `CREATE TABLE IF NOT EXISTS head (
  only_row BIGINT NOT NULL CHECK (only_row = 1),
  revision BIGINT NOT NULL,
  chain ${renderTextType('VARCHAR(64)', flavor)} NOT NULL,
  turn ${renderTextType('VARCHAR(36)', flavor)} NOT NULL,
  PRIMARY KEY (only_row)
) ${renderTableOptions(flavor)}`

/** How far a copy into this database has come: there is a row while one is unfinished. */
export const createCopyState = (flavor: Flavor): string => `CREATE TABLE IF NOT EXISTS berth_copy (
  only_row BIGINT NOT NULL CHECK (only_row = 1),
  state ${renderTextType('LONGTEXT', flavor)} NOT NULL,
  PRIMARY KEY (only_row)
) ${renderTableOptions(flavor)}`

const NOW_MS = 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)'

/** Returns revision, chain, the last turn, and the time. */
export const LOCK_HEAD = `SELECT revision, chain, turn, ${NOW_MS} FROM head WHERE only_row = 1 FOR UPDATE`

/** Returns revision, chain, the schema version, and whether a copy is unfinished. */
export const READ_HEAD = `SELECT revision, chain, (SELECT max(version) FROM berth_schema),
  (SELECT count(*) FROM berth_copy) FROM head WHERE only_row = 1`

/** Changes no row if another process committed since the turn began. */
export const takeTurn = (turn: string, last: string): string =>
  `UPDATE head SET turn = ${renderText(turn)} WHERE only_row = 1 AND turn = ${renderText(last)}`

/** Whether a turn was the last: in its own transaction, whether that is still the one that took it. */
export const isTurn = (turn: string): string =>
  `(SELECT turn FROM head WHERE only_row = 1) = ${renderText(turn)}`

/** Changes no row if the head is another. */
export const moveHead = (
  to: { readonly revision: number; readonly chain: string },
  from: { readonly revision: number; readonly chain: string },
): string =>
  `UPDATE head SET revision = ${to.revision}, chain = ${renderText(to.chain)}
  WHERE only_row = 1 AND revision = ${from.revision} AND chain = ${renderText(from.chain)}`

/** Pages end when their ops and names have this many bytes; they have at least one change, however large. */
const HISTORY_BYTES_MAX = 8_000_000

/**
 * The changes after a revision, up to a limit. Each row starts with the same values, and there is always one: the
 * schema version, the oldest kept change (or the next revision) and its time. Each ends with whether a copy is
 * unfinished.
 */
export const readHistory = (afterRevision: number, limit: number): string => `SELECT
  (SELECT max(version) FROM berth_schema),
  coalesce(oldest.revision, (SELECT revision + 1 FROM head WHERE only_row = 1)), oldest.at_ms,
  page.revision, page.batch_id, page.chain, page.at_ms, page.ops, page.names, (SELECT count(*) FROM berth_copy)
FROM (SELECT 1) AS always
LEFT JOIN (SELECT revision, at_ms FROM changes ORDER BY revision LIMIT 1) AS oldest ON true
LEFT JOIN (
  SELECT *, sum(bytes) OVER (ORDER BY revision) - bytes AS bytes_before FROM (
    SELECT *, length(ops) + length(names) AS bytes
    FROM changes WHERE revision > ${afterRevision} ORDER BY revision LIMIT ${limit}
  ) AS numbered
) AS page ON page.bytes_before < ${HISTORY_BYTES_MAX}
ORDER BY page.revision`

interface Trim {
  /** There are too many: all up to this revision. */
  readonly upTo: number
  /** They are too old: all before this time. */
  readonly beforeMs: number
  readonly countMax: number
}

/** Drops the oldest changes, and only so many at once. */
export const dropChanges = ({
  upTo,
  beforeMs,
  countMax,
}: Trim): string => `DELETE FROM changes WHERE revision < (
  SELECT least FROM (SELECT coalesce(
    (SELECT revision FROM changes WHERE revision > ${upTo} AND revision < oldest + ${countMax} AND at_ms >= ${beforeMs}
     ORDER BY revision LIMIT 1),
    oldest + ${countMax}) AS least
  FROM (SELECT min(revision) AS oldest FROM changes) AS front) AS bound)`

/** Takes the number of unfinished copies. */
export function checkNoCopy(where: string, copies: unknown): void {
  if (copies !== 0)
    throw new StoreRefused(
      `a copy into the database at ${where} is not finished: run 'berth copy' again, it goes on where it stopped`,
    )
}

/** Without a turn: aborts those that are open. */
export const takeAnyTurn = (turn: string): string =>
  `UPDATE head SET turn = ${renderText(turn)} WHERE only_row = 1`

/** How far a copy has come: locks the row, so that it is still so at the commit. */
export const LOCK_COPY = 'SELECT state FROM berth_copy WHERE only_row = 1 FOR UPDATE'

/** Takes rendered texts; changes no row if the state is another. */
export const moveCopy = (from: string, to: string): string =>
  `UPDATE berth_copy SET state = ${to} WHERE only_row = 1 AND state = ${from}`

export const isCopyAt = (state: string): string =>
  `(SELECT count(*) FROM berth_copy WHERE state = ${state}) = 1`
