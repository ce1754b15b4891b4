import type { AnyRow } from '../../world/table.ts'
import { GENESIS, isSameHead } from '../chain.ts'
import { LinkLost, TurnAborted } from '../shared/link.ts'
import { type Head, type Snapshot, StoreRefused, StoreUnavailable, StoreUncertain } from '../store.ts'
import { describedTables, describeTable } from '../tables/described-tables.ts'
import { readEveryPage, type TablePage } from '../tables/every-page.ts'
import { checkVersion, parseHead } from '../tables/stored-history.ts'
import { toCommitError, toReadError } from './failure.ts'
import { LOCK_HEAD, MOVE_HEAD, READ_HEAD, TOUCH_HEAD } from './head-sql.ts'
import { type Question, rowsOrThrow, type Session } from './session.ts'
import { insertRows } from './statements.ts'
import { encodeColumns } from './values.ts'

interface FillMeans {
  readonly connect: () => Promise<Session>
  readonly answerMsMax: number
  readonly newestVersion: number
}

/** One transaction that holds the head from its start, so that no other process writes meanwhile. */
export async function fill(
  { connect, answerMsMax, newestVersion }: FillMeans,
  source: Snapshot,
  took: (rows: number) => void,
): Promise<Head> {
  const session = await connect()
  try {
    await beginEmpty(session, answerMsMax, newestVersion)
    for await (const page of readEveryPage(source)) {
      await ask(session, [insertQuestion(page)], answerMsMax)
      took(page.rows.length)
    }
    const { revision, chain } = source.head
    const move = [revision, chain, GENESIS.revision, GENESIS.chain]
    await ask(session, [{ text: MOVE_HEAD, values: move }], answerMsMax)
    const [committed] = await session.ask([{ text: 'COMMIT' }], answerMsMax)
    if (committed?.ok === true) return source.head
    const reason = toCommitError(session.where, committed?.error as Error, true)
    if (!(reason instanceof LinkLost)) throw reason
    return await settleFill(connect, source.head, answerMsMax, reason)
  } catch (reason) {
    const isPassing = reason instanceof LinkLost || reason instanceof TurnAborted
    throw isPassing ? new StoreUnavailable(reason.message, { cause: reason }) : reason
  } finally {
    // This rolls back an open transaction.
    await session.close()
  }
}

async function beginEmpty(session: Session, answerMsMax: number, newestVersion: number): Promise<void> {
  await ask(session, [{ text: 'BEGIN' }, { text: LOCK_HEAD }], answerMsMax)
  const [found] = await ask(session, [{ text: READ_HEAD }], answerMsMax)
  const head = parseHead(session.where, found ?? [])
  checkVersion(found?.[0]?.[2] as number, newestVersion)
  const [[row] = []] = await ask(session, [{ text: ANY_ROW }], answerMsMax)
  if (!isSameHead(head, GENESIS) || row?.[0] !== false)
    throw new StoreRefused(
      `the database at ${session.where} is not empty: something was written to it already`,
    )
}

const ANY_ROW = `SELECT ${describedTables.map(({ name }) => `EXISTS (SELECT FROM "${name}")`).join(' OR ')}`

function insertQuestion({ table, rows }: TablePage): Question {
  const described = describeTable(table)
  return {
    name: `insert ${table}`,
    text: insertRows(described),
    values: encodeColumns(described, described.columnNames, rows as readonly AnyRow[]),
  }
}

async function ask(session: Session, questions: readonly Question[], answerMsMax: number) {
  const answers = await session.ask(questions, answerMsMax)
  return rowsOrThrow(answers, error => toCommitError(session.where, error, false))
}

/** A COMMIT was not answered. With the head lock, its outcome can be seen. */
async function settleFill(
  connect: () => Promise<Session>,
  wanted: Head,
  answerMsMax: number,
  lost: LinkLost,
): Promise<Head> {
  let found: Head
  try {
    const session = await connect()
    try {
      const answers = await session.ask([{ text: 'BEGIN' }, { text: LOCK_HEAD }], answerMsMax)
      const rows = rowsOrThrow(answers, error => toReadError(session.where, error))
      found = parseHead(session.where, rows[1] ?? [])
      // After a crash it may be here and not yet at a synchronous standby: a commit after it waits for both.
      if (isSameHead(found, wanted))
        rowsOrThrow(await session.ask([{ text: TOUCH_HEAD }, { text: 'COMMIT' }], answerMsMax), error =>
          toReadError(session.where, error),
        )
    } finally {
      await session.close()
    }
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason)
    throw new StoreUncertain(
      `the connection to the database was lost during the commit, so its outcome is unknown: ${why}`,
    )
  }
  if (isSameHead(found, wanted)) return wanted
  throw new StoreUnavailable(lost.message, { cause: lost })
}
