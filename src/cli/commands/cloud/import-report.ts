import type { ImportReport } from '../../../wire/transfer.ts'
import { type Column, type Look, right, table } from '../../render/table.ts'

const COLUMNS: readonly Column[] = ['', right('CREATED'), right('UPDATED'), right('UNCHANGED')]

/** What an import did; mentions removals only if there are any. */
export function reportTable(report: ImportReport, look: Look): string {
  const kinds = ['resource_classes', 'traits', 'providers', 'consumers'] as const
  const counts: [string, Readonly<Record<string, number>>][] = [
    ...kinds.map((kind): [string, Readonly<Record<string, number>>] => [kind, report[kind]]),
    ...Object.entries(report.rows ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]
  const hasRemovals = counts.some(([, { removed = 0 }]) => removed > 0)
  const dids = ['created', 'updated', 'unchanged', ...(hasRemovals ? ['removed'] : [])]
  const rows = counts.map(([kind, did]) => [
    kind.replaceAll('_', ' '),
    ...dids.map(one => String(did[one] ?? 0)),
  ])
  return table(hasRemovals ? [...COLUMNS, right('REMOVED')] : COLUMNS, rows, look)
}
