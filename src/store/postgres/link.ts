import type { AnyRow, Table, Value } from '../../world/table.ts'
import { type Link, TurnAborted } from '../shared/link.ts'
import { answerLimit, computeTurnLimit, type Timeouts } from '../shared/timeouts.ts'
import { type Batch, type Head, type History, type Retention, StoreUnavailable } from '../store.ts'
import { computePlainEffect, describePlain } from '../tables/plain-effect.ts'
import { buildPlainQuery } from '../tables/plain-query.ts'
import type { AnyPlainQuery, PlainName, PlainPut } from '../tables/plain-tables.ts'
import { checkVersion, type Oldest, parseHead, parseHistory } from '../tables/stored-history.ts'
import { buildCommit, COMMIT } from './commit.ts'
import { toBeginError, toCommitError, toReadError } from './failure.ts'
import { LOCK_HEAD, READ_HEAD, READ_HISTORY, TOUCH_HEAD } from './head-sql.ts'
import { type Answer, type Question, rowsOrThrow, type Session } from './session.ts'
import { countSame, findRow } from './statements.ts'
import { decodeRow, encodeColumns, encodeValue, readText } from './values.ts'

/** Changes that come with a turn; the rest has to be read. */
const CHANGES_PER_TURN_MAX = 1_000
const SWEEP_EVERY_MS = 60_000

const BEGIN: Question = { text: 'BEGIN' }
const ROLLBACK: Question = { text: 'ROLLBACK' }

/** One session and its transaction. Sends everything before it waits. */
export class PostgresLink implements Link {
  readonly #session: Session
  readonly #timeouts: Timeouts
  readonly #newestVersion: number
  #oldest: Oldest = { revision: 1, atMs: null }
  #sweptAtMs = Number.NEGATIVE_INFINITY

  constructor(session: Session, timeouts: Timeouts, newestVersion: number) {
    this.#session = session
    this.#timeouts = timeouts
    this.#newestVersion = newestVersion
  }

  async begin(afterRevision: number) {
    const questions = [
      BEGIN,
      { name: 'lock head', text: LOCK_HEAD },
      buildHistoryRead(afterRevision, CHANGES_PER_TURN_MAX),
    ]
    try {
      const answers = await this.#session.ask(questions, computeTurnLimit(this.#timeouts))
      const [, locked, found] = this.#rows(answers, toBeginError)
      const { version, oldest, history } = parseHistory(found ?? [], afterRevision, readText)
      checkVersion(version, this.#newestVersion)
      this.#oldest = oldest
      const nowMs = locked?.[0]?.[2] as number | undefined
      return {
        head: parseHead(this.#session.where, locked ?? []),
        history,
        ...(nowMs === undefined ? {} : { nowMs }),
      }
    } catch (reason) {
      await this.#takeBack()
      throw reason
    }
  }

  async commit(from: Head, batch: Batch, retention: Retention): Promise<void> {
    if (this.#session.isLost) throw new TurnAborted(`the turn at ${this.#session.where} was cut short`)
    const sweep = Math.abs(batch.atMs - this.#sweptAtMs) >= SWEEP_EVERY_MS
    let questions: Question[]
    try {
      questions = buildCommit(from, batch, retention, { oldest: this.#oldest, sweep })
    } catch (reason) {
      await this.#takeBack()
      throw reason
    }
    await this.#commit(questions)
    if (sweep) this.#sweptAtMs = batch.atMs
  }

  fence(): Promise<void> {
    return this.#commit([{ text: TOUCH_HEAD }, COMMIT])
  }

  /** The lock was held until the answer, so no other process wrote. */
  release(): Promise<void> {
    return this.rollback()
  }

  /** The last statement is the COMMIT. */
  async #commit(questions: readonly Question[]): Promise<void> {
    const answers = await this.#session.ask(questions, answerLimit(this.#timeouts))
    const failedAt = answers.findIndex(answer => !answer.ok)
    const failed = answers[failedAt]
    if (failed !== undefined && !failed.ok)
      throw toCommitError(this.#session.where, failed.error, failedAt === answers.length - 1)
    const last = answers.at(-1) as Answer & { ok: true }
    // PostgreSQL rolls back a transaction that cannot be committed, and does not report that as an error.
    if (last.command !== 'COMMIT')
      throw new StoreUnavailable(`PostgreSQL at ${this.#session.where} rolled the transaction back`)
  }

  async rollback(): Promise<void> {
    await this.#read(ROLLBACK)
  }

  async head(): Promise<Head> {
    const rows = await this.#read({ name: 'head', text: READ_HEAD })
    checkVersion(rows[0]?.[2] as number, this.#newestVersion)
    return parseHead(this.#session.where, rows)
  }

  async changesAfter(revision: number, limit: number): Promise<History> {
    return parseHistory(await this.#read(buildHistoryRead(revision, limit)), revision, readText).history
  }

  async plainRow(name: PlainName, key: readonly Value[]): Promise<AnyRow | null> {
    const table = describePlain(name)
    const question = { name: `find ${name}`, text: findRow(table), values: key.map(encodeValue) }
    const [row] = await this.#read(question)
    return row === undefined ? null : decodeRow(table, row as Value[])
  }

  async plainRows(name: PlainName, query: AnyPlainQuery, sinceMs: number): Promise<AnyRow[]> {
    const { text, values } = buildPlainQuery(name, query, sinceMs, nth => `$${nth}`)
    const rows = await this.#read({ text, values: values.map(encodeValue) })
    return rows.map(row => decodeRow(describePlain(name), row as Value[]))
  }

  async holds(puts: readonly PlainPut[]): Promise<boolean> {
    const effects = computePlainEffect(
      puts.map(({ table, row }) => ({ table, row }) as PlainPut),
      0,
    )
    const questions = effects.map(({ table, put }) => buildCountSame(table, put))
    const answers = await this.#session.ask(questions, answerLimit(this.#timeouts))
    const counts = this.#rows(answers, toReadError)
    return effects.every(({ put }, at) => counts[at]?.[0]?.[0] === put.length)
  }

  close(): Promise<void> {
    return this.#session.close()
  }

  async #read(question: Question): Promise<readonly (readonly unknown[])[]> {
    const answers = await this.#session.ask([question], answerLimit(this.#timeouts))
    return this.#rows(answers, toReadError)[0] ?? []
  }

  #rows(answers: readonly Answer[], asError: (where: string, error: Error) => Error) {
    return rowsOrThrow(answers, error => asError(this.#session.where, error))
  }

  /** After a failure: the transaction has ended, in whatever way. */
  async #takeBack(): Promise<void> {
    const [answer] = await this.#session.ask([ROLLBACK], answerLimit(this.#timeouts))
    if (answer?.ok === false) await this.#session.close()
  }
}

function buildCountSame(table: Table, rows: readonly AnyRow[]): Question {
  const values = encodeColumns(table, table.columnNames, rows)
  return { name: `same ${table.name}`, text: countSame(table), values }
}

function buildHistoryRead(afterRevision: number, limit: number): Question {
  return { name: 'history', text: READ_HISTORY, values: [afterRevision, limit] }
}
