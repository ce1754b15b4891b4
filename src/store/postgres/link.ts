import type { AnyRow, Table, Value } from '../../world/table.ts'
import { type Link, TurnAborted } from '../shared/link.ts'
import {
  type Batch,
  type Committed,
  type Head,
  type History,
  type Retention,
  StoreUnavailable,
} from '../store.ts'
import { plainQuestion } from '../tables/plain-query.ts'
import type { AnyPlainQuery, PlainName, PlainPut } from '../tables/plain-tables.ts'
import { committedOf } from '../tables/stored-change.ts'
import { COMMIT, commitQuestions, type Oldest } from './commit.ts'
import { answerLimit, type Timeouts, turnLimit } from './connect.ts'
import { whileBeginning, whileCommitting, whileReading } from './failure.ts'
import { checkVersion, headOf, LOCK_HEAD, READ_HEAD, READ_HISTORY, TOUCH_HEAD } from './head-sql.ts'
import { describedPlain, plainEffect } from './plain-effect.ts'
import { type Answer, type Question, rowsOrThrow, type Session } from './session.ts'
import { countSame, findRow } from './statements.ts'
import { columnParameters, parameter, readText, rowOf } from './values.ts'

/** With a turn come at most so many changes; the rest has to be asked for. */
const CHANGES_PER_TURN_MAX = 1_000
const SWEEP_EVERY_MS = 60_000

const BEGIN: Question = { text: 'BEGIN' }
const ROLLBACK: Question = { text: 'ROLLBACK' }

/** One session and its transaction. Whatever it sends, it sends before it waits for anything. */
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
      historyQuestion(afterRevision, CHANGES_PER_TURN_MAX),
    ]
    try {
      const answers = await this.#session.ask(questions, turnLimit(this.#timeouts))
      const [, locked, found] = this.#rows(answers, whileBeginning)
      const { version, oldest, history } = historyRead(found ?? [], afterRevision)
      checkVersion(version, this.#newestVersion)
      this.#oldest = oldest
      const nowMs = locked?.[0]?.[2] as number | undefined
      return {
        head: headOf(this.#session.where, locked ?? []),
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
      questions = commitQuestions(from, batch, retention, { oldest: this.#oldest, sweep })
    } catch (reason) {
      await this.#takeBack()
      throw reason
    }
    await this.#commit(questions)
    if (sweep) this.#sweptAtMs = batch.atMs
  }

  confirm(): Promise<void> {
    return this.#commit([{ text: TOUCH_HEAD }, COMMIT])
  }

  /** Questions of which the last is the COMMIT. */
  async #commit(questions: readonly Question[]): Promise<void> {
    const answers = await this.#session.ask(questions, answerLimit(this.#timeouts))
    const failedAt = answers.findIndex(answer => !answer.ok)
    const failed = answers[failedAt]
    if (failed !== undefined && !failed.ok)
      throw whileCommitting(this.#session.where, failed.error, failedAt === answers.length - 1)
    const last = answers.at(-1) as Answer & { ok: true }
    // A transaction that cannot be committed is rolled back, and that is no error to PostgreSQL.
    if (last.command !== 'COMMIT')
      throw new StoreUnavailable(`PostgreSQL at ${this.#session.where} rolled the transaction back`)
  }

  async rollback(): Promise<void> {
    await this.#read(ROLLBACK)
  }

  async head(): Promise<Head> {
    const rows = await this.#read({ name: 'head', text: READ_HEAD })
    checkVersion(rows[0]?.[2] as number, this.#newestVersion)
    return headOf(this.#session.where, rows)
  }

  async changesAfter(revision: number, limit: number): Promise<History> {
    return historyRead(await this.#read(historyQuestion(revision, limit)), revision).history
  }

  async plainRow(name: PlainName, key: readonly Value[]): Promise<AnyRow | null> {
    const table = describedPlain(name)
    const question = { name: `find ${name}`, text: findRow(table), values: key.map(parameter) }
    const [row] = await this.#read(question)
    return row === undefined ? null : rowOf(table, row as Value[])
  }

  async plainRows(name: PlainName, query: AnyPlainQuery, sinceMs: number): Promise<AnyRow[]> {
    const { text, values } = plainQuestion(name, query, sinceMs, nth => `$${nth}`)
    const rows = await this.#read({ text, values: values.map(parameter) })
    return rows.map(row => rowOf(describedPlain(name), row as Value[]))
  }

  async holds(puts: readonly PlainPut[]): Promise<boolean> {
    const effects = plainEffect(
      puts.map(({ table, row }) => ({ table, row }) as PlainPut),
      0,
    )
    const questions = effects.map(({ table, put }) => sameQuestion(table, put))
    const answers = await this.#session.ask(questions, answerLimit(this.#timeouts))
    const counts = this.#rows(answers, whileReading)
    return effects.every(({ put }, at) => counts[at]?.[0]?.[0] === put.length)
  }

  close(): Promise<void> {
    return this.#session.close()
  }

  async #read(question: Question): Promise<readonly (readonly unknown[])[]> {
    const answers = await this.#session.ask([question], answerLimit(this.#timeouts))
    return this.#rows(answers, whileReading)[0] ?? []
  }

  #rows(answers: readonly Answer[], asError: (where: string, error: Error) => Error) {
    return rowsOrThrow(answers, error => asError(this.#session.where, error))
  }

  /** After a failure: the transaction is over, whatever became of it. */
  async #takeBack(): Promise<void> {
    const [answer] = await this.#session.ask([ROLLBACK], answerLimit(this.#timeouts))
    if (answer?.ok === false) await this.#session.close()
  }
}

function sameQuestion(table: Table, rows: readonly AnyRow[]): Question {
  const values = columnParameters(table, table.columnNames, rows)
  return { name: `same ${table.name}`, text: countSame(table), values }
}

/** A look at the changes after a revision, and at what a turn has to know besides. */
interface HistoryRead {
  readonly version: number
  readonly oldest: Oldest
  readonly history: History
}

function historyQuestion(afterRevision: number, limit: number): Question {
  return { name: 'history', text: READ_HISTORY, values: [afterRevision, limit] }
}

type First = [version: number, oldest: number, oldestAtMs: number | null]
type Stored = [revision: number, batchId: string, chain: string, atMs: number, ops: string, names: string]
type NoChange = [null, null, null, null, null, null]
type Row = [...First, ...(Stored | NoChange)]

function historyRead(rows: readonly (readonly unknown[])[], afterRevision: number): HistoryRead {
  const [version, revision, atMs] = rows[0] as Row
  const oldest = { revision, atMs }
  if (afterRevision + 1 < revision) return { version, oldest, history: { kept: false, oldestKept: revision } }
  const found = (rows as readonly Row[])
    .map(([, , , ...change]) => change)
    .filter((change): change is Stored => change[0] !== null)
  return { version, oldest, history: { kept: true, changes: found.map(changeOf) } }
}

function changeOf([revision, batch_id, chain, at_ms, ops, names]: Stored): Committed {
  return committedOf({ revision, batch_id, chain, at_ms, ops: readText(ops), names: readText(names) })
}
