import type { Store } from '../../store/store.ts'
import type { PlainRow } from '../../store/tables/plain-tables.ts'
import { type RowsQuestion, readMatchingRows } from '../api/matching-rows.ts'

export type AuditRow = PlainRow<'audit_log'>

/** The place of an entry in the log: its time and its id. */
export type AuditPosition = readonly [atMs: number, id: string]

export interface AuditQuestion extends RowsQuestion<'audit_log'> {
  /** Only entries older than this one. */
  readonly after: AuditPosition | null
}

interface FoundAudit {
  readonly rows: readonly AuditRow[]
  /** Where to read on; null if nothing older can match. */
  readonly next: AuditPosition | null
}

/** Entries of the audit log that match, the newest first. */
export async function readAuditLog(
  store: Pick<Store, 'plainRows'>,
  question: AuditQuestion,
  nowMs: number,
): Promise<FoundAudit> {
  const { rows, last } = await readMatchingRows(store, 'audit_log', question, nowMs)
  return { rows, next: last === null ? null : [last.at_ms, last.id] }
}
