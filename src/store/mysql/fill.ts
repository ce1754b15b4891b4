import type { AnyRow, Table } from '../../world/table.ts'
import { mirroredTables } from '../../world/tables.ts'
import { GENESIS, isSameHead } from '../chain.ts'
import { LinkLost, TurnAborted } from '../shared/link.ts'
import { type Head, type Snapshot, StoreRefused, StoreUnavailable } from '../store.ts'
import { changes, describedTables, type StoredName } from '../tables/described-tables.ts'
import { plainTables } from '../tables/plain-tables.ts'
import { checkVersion, parseHead } from '../tables/stored-history.ts'
import type { Server } from './connect.ts'
import { ServerError, toCommitError } from './failure.ts'
import { moveHead, READ_HEAD, TAKE_ANY_TURN } from './head-sql.ts'
import { rowsOrThrow } from './session.ts'
import { insertRows, quoteName, requireRowCount, requireThat } from './statements.ts'
import { renderReadSettings } from './turn-settings.ts'
import { renderText } from './values.ts'

interface FillMeans {
  readonly connect: () => Promise<Server>
  readonly answerMsMax: number
  readonly newestVersion: number
}

/**
 * How far a copy has come. Mirrored rows are the same for the same head, so their number says it; changes are known by
 * their revisions; plain rows may change without the head, so they are always copied again.
 */
interface CopyState {
  readonly head: Head
  readonly table: StoredName | null
  readonly rows: number
}

const ROWS_PER_STATEMENT_MAX = 500
/** One commit of a copy; Galera limits what a transaction may change. */
const ROWS_PER_COMMIT_MAX = 5_000
const DELETED_PER_COMMIT = 5_000
const TRIES_MAX = 10

/**
 * Copies in many small transactions. Until the last one has moved the head, the database says that a copy is unfinished,
 * and no server uses it. The same copy, started again, goes on where it stopped; a copy of another head starts over.
 */
export async function fill(means: FillMeans, source: Snapshot, took: (rows: number) => void): Promise<Head> {
  const target = new Target(means)
  try {
    let state = await target.begin(source.head)
    for (const table of listTables()) {
      if (!isReached(state, table.name)) continue
      const start: number = state.table === table.name ? state.rows : 0
      state = await copyTable(target, source, table, { ...state, table: table.name, rows: start }, took)
    }
    await target.finish(state)
    return source.head
  } finally {
    await target.close()
  }
}

const listTables = (): readonly Table<StoredName>[] =>
  [...mirroredTables, changes, ...plainTables] as Table<StoredName>[]
const isPlain = (name: StoredName) => (plainTables as readonly Table[]).some(table => table.name === name)

/** Whether a table is to be copied, or gone on with. */
function isReached({ table }: CopyState, name: StoredName): boolean {
  if (table === null) return true
  const names = listTables().map(one => one.name)
  return names.indexOf(name) >= names.indexOf(table) || isPlain(name)
}

async function copyTable(
  target: Target,
  source: Snapshot,
  table: Table<StoredName>,
  start: CopyState,
  took: (rows: number) => void,
): Promise<CopyState> {
  if (isPlain(table.name) || table.name === changes.name) await target.clear(table.name)
  let state: CopyState = isPlain(table.name) || table.name === changes.name ? { ...start, rows: 0 } : start
  let passed = 0
  for await (const page of source.rows(table.name)) {
    const rows = page.slice(Math.max(0, state.rows - passed))
    passed += page.length
    for (let at = 0; at < rows.length; at += ROWS_PER_COMMIT_MAX) {
      const some = rows.slice(at, at + ROWS_PER_COMMIT_MAX)
      const next = { ...state, rows: state.rows + some.length }
      await target.write(table, some, state, next)
      state = next
    }
    took(page.length)
  }
  return state
}

const encodeState = ({ head, table, rows }: CopyState): string =>
  renderText(JSON.stringify({ head: { revision: head.revision, chain: head.chain }, table, rows }))

/** The database that is filled, over one connection at a time. */
class Target {
  readonly #means: FillMeans
  #server: Server | null = null

  constructor(means: FillMeans) {
    this.#means = means
  }

