import type { Timeouts } from '../shared/timeouts.ts'
import type { Server } from './connect.ts'

/**
 * What statements need of their session, sent with them each time: a proxy may give every transaction another connection.
 * The first statement is not a SET, as ProxySQL keeps sessions for itself that begin with one it does not know.
 */
const FIRST = 'DO 0'

/** Values that do not fit are errors, and nothing else has a meaning of its own. */
const SQL_MODE = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'

type Kind = Pick<Server, 'flavor' | 'isGalera'>

function renderSettings(
  { flavor, isGalera }: Kind,
  more: Readonly<Record<string, string | number>>,
): string[] {
  const settings = {
    [flavor === 'mariadb' ? 'tx_isolation' : 'transaction_isolation']: "'REPEATABLE-READ'",
    sql_mode: `'${SQL_MODE}'`,
    ...more,
  }
  const { wsrep_sync_wait, ...always } = settings as Record<string, string | number>
  const pairs = Object.entries(isGalera && wsrep_sync_wait !== undefined ? settings : always)
  return [FIRST, `SET SESSION ${pairs.map(([name, value]) => `${name} = ${value}`).join(', ')}`]
}

/** Before a read outside of a transaction; it sees all that was acknowledged before, at whatever node. */
export const renderReadSettings = (kind: Kind): string[] =>
  renderSettings(kind, { autocommit: 1, wsrep_sync_wait: 1 })

/** Seconds, as whole numbers. */
const toSeconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000))

/**
 * Opens the transaction of a turn. Without autocommit, what follows is in a transaction even if the server ended this
 * one. `isCausal`: it sees all that was acknowledged before, at whatever node.
 */
export function renderTurnSettings(kind: Kind, timeouts: Timeouts, isCausal: boolean): string[] {
  return [
    ...renderSettings(kind, {
      autocommit: 0,
      wsrep_sync_wait: isCausal ? 1 : 0,
      innodb_lock_wait_timeout: toSeconds(timeouts.answerMsMax),
      ...(kind.flavor === 'mariadb' ? { idle_transaction_timeout: toSeconds(timeouts.frozenMsMax) } : {}),
    }),
    ...(isCausal ? [CATCH_UP] : []),
    'START TRANSACTION',
  ]
}

/** Waits until the node has all that was acknowledged before: a query does so only outside of a transaction. */
const CATCH_UP = 'SELECT turn FROM head WHERE only_row = 1'

export function renderSnapshotSettings(kind: Kind): string[] {
  return [
    ...renderSettings(kind, { autocommit: 1, wsrep_sync_wait: 1 }),
    CATCH_UP,
    'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
  ]
}
