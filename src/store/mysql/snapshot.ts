import { type AnyRow, makeRow, type Value } from '../../world/table.ts'
import { LinkLost, TurnAborted } from '../shared/link.ts'
import { ROWS_PER_PAGE, readPages } from '../shared/read-pages.ts'
import { type Head, type Snapshot, StoreUnavailable } from '../store.ts'
import { describeTable, type StoredName } from '../tables/described-tables.ts'
import { checkVersion, parseHead } from '../tables/stored-history.ts'
import type { Server } from './connect.ts'
import { toReadError } from './failure.ts'
import { checkNoCopy, READ_HEAD } from './head-sql.ts'
import { rowsOrThrow, type Session } from './session.ts'
import { selectPage } from './statements.ts'
import { renderSnapshotSettings } from './turn-settings.ts'

interface SnapshotLimits {
  readonly pageMsMax: number
  readonly newestVersion: number
}

/** All rows as of one head, over a session of its own. */
export class MysqlSnapshot implements Snapshot {
  readonly head: Head
  readonly #session: Session
  readonly #pageMsMax: number
  readonly #onClosed: () => void
  #closed: Promise<void> | null = null

  private constructor(session: Session, head: Head, pageMsMax: number, onClosed: () => void) {
    this.#session = session
    this.head = head
    this.#pageMsMax = pageMsMax
    this.#onClosed = onClosed
  }

  static async begin(
    server: Server,
    { pageMsMax, newestVersion }: SnapshotLimits,
    onClosed: () => void,
  ): Promise<MysqlSnapshot> {
    const { session } = server
    const answers = await session.ask([...renderSnapshotSettings(server), READ_HEAD], pageMsMax)
    const rows = rowsOrThrow(answers, error => toUnavailable(session, error)).at(-1) ?? []
    // A node of Galera that loses the others can answer without the row.
    if (rows[0] === undefined) throw new StoreUnavailable(`${session.where} answers without its head`)
    const [, , version, copies] = rows[0]
    checkVersion(version as number, newestVersion)
    checkNoCopy(session.where, copies)
    return new MysqlSnapshot(session, parseHead(session.where, rows), pageMsMax, onClosed)
  }

  rows(name: StoredName, rowsMax = ROWS_PER_PAGE): AsyncGenerator<readonly AnyRow[]> {
    return readPages(name, rowsMax, (byLength, after) => this.#page(name, byLength, rowsMax, after))
  }

  close(): Promise<void> {
    this.#closed ??= this.#session.close().finally(this.#onClosed)
    return this.#closed
  }

  async #page(name: StoredName, byLength: boolean, rowsMax: number, after: AnyRow | null) {
    const table = describeTable(name)
    const answers = await this.#session.ask([selectPage(table, after, byLength, rowsMax)], this.#pageMsMax)
    const [rows = []] = rowsOrThrow(answers, error => toUnavailable(this.#session, error))
    return rows.map(row => makeRow(table, row as Value[]))
  }
}

/** A snapshot cannot be continued elsewhere: its reader has to start again. */
function toUnavailable(session: Session, error: Error): Error {
  const reason = toReadError(session.where, error)
  const isPassing = reason instanceof LinkLost || reason instanceof TurnAborted
  return isPassing ? new StoreUnavailable(reason.message, { cause: reason }) : reason
}
