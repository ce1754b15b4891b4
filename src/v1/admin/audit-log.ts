import type { Store } from '../../store/store.ts'
import type { PlainRow } from '../../store/tables/plain-tables.ts'

export type AuditRow = PlainRow<'audit_log'>

/** The place of an entry in the log: its time and its id. */
export type AuditPosition = readonly [atMs: number, id: string]

export interface AuditQuestion {
  /** Only entries older than this one. */
  readonly after: AuditPosition | null
  readonly sinceMs: number
  readonly limit: number
  /** At most this many entries are read; those that do not match count. */
  readonly readMax: number
  matches(row: AuditRow): boolean
}

export interface FoundAudit {
  readonly rows: readonly AuditRow[]
  /** Where to read on; null if nothing older can match. */
  readonly next: AuditPosition | null
}

const BATCH_ROWS = 1_000

/**
 * Entries of the audit log that match, the newest first. It reads by time and filters here: a store that filters may have to look at
 * millions of rows in one statement, and commits would wait for it.
 */
export async function readAuditLog(
  store: Pick<Store, 'plainRows'>,
  question: AuditQuestion,
  nowMs: number,
): Promise<FoundAudit> {
  const { limit, sinceMs, readMax, matches } = question
  const rows: AuditRow[] = []
  let { after } = question
  // If all match, one batch is enough.
  let size = Math.min(limit + 1, BATCH_ROWS)
  for (let read = 0; read < readMax; size = BATCH_ROWS) {
    const wanted = Math.min(size, readMax - read)
    const batch = await store.plainRows(
      'audit_log',
      { limit: wanted, ...(after === null ? {} : { after }) },
      nowMs,
    )
    for (const row of batch) {
      if (row.at_ms < sinceMs) return { rows, next: null }
      // One more than wanted shows that there is a next page.
      if (matches(row) && rows.length === limit) return { rows, next: after }
      if (matches(row)) rows.push(row)
      after = [row.at_ms, row.id]
    }
    read += batch.length
    if (batch.length < wanted) return { rows, next: null }
  }
  return { rows, next: after }
}
