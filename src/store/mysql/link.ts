import { randomUUID } from 'node:crypto'
import type { AnyRow, Value } from '../../world/table.ts'
import { makeRow } from '../../world/table.ts'
import { isSameHead } from '../chain.ts'
import { type Link, LinkLost, TurnAborted } from '../shared/link.ts'
import { answerLimit, computeTurnLimit, type Timeouts } from '../shared/timeouts.ts'
import {
  type Batch,
  type Head,
  type History,
  PlainRowTaken,
  type Retention,
  StoreDiverged,
  StoreRejected,
} from '../store.ts'
import { computePlainEffect, describePlain } from '../tables/plain-effect.ts'
import { buildPlainQuery } from '../tables/plain-query.ts'
import type { AnyPlainQuery, PlainName, PlainPut } from '../tables/plain-tables.ts'
import { checkVersion, type Oldest, parseHead, parseHistory } from '../tables/stored-history.ts'
import { buildCommit, buildFence, type Step } from './commit.ts'
import type { Server } from './connect.ts'
import { isTooLarge, OUT_OF_RANGE, ServerError, toCommitError, toReadError } from './failure.ts'
import { checkNoCopy, isTurn, LOCK_HEAD, READ_HEAD, readHistory } from './head-sql.ts'
import { type Answer, rowsOrThrow, type Session } from './session.ts'
import { countSame, findRow, quoteName } from './statements.ts'
import { renderReadSettings, renderTurnSettings } from './turn-settings.ts'
import { renderAny } from './values.ts'

/** Changes that come with a turn; the rest has to be read. */
const CHANGES_PER_TURN_MAX = 1_000
const SWEEP_EVERY_MS = 60_000

/** What a turn read at its start. */
interface OpenTurn {
  readonly head: Head
  readonly last: string
  readonly oldest: Oldest
}

/** One session and its transaction. */
export class MysqlLink implements Link {
  readonly #server: Server
  readonly #session: Session
  readonly #timeouts: Timeouts
  readonly #newestVersion: number
  readonly #isOutranked: () => boolean
  #turn: OpenTurn | null = null
  #sweptAtMs = Number.NEGATIVE_INFINITY

  constructor(server: Server, timeouts: Timeouts, newestVersion: number, isOutranked: () => boolean) {
    this.#server = server
    this.#session = server.session
    this.#timeouts = timeouts
    this.#newestVersion = newestVersion
    this.#isOutranked = isOutranked
  }

  get isOutranked(): boolean {
    return this.#isOutranked()
  }

