import type { AnyRow } from '../../world/table.ts'
import { GENESIS, sameHead } from '../chain.ts'
import { LinkLost, TurnAborted } from '../shared/link.ts'
import { type Head, type Snapshot, StoreRefused, StoreUnavailable, StoreUncertain } from '../store.ts'
import { describedTable, describedTables } from '../tables/described-tables.ts'
import { everyPage, type TablePage } from '../tables/every-page.ts'
import { whileCommitting, whileReading } from './failure.ts'
import { CHANNEL, checkVersion, headOf, LOCK_HEAD, MOVE_HEAD, READ_HEAD } from './head-sql.ts'
import { type Question, rowsOrThrow, type Session } from './session.ts'
import { insertRows } from './statements.ts'
import { columnParameters } from './values.ts'

/** How the database that is to be filled is reached. */
interface FillMeans {
  readonly connect: () => Promise<Session>
  readonly answerMsMax: number
  readonly newestVersion: number
}

/** One transaction that holds the head from its beginning, so that no other process writes meanwhile. */
export async function fill(
  { connect, answerMsMax, newestVersion }: FillMeans,
  source: Snapshot,
  took: (rows: number) => void,
): Promise<Head> {
  const session = await connect()
  try {
    await beginEmpty(session, answerMsMax, newestVersion)
    for await (const page of everyPage(source)) {
      await ask(session, [insertQuestion(page)], answerMsMax)
      took(page.rows.length)
    }
    const { revision, chain } = source.head
    const move = [revision, chain, GENESIS.revision, GENESIS.chain]
    await ask(session, [{ text: MOVE_HEAD, values: move }, { text: `NOTIFY ${CHANNEL}` }], answerMsMax)
    const [committed] = await session.ask([{ text: 'COMMIT' }], answerMsMax)
    if (committed?.ok === true) return source.head
    const reason = whileCommitting(session.where, committed?.error as Error, true)
    if (!(reason instanceof LinkLost)) throw reason
    return await settleFill(connect, source.head, answerMsMax, reason)
  } catch (reason) {
    const isPassing = reason instanceof LinkLost || reason instanceof TurnAborted
    throw isPassing ? new StoreUnavailable(reason.message, { cause: reason }) : reason
  } finally {
    // A transaction that is open is taken back with it.
    await session.close()
  }
}

async function beginEmpty(session: Session, answerMsMax: number, newestVersion: number): Promise<void> {
  await ask(session, [{ text: 'BEGIN' }, { text: LOCK_HEAD }], answerMsMax)
  const [found] = await ask(session, [{ text: READ_HEAD }], answerMsMax)
  const head = headOf(session.where, found ?? [])
  checkVersion(found?.[0]?.[2] as number, newestVersion)
  const [[row] = []] = await ask(session, [{ text: ANY_ROW }], answerMsMax)
  if (!sameHead(head, GENESIS) || row?.[0] !== false)
    throw new StoreRefused(
      `the database at ${session.where} is not empty: something was written to it already`,
    )
}

const ANY_ROW = `SELECT ${describedTables.map(({ name }) => `EXISTS (SELECT FROM "${name}")`).join(' OR ')}`

function insertQuestion({ table, rows }: TablePage): Question {
  const described = describedTable(table)
  return {
    name: `insert ${table}`,
    text: insertRows(described),
    values: columnParameters(described, described.columnNames, rows as readonly AnyRow[]),
  }
}

async function ask(session: Session, questions: readonly Question[], answerMsMax: number) {
  const answers = await session.ask(questions, answerMsMax)
  return rowsOrThrow(answers, error => whileCommitting(session.where, error, false))
}

const TOUCH_HEAD = 'UPDATE head SET chain = chain WHERE only_row = 1'

/** A COMMIT was not answered. Whoever has the head lock sees what became of it. */
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
      const rows = rowsOrThrow(answers, error => whileReading(session.where, error))
      found = headOf(session.where, rows[1] ?? [])
      // After a crash it may be here and not yet at a synchronous standby: a commit behind it waits for both.
      if (sameHead(found, wanted))
        rowsOrThrow(await session.ask([{ text: TOUCH_HEAD }, { text: 'COMMIT' }], answerMsMax), error =>
          whileReading(session.where, error),
        )
    } finally {
      await session.close()
    }
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason)
    throw new StoreUncertain(
      `the database went away during the commit and does not tell what became of it: ${why}`,
    )
  }
  if (sameHead(found, wanted)) return wanted
  throw new StoreUnavailable(lost.message, { cause: lost })
}