  /** Where to start: where an earlier copy of the same head stopped, or at the beginning. */
  async begin(head: Head): Promise<CopyState> {
    const found = await this.#readState()
    if (found !== null && isSameHead(found.head, head)) return found
    const fresh: CopyState = { head, table: null, rows: 0 }
    if (found === null) await this.#requireEmpty()
    else for (const { name } of describedTables) await this.clear(name)
    const put = found === null ? 'INSERT' : 'REPLACE'
    await this.#commit(
      [`${put} INTO berth_copy VALUES (1, ${encodeState(fresh)})`, TAKE_ANY_TURN],
      async () => {
        const now = await this.#readState()
        return now !== null && isSameHead(now.head, head)
      },
    )
    return fresh
  }

  async write(table: Table, rows: readonly AnyRow[], from: CopyState, to: CopyState): Promise<void> {
    const inserts: string[] = []
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT_MAX)
      inserts.push(insertRows(table, rows.slice(at, at + ROWS_PER_STATEMENT_MAX)))
    const move = `UPDATE berth_copy SET state = ${encodeState(to)} WHERE only_row = 1 AND state = ${encodeState(from)}`
    const isMoved = requireThat(`(SELECT state FROM berth_copy) = ${encodeState(to)}`)
    await this.#commit([...moveState(from, to, move), ...inserts, isMoved], async () => {
      const now = await this.#readState()
      return now !== null && encodeState(now) === encodeState(to)
    })
  }

  async finish({ head }: CopyState): Promise<void> {
    const done = [
      TAKE_ANY_TURN,
      moveHead(head, GENESIS),
      requireRowCount(1),
      'DELETE FROM berth_copy',
      requireRowCount(1),
    ]
    await this.#commit(done, async () => isSameHead((await this.#readHead()).head, head))
  }

  /** In small transactions. */
  async clear(table: StoredName): Promise<void> {
    const name = quoteName(table)
    for (;;) {
      const [left] = (await this.#ask([`SELECT 1 FROM ${name} LIMIT 1`])).at(-1) ?? []
      if (left === undefined) return
      await this.#commit([`DELETE FROM ${name} LIMIT ${DELETED_PER_COMMIT}`], async () => false)
    }
  }

  async close(): Promise<void> {
    await this.#server?.session.close()
  }

  async #requireEmpty(): Promise<void> {
    const { head, where } = await this.#readHead()
    const anyRow = describedTables.map(({ name }) => `EXISTS (SELECT 1 FROM ${quoteName(name)})`).join(' OR ')
    const [row] = (await this.#ask([`SELECT ${anyRow}`])).at(-1) ?? []
    if (!isSameHead(head, GENESIS) || row?.[0] !== 0)
      throw new StoreRefused(`the database at ${where} is not empty: something was written to it already`)
  }

  async #readHead(): Promise<{ readonly head: Head; readonly where: string }> {
    const rows = (await this.#ask([READ_HEAD])).at(-1) ?? []
    const where = this.#server?.session.where ?? ''
    checkVersion(rows[0]?.[2] as number, this.#means.newestVersion)
    return { head: parseHead(where, rows), where }
  }

  async #readState(): Promise<CopyState | null> {
    const [row] = (await this.#ask(['SELECT state FROM berth_copy'])).at(-1) ?? []
    return row === undefined ? null : (JSON.parse(row[0] as string) as CopyState)
  }

  /** Commits, also over a new connection; `isDone` says whether an attempt without an answer was stored. */
  async #commit(statements: readonly string[], isDone: () => Promise<boolean>): Promise<void> {
    for (let left = TRIES_MAX; ; left--) {
      try {
        await this.#ask(['START TRANSACTION', ...statements])
        await this.#ask(['COMMIT'])
        return
      } catch (reason) {
        const isPassing = reason instanceof LinkLost || reason instanceof TurnAborted
        if (!isPassing) throw reason
        if (left === 1) throw new StoreUnavailable(reason.message, { cause: reason })
        await this.close()
        this.#server = null
        // A read after a fence: what was not answered is there, or never will be.
        await this.#ask([TAKE_ANY_TURN]).catch(() => undefined)
        if (await isDone()) return
      }
    }
  }

  async #ask(statements: readonly string[]) {
    this.#server ??= await this.#means.connect()
    const server = this.#server
    const answers = await server.session.ask(
      [...renderReadSettings(server), ...statements],
      this.#means.answerMsMax,
    )
    const isCommit = statements.at(-1) === 'COMMIT'
    try {
      return rowsOrThrow(answers, error => {
        const isLost = error instanceof ServerError && error.code === 1690
        if (isLost)
          return new StoreRefused(`another copy into the database at ${server.session.where} is running`)
        return toCommitError(server.session.where, error, isCommit)
      })
    } catch (reason) {
      await server.session.close()
      this.#server = null
      throw reason
    }
  }
}

/** The first write of a table also changes its name in the state, which is not stored yet. */
function moveState(from: CopyState, to: CopyState, move: string): string[] {
  if (from.rows > 0) return [move, requireRowCount(1)]
  return [`UPDATE berth_copy SET state = ${encodeState(to)} WHERE only_row = 1`, requireRowCount(1)]
}
