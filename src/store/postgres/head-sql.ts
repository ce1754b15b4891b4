/** Statements about the head, changes and the schema version, which every engine has by the same names. */

export const CREATE_SCHEMA_BOOK = `CREATE TABLE IF NOT EXISTS berth_schema (
  version BIGINT NOT NULL,
  title TEXT NOT NULL,
  PRIMARY KEY (version)
)`

/** The row that a process locks to create or migrate the tables; it stands for no version. */
const GUARD_VERSION = 0
export const PUT_GUARD = `INSERT INTO berth_schema VALUES (${GUARD_VERSION}, 'guard of migrations') ON CONFLICT DO NOTHING`
export const LOCK_GUARD = `SELECT version FROM berth_schema WHERE version = ${GUARD_VERSION} FOR UPDATE`
/** Null if nothing is there, 0 if there is the guard alone. */
export const READ_VERSION = 'SELECT max(version) FROM berth_schema'

export const CREATE_HEAD = `CREATE TABLE IF NOT EXISTS head (
  only_row BIGINT NOT NULL CHECK (only_row = 1),
  revision BIGINT NOT NULL,
  chain TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (only_row)
)`

const NOW_MS = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)'
const NEWEST = `(${READ_VERSION})`

/** Returns revision, chain, and the time, which may be from before the wait for the lock. */
export const LOCK_HEAD = `SELECT revision, chain, ${NOW_MS} FROM head WHERE only_row = 1 FOR UPDATE`

/** Returns revision, chain and the schema version. */
export const READ_HEAD = `SELECT revision, chain, ${NEWEST} FROM head WHERE only_row = 1`

/** Fails with "division by zero" if the head has changed: the new revision and chain, then the old ones. */
export const MOVE_HEAD = `WITH done AS (UPDATE head SET revision = $1, chain = $2
  WHERE only_row = 1 AND revision = $3 AND chain = $4 RETURNING 1) SELECT 1 / count(*) FROM done`

/** Something to commit that changes nothing, so that the COMMIT waits for standbys. */
export const TOUCH_HEAD = 'UPDATE head SET chain = chain WHERE only_row = 1'

/** Pages end when their ops and names have this many bytes; they have at least one change, however large. */
const HISTORY_BYTES_MAX = 8_000_000

/**
 * The changes after a revision, up to a limit. Each row starts with the same values, and there is always one: the
 * schema version, the oldest kept change (or the next revision) and its time. One statement, so that it is one
 * snapshot. The version must not be read together with the lock: a statement that waits for the lock sees the head as
 * it is afterwards, but everything else as it was before.
 */
export const READ_HISTORY = `SELECT ${NEWEST},
  coalesce(oldest.revision, (SELECT revision + 1 FROM head WHERE only_row = 1)), oldest.at_ms,
  page.revision, page.batch_id, page.chain, page.at_ms, page.ops, page.names
FROM (SELECT 1) AS always
LEFT JOIN (SELECT revision, at_ms FROM changes ORDER BY revision LIMIT 1) AS oldest ON true
LEFT JOIN (
  SELECT *, sum(bytes) OVER (ORDER BY revision) - bytes AS bytes_before FROM (
    SELECT *, octet_length(ops) + octet_length(names) AS bytes
    FROM changes WHERE revision > $1 ORDER BY revision LIMIT $2
  ) AS numbered
) AS page ON page.bytes_before < ${HISTORY_BYTES_MAX}
ORDER BY page.revision`

/**
 * Drops the oldest changes: up to a revision because there are too many, before a time because they are too old, and
 * only so many at once.
 */
export const DROP_CHANGES = `DELETE FROM changes WHERE revision < (
  SELECT coalesce(
    (SELECT revision FROM changes WHERE revision > $1 AND revision < oldest + $3 AND at_ms >= $2
     ORDER BY revision LIMIT 1),
    oldest + $3)
  FROM (SELECT min(revision) AS oldest FROM changes) AS front)`
