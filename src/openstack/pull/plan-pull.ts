import { keyOf, kindNames, ownerOf, type PullKind, type PullLine, pullKinds } from './pull-line.ts'

/** The changes that make one kind equal to the cloud. */
export interface KindPlan {
  readonly kind: PullKind
  readonly rows: readonly PullLine[]
  readonly removed: readonly PullLine[]
  readonly changes: readonly PlannedRow[]
  readonly unchanged: number
}

export interface PlannedRow {
  readonly action: 'create' | 'update' | 'remove'
  readonly line: PullLine
  /** What it was. */
  readonly before: PullLine['row'] | null
}

/** Columns that are not compared: each side has its own values. */
const OWN = new Set(['created_at', 'updated_at', 'applied_by'])

export const differingColumns = (before: PullLine['row'], after: PullLine['row']): string[] =>
  Object.keys(after).filter(column => !OWN.has(column) && before[column] !== after[column])

/**
 * The changes that make Berth's rows equal to those of the cloud. Ignores rows of Berth that do not belong to the cloud, unless they are
 * parts of objects that the cloud has too.
 */
export function planPull(
  wanted: ReadonlyMap<PullKind, readonly PullLine[]>,
  here: ReadonlyMap<string, PullLine>,
  mark: string,
): KindPlan[] {
  const plans = kindNames.flatMap(kind => {
    const lines = wanted.get(kind)
    return lines === undefined ? [] : [planKind(kind, lines, here, mark)]
  })
  // A share type goes after its shares.
  const isEnding = ({ kind, rows }: KindPlan) => kind === 'share types' && rows.length === 0
  return [...plans.filter(plan => !isEnding(plan)), ...plans.filter(isEnding)]
}

function planKind(
  kind: PullKind,
  lines: readonly PullLine[],
  here: ReadonlyMap<string, PullLine>,
  mark: string,
): KindPlan {
  const tables: readonly string[] = pullKinds[kind]
  const byKey = new Map(lines.map(line => [keyOf(line), line]))
  const changes: PlannedRow[] = []
  let unchanged = 0
  for (const table of tables)
    for (const [key, line] of byKey) {
      if (line.table !== table) continue
      const before = here.get(key)
      const isMarked = !('applied_by' in line.row) || before?.row.applied_by === mark
      if (before === undefined) changes.push({ action: 'create', line, before: null })
      else if (
        table !== 'metadef_resource_types' &&
        (!isMarked || differingColumns(before.row, line.row).length > 0)
      )
        changes.push({ action: 'update', line, before: before.row })
      else unchanged++
    }
  // Shares go before their pools.
  const placeOf = ({ table }: PullLine) => -tables.indexOf(table)
  const gone = findGone(tables, byKey, here, mark).sort((a, b) => placeOf(a) - placeOf(b))
  changes.push(...gone.map((line): PlannedRow => ({ action: 'remove', line, before: line.row })))
  const rows = changes.filter(({ action }) => action !== 'remove').map(({ line }) => line)
  return { kind, rows, removed: gone, changes, unchanged }
}

function findGone(
  tables: readonly string[],
  wanted: ReadonlyMap<string, PullLine>,
  here: ReadonlyMap<string, PullLine>,
  mark: string,
): PullLine[] {
  const gone: PullLine[] = []
  for (const [key, line] of here) {
    if (!tables.includes(line.table) || wanted.has(key)) continue
    const owner = ownerOf(line)
    if (owner === null ? line.row.applied_by === mark : wanted.has(owner)) gone.push(line)
  }
  return gone
}
