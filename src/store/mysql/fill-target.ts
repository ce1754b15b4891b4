import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyRow, Table } from '../../world/table.ts'
import { GENESIS, isSameHead } from '../chain.ts'
import { LinkLost, TurnAborted } from '../shared/link.ts'
import { type Head, StoreRefused, StoreRejected, StoreUnavailable } from '../store.ts'
import { describedTables, type StoredName } from '../tables/described-tables.ts'
import { checkVersion, parseHead } from '../tables/stored-history.ts'
import type { Server } from './connect.ts'
import { OUT_OF_RANGE, ServerError, toCommitError } from './failure.ts'
import { isCopyAt, LOCK_COPY, LOCK_HEAD, moveCopy, moveHead, READ_HEAD, takeAnyTurn } from './head-sql.ts'
import { rowsOrThrow } from './session.ts'
import { insertRows, quoteName, requireRowCount, requireThat } from './statements.ts'
import { renderReadSettings, renderTurnSettings } from './turn-settings.ts'
import { renderText } from './values.ts'

export interface FillMeans {
  readonly connect: () => Promise<Server>
  readonly answerMsMax: number
  readonly newestVersion: number
}

/** So many rows of this table are copied, and all of the tables before it; without a table, none. */
interface Place {
  readonly table: StoredName | null
  readonly rows: number
}

/** What the database knows of a copy. */
interface CopyState extends Place {
  readonly head: Head
  /** New with every commit of a copy; a commit takes effect only if it finds the turn of the one before. */
  readonly turn: string
}

type Rows = readonly (readonly unknown[])[]

const ROWS_PER_STATEMENT_MAX = 500
const DELETED_PER_COMMIT = 5_000
/** About 40 seconds: a cluster may need some to agree on its members. */
const TRIES_MAX = 30
const PAUSE_MS = 100
const PAUSE_MS_MAX = 2_000

/**
 * A database that is being filled, over one connection at a time. The row of `berth_copy` is its head: every commit
 * changes it, so another copy that takes over ends this one, and a commit whose answer was lost is settled by a fence.
 */
export class FillTarget {
  readonly #means: FillMeans
  #server: Server | null = null
  /** As it is stored. */
  #stored: CopyState | null = null

  constructor(means: FillMeans) {
    this.#means = means
  }

  get place(): Place {
    return this.#state
  }

  /** Starts where an earlier copy of the same head stopped, or at the beginning. */
  async begin(head: Head): Promise<void> {
    const found = await this.#retry(() => this.#findOrCreate(head))
    this.#stored = found
    const { table, rows } = isSameHead(found.head, head) ? found : { table: null, rows: 0 }
    await this.#commit([], { table, rows }, head)
    // Perhaps an earlier copy has left some.
    if (table === null) for (const { name } of describedTables) await this.clear(name)
  }