  /**
   * At a node of Galera it may miss what was just committed elsewhere: then `commit`, `fence` and `release` fail. If
   * memory is ahead, it waits for the node to catch up, as that may also be a history that was lost.
   */
  async begin(afterRevision: number) {
    try {
      const begun = await this.#begin(afterRevision, false)
      if (!this.#server.isGalera || begun.head.revision >= afterRevision) return begun
      await this.rollback()
      return await this.#begin(afterRevision, true)
    } catch (reason) {
      await this.#takeBack()
      throw reason
    }
  }

  async #begin(afterRevision: number, isCausal: boolean) {
    const settings = renderTurnSettings(this.#server, this.#timeouts, isCausal)
    const statements = [...settings, LOCK_HEAD, readHistory(afterRevision, CHANGES_PER_TURN_MAX)]
    const answers = await this.#ask(statements, computeTurnLimit(this.#timeouts))
    if (answers.length !== statements.length)
      throw new TurnAborted(`${answers.length} of ${statements.length} statements were answered`)
    const [locked = [], found = []] = answers.slice(-2)
    this.#requireRow(locked, TurnAborted)
    this.#requireRow(found, TurnAborted)
    const head = parseHead(this.#session.where, locked)
    const { version, oldest, history } = parseHistory(found, afterRevision)
    checkVersion(version, this.#newestVersion)
    checkNoCopy(this.#session.where, found[0]?.at(-1))
    this.#turn = { head, last: locked[0]?.[2] as string, oldest }
    return { head, history, nowMs: locked[0]?.[3] as number }
  }

  async commit(from: Head, batch: Batch, retention: Retention): Promise<void> {
    const turn = this.#openTurn()
    const sweep = Math.abs(batch.atMs - this.#sweptAtMs) >= SWEEP_EVERY_MS
    const turnId = randomUUID()
    let steps: Step[]
    try {
      steps = buildCommit(from, batch, retention, {
        ...turn,
        turn: turnId,
        sweep,
        flavor: this.#server.flavor,
      })
    } catch (reason) {
      await this.#takeBack()
      throw reason
    }
    await this.#commit(steps, turnId)
    if (sweep) this.#sweptAtMs = batch.atMs
  }

  fence(): Promise<void> {
    const turn = randomUUID()
    return this.#commit(buildFence({ last: this.#openTurn().last, turn }, []), turn)
  }

  /** The head lock of a node of Galera does not keep others away: only a read of the head afterwards tells. */
  async release(): Promise<void> {
    const { head } = this.#openTurn()
    await this.rollback()
    if (this.#server.isGalera && !isSameHead(await this.head(), head))
      throw new TurnAborted('another process wrote during the turn')
  }

  async rollback(): Promise<void> {
    this.#turn = null
    await this.#ask(['ROLLBACK'], answerLimit(this.#timeouts))
  }

  async head(): Promise<Head> {
    const rows = await this.#read(READ_HEAD)
    this.#requireRow(rows, LinkLost)
    const [, , version, copies] = rows[0] ?? []
    checkVersion(version as number, this.#newestVersion)
    checkNoCopy(this.#session.where, copies)
    return parseHead(this.#session.where, rows)
  }

  async changesAfter(revision: number, limit: number): Promise<History> {
    const Kind = this.#turn === null ? LinkLost : TurnAborted
    const rows = await this.#read(readHistory(revision, limit))
    this.#requireRow(rows, Kind)
    return parseHistory(rows, revision).history
  }

  async plainRow(name: PlainName, key: readonly Value[]): Promise<AnyRow | null> {
    const table = describePlain(name)
    const keyed = Object.fromEntries(table.key.map((column, at) => [column, key[at] ?? null]))
    const [row] = await this.#read(findRow(table, keyed))
    return row === undefined ? null : makeRow(table, row as Value[])
  }

  async plainRows(name: PlainName, query: AnyPlainQuery, sinceMs: number): Promise<AnyRow[]> {
    const mark = (_: number, value: Value) => renderAny(value)
    const { text } = buildPlainQuery(name, query, sinceMs, mark, quoteName)
    return (await this.#read(text)).map(row => makeRow(describePlain(name), row as Value[]))
  }

  async holds(puts: readonly PlainPut[]): Promise<boolean> {
    const effects = computePlainEffect(
      puts.map(({ table, row }) => ({ table, row }) as PlainPut),
      0,
    )
    for (const { table, put } of effects) {
      const [row] = await this.#read(countSame(table, put, this.#server.flavor))
      if (row?.[0] !== put.length) return false
    }
    return true
  }

  close(): Promise<void> {
    return this.#session.close()
  }

  /** A node of Galera that rolls back a transaction may answer a query without a row and without an error. */
  #requireRow(rows: readonly unknown[], Kind: typeof LinkLost | typeof TurnAborted): void {
    if (this.#server.isGalera && rows.length === 0)
      throw new Kind(`MariaDB at ${this.#session.where} ended a transaction`)
  }

  #openTurn(): OpenTurn {
    if (this.#turn === null || this.#session.isLost)
      throw new TurnAborted(`the turn at ${this.#session.where} was cut short`)
    return this.#turn
  }

  /**
   * Runs the steps and the COMMIT, which must not follow a failure. One server ends a text with its first failure. A
   * node of Galera that rolls back goes on, and says so with the last statement of the text: there the COMMIT waits for
   * that answer, and has no statement behind it.
   */
  async #commit(steps: readonly Step[], turn: string): Promise<void> {
    this.#turn = null
    const texts = steps.map(({ text }) => text)
    if (!this.#server.isGalera) {
      await this.#run([...texts, 'COMMIT'], steps, 0, turn)
      return
    }
    await this.#run(texts, steps, 0, turn)
    await this.#run(['COMMIT'], steps, steps.length, turn)
  }

  /** `first` is the place of the first text among the steps. */
  async #run(texts: readonly string[], steps: readonly Step[], first: number, turn: string): Promise<void> {
    const answers = await this.#session.ask(texts, answerLimit(this.#timeouts))
    const failedAt = answers.findIndex(answer => !answer.ok)
    const failed = answers[failedAt]
    if (failed?.ok === false) {
      const error = this.#toCommitError(steps, first + failedAt, failed.error)
      const isProven = first > 0 || !isVerdict(error) || (await this.#isIn(turn))
      await this.#takeBack()
      throw isProven ? error : new TurnAborted(`MariaDB at ${this.#session.where} ended a transaction`)
    }
  }

  /** Whether the open transaction is the one that took the turn. What was found in another proves nothing. */
  async #isIn(turn: string): Promise<boolean> {
    if (!this.#server.isGalera) return true
    const [answer] = await this.#session.ask([`SELECT ${isTurn(turn)}`], answerLimit(this.#timeouts))
    return answer?.ok === true && answer.rows[0]?.[0] === 1
  }

  #toCommitError(steps: readonly Step[], failedAt: number, error: Error): Error {
    const { where } = this.#session
    // A text that was not answered may have been run to its end.
    const isSent = failedAt >= steps.length || !this.#server.isGalera
    if (error instanceof LinkLost) return isSent ? error : new TurnAborted(error.message)
    return toGuardError(steps[failedAt], error) ?? toCommitError(where, error, failedAt === steps.length)
  }

  async #read(text: string): Promise<readonly (readonly unknown[])[]> {
    const settings = this.#turn === null ? renderReadSettings(this.#server) : []
    return (await this.#ask([...settings, text], answerLimit(this.#timeouts))).at(-1) ?? []
  }

  async #ask(statements: readonly string[], msMax: number) {
    const answers: readonly Answer[] = await this.#session.ask(statements, msMax)
    return rowsOrThrow(answers, error => toReadError(this.#session.where, error))
  }

  /** After a failure: the transaction has ended, in whatever way. */
  async #takeBack(): Promise<void> {
    this.#turn = null
    const [answer] = await this.#session.ask(['ROLLBACK'], answerLimit(this.#timeouts))
    if (answer?.ok === false) await this.#session.close()
  }
}

/** Says that the batch itself is at fault, not what is around it. */
const isVerdict = (error: Error): boolean =>
  error instanceof StoreDiverged ||
  error instanceof PlainRowTaken ||
  (error instanceof StoreRejected && !isTooLarge(error.cause as ServerError))

/** What a guard that failed has found; null if another statement failed, or in another way. */
function toGuardError(step: Step | undefined, error: Error): Error | null {
  if (step?.guards === undefined || !(error instanceof ServerError) || error.code !== OUT_OF_RANGE)
    return null
  if (step.guards === 'turn') return new TurnAborted('another process wrote during the turn')
  if (step.guards === 'new rows') return new PlainRowTaken('a plain row that was to be new is there already')
  return new StoreDiverged('a row or the head is not stored as memory has it')
}
