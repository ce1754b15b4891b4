import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Head, StoreRefused } from '../store.ts'
import { databaseFile } from './directory.ts'
import { readHead, readHeadAlone } from './head-row.ts'
import {
  describeMismatch,
  type FoundLedger,
  isBesideAnothersLog,
  type LedgerMark,
  readMark,
} from './ledger-mark.ts'

export interface LedgerRequest {
  readonly directory: string
  /** Refuse a missing database instead of creating one. */
  readonly mustExist: boolean
  /** Use what is there, or start new, whatever the directory records about an earlier database. */
  readonly newLedger: boolean
}

const REMEDY =
  "Put the right file back, or restore a backup into an empty directory with 'berth restore'. To go on with what is there, " +
  "start once with 'berth serve --new-ledger'"

/** Refuses a database that is not the one that this data directory had. Changes nothing. */
export function refuseStrangeLedger({ directory, mustExist, newLedger }: LedgerRequest): void {
  const file = databaseFile(directory)
  const log = `${file}-wal`
  const mark = readMark(directory)
  const bytes = findSize(file)
  if (bytes === 0 || bytes === null) {
    const state = bytes === null ? 'is missing' : 'is empty'
    if ((findSize(log) ?? 0) > 0)
      throw new StoreRefused(
        `${file} ${state}, and its log ${log} is still there: put the database back, or move the log away`,
      )
    if (mark !== null && !newLedger)
      throw new StoreRefused(
        `${file} ${state}, but this data directory had a ledger at revision ${mark.revision}. ${REMEDY}`,
      )
    if (mustExist) throw new StoreRefused(`there is no database in ${directory}`)
    return
  }
  const strange = look(file, found => {
    if ((findSize(log) ?? 0) > 0 && isBesideAnothersLog(mark, found, newLedger))
      return `${file} does not belong to its log ${log}: ${describeRemedy(mark, found)}`
    const why = mark === null || newLedger ? null : describeMismatch(mark, found)
    return why === null ? null : `${file} ${why}. ${REMEDY}`
  })
  if (strange !== null) throw new StoreRefused(strange)
}

function describeRemedy(mark: LedgerMark | null, found: FoundLedger): string {
  const replaced = 'it was replaced and the log was not. Put the right file back'
  return isBesideAnothersLog(mark, found, true)
    ? `${replaced}, or move the log away`
    : `${replaced}. If it was not replaced and another program copied the log into it (PRAGMA wal_checkpoint), start once ` +
        "with 'berth serve --new-ledger'"
}

function findSize(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null
}

/** Through a read-only connection, which does not even copy the log when it is closed. */
function look(file: string, judge: (found: FoundLedger) => string | null): string | null {
  let db: DatabaseSync | null = null
  try {
    const headAlone = orNull(() => readHeadAlone(file))
    db = new DatabaseSync(file, { readOnly: true })
    const change = db.prepare('SELECT revision, chain, batch_id AS batchId FROM changes WHERE revision = ?')
    return judge({
      head: readHead(db),
      headAlone,
      changeAt: revision => (change.get(revision) as (Head & { batchId: string }) | undefined) ?? null,
    })
  } catch {
    // Opening the store reports what is wrong with an unreadable file.
    return null
  } finally {
    db?.close()
  }
}

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