  write(table: Table, rows: readonly AnyRow[], to: Place): Promise<void> {
    const inserts: string[] = []
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT_MAX)
      inserts.push(insertRows(table, rows.slice(at, at + ROWS_PER_STATEMENT_MAX)))
    return this.#commit(inserts, to)
  }

  /** Drops all rows of a table, in small transactions. */
  async clear(table: StoredName): Promise<void> {
    const name = quoteName(table)
    for (;;) {
      const [left] = await this.#retry(() => this.#read(`SELECT 1 FROM ${name} LIMIT 1`))
      if (left === undefined) return
      await this.#commit([`DELETE FROM ${name} LIMIT ${DELETED_PER_COMMIT}`], this.place)
    }
  }

  /** From now on servers use it. */
  finish(): Promise<void> {
    const { head } = this.#state
    const work = [
      takeAnyTurn(randomUUID()),
      moveHead(head, GENESIS),
      requireRowCount(1),
      'DELETE FROM berth_copy',
    ]
    return this.#commit(work, this.place, head, NO_COPY)
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = null
    await server?.session.close()
  }

  get #state(): CopyState {
    if (this.#stored === null) throw new Error('the copy has not begun')
    return this.#stored
  }

  async #findOrCreate(head: Head): Promise<CopyState> {
    const found = parseState(await this.#read('SELECT state FROM berth_copy'))
    if (found !== null) return found
    const { where, ...now } = await this.#readHead()
    const [row] = await this.#read(`SELECT ${ANY_ROW}`)
    if (!isSameHead(now, GENESIS) || row?.[0] !== 0)
      throw new StoreRefused(`the database at ${where} is not empty: something was written to it already`)
    // In one transaction that finds it empty: the lock keeps out writers of the same node, the turn those of others.
    const state = makeState({ table: null, rows: 0 }, head)
    const insert = `INSERT INTO berth_copy VALUES (1, ${render(state)})`
    await this.#begin([LOCK_HEAD, requireThat(`(${ANY_ROW}) = 0`), takeAnyTurn(randomUUID()), insert])
    await this.#ask(['COMMIT'])
    return state
  }

  /** Commits work and the new state together, over as many connections as it takes. `isDone` is a condition at the end. */
  async #commit(
    work: readonly string[],
    place: Place,
    head = this.#state.head,
    isDone: string | null = null,
  ): Promise<void> {
    const commit = async (to: CopyState) => {
      const guard = requireThat(isDone ?? isCopyAt(render(to)))
      await this.#begin([moveCopy(render(this.#state), render(to)), requireRowCount(1), ...work, guard])
      await this.#ask(['COMMIT'])
    }
    await this.#retry(async () => {
      const to = makeState(place, head)
      try {
        await commit(to)
      } catch (reason) {
        if (!isPassing(reason) && !(reason instanceof StoreRejected)) throw reason
        // A rejection may have been found after the node took the transaction back, and another copy went on.
        if (!(await this.#isStored(to, isDone !== null))) throw reason
      }
      this.#stored = to
    })
  }

  /** Settles a commit that failed in whatever way. Rejects with StoreRefused if another copy has taken over. */
  async #isStored(to: CopyState, isLast: boolean): Promise<boolean> {
    const turnsBefore = new Set([this.#state.turn])
    return this.#retry(async () => {
      const found = parseState(await this.#begin([LOCK_COPY], true))
      const isFinished = found === null && isLast && isSameHead(await this.#readHead(), to.head)
      if (isFinished || found?.turn === to.turn) {
        await this.close()
        return true
      }
      const where = this.#server?.session.where
      if (found === null || !turnsBefore.has(found.turn))
        throw new StoreRefused(`another copy into the database at ${where} is running`)
      // It is not there. It never will be once this change of the same row is committed.
      const fenced = makeState(found, found.head)
      turnsBefore.add(fenced.turn)
      await this.#ask([moveCopy(render(found), render(fenced)), requireRowCount(1)])
      await this.#ask(['COMMIT'])
      this.#stored = fenced
      return false
    })
  }

  async #retry<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (reason) {
        // Before the first commit, a database that is not there is no reason to wait.
        const isFirst = this.#stored === null && reason instanceof StoreUnavailable
        if (!isPassing(reason) || isFirst) throw reason
        if (tries === TRIES_MAX) throw new GaveUp((reason as Error).message, { cause: reason })
        await this.close()
        await sleep(Math.min(tries * PAUSE_MS, PAUSE_MS_MAX))
      }
    }
  }

  async #readHead(): Promise<Head & { readonly where: string }> {
    const rows = await this.#read(READ_HEAD)
    const where = this.#server?.session.where ?? ''
    checkVersion(rows[0]?.[2] as number, this.#means.newestVersion)
    return { ...parseHead(where, rows), where }
  }

  async #read(text: string): Promise<Rows> {
    const server = await this.#connect()
    return this.#ask([...renderReadSettings(server), text])
  }

  /** Opens a transaction. Without autocommit, what follows a rollback that nobody noticed is never stored by itself. */
  async #begin(statements: readonly string[], isCausal = false): Promise<Rows> {
    const server = await this.#connect()
    const { answerMsMax } = this.#means
    const settings = renderTurnSettings(server, { answerMsMax, frozenMsMax: answerMsMax }, isCausal)
    return this.#ask([...settings, ...statements])
  }

  async #connect(): Promise<Server> {
    this.#server ??= await this.#means.connect()
    return this.#server
  }

  /** The rows of the last statement. After a failure the connection is closed, and the transaction has ended. */
  async #ask(statements: readonly string[]): Promise<Rows> {
    const { session } = await this.#connect()
    const answers = await session.ask(statements, this.#means.answerMsMax)
    try {
      return rowsOrThrow(answers, error => {
        if (error instanceof ServerError && error.code === OUT_OF_RANGE)
          return new TurnAborted('the database is not as the copy left it')
        return toCommitError(session.where, error, statements.at(-1) === 'COMMIT')
      }).at(-1) as Rows
    } catch (reason) {
      await this.close()
      throw reason
    }
  }
}

const NO_COPY = '(SELECT count(*) FROM berth_copy) = 0'
const ANY_ROW = [
  ...describedTables.map(({ name }) => `EXISTS (SELECT 1 FROM ${quoteName(name)})`),
  `EXISTS (SELECT 1 FROM head WHERE revision <> ${GENESIS.revision})`,
].join(' OR ')

const makeState = ({ table, rows }: Place, { revision, chain }: Head): CopyState => ({
  head: { revision, chain },
  table,
  rows,
  turn: randomUUID(),
})

const render = ({ head, table, rows, turn }: CopyState): string =>
  renderText(JSON.stringify({ head, table, rows, turn }))

function parseState([row]: Rows): CopyState | null {
  return row === undefined ? null : (JSON.parse(row[0] as string) as CopyState)
}

/** It was tried for long enough. */
class GaveUp extends StoreUnavailable {}

/** What may pass with time, or over another connection. */
const isPassing = (reason: unknown): boolean =>
  reason instanceof LinkLost ||
  reason instanceof TurnAborted ||
  (reason instanceof StoreUnavailable && !(reason instanceof GaveUp))
