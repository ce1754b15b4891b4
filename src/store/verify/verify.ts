import { type Finding, FindingCollector, type FirstFindings, type Report } from '../../world/findings.ts'
import { type AnyRow, makeRowKey, type Table, type Value } from '../../world/table.ts'
import { mirroredTables, type TableName } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import { describeHead, GENESIS, isSameHead, nextChain } from '../chain.ts'
import type { Committed, Head, Store } from '../store.ts'

type HistoryFinding = Finding<'history.gap' | 'history.chain-wrong' | 'history.head-wrong'>

interface Difference {
  readonly table: TableName
  readonly key: string
  readonly a: AnyRow | null
  readonly b: AnyRow | null
}

/** Compares two worlds row by row. */
export function diffWorlds(a: World, b: World): FirstFindings<Difference> {
  const differences = new FindingCollector<Difference>()
  for (const table of mirroredTables) {
    const add = (inA: AnyRow | null, inB: AnyRow | null) =>
      differences.add({ table: table.name, key: makeRowKey(table, (inA ?? inB) as AnyRow), a: inA, b: inB })
    diffRows(table, sortByKey(a, table), sortByKey(b, table), add)
  }
  return differences.found
}

/** Rows are almost in this order already, so sorting costs less than a map of a million keys. */
function sortByKey(world: World, table: Table<TableName>): AnyRow[] {
  return [...world.rows(table.name)].sort((x, y) => compareKeys(table, x, y))
}

function compareKeys(table: Table, x: AnyRow, y: AnyRow): number {
  for (const name of table.key) {
    const a = x[name] as Value
    const b = y[name] as Value
    if (a !== b) return (a as number | string) < (b as number | string) ? -1 : 1
  }
  return 0
}

function diffRows(
  table: Table,
  a: readonly AnyRow[],
  b: readonly AnyRow[],
  add: (a: AnyRow | null, b: AnyRow | null) => void,
): void {
  let atA = 0
  let atB = 0
  while (atA < a.length || atB < b.length) {
    const rowA = a[atA] ?? null
    const rowB = b[atB] ?? null
    const order = rowA === null ? 1 : rowB === null ? -1 : compareKeys(table, rowA, rowB)
    if (order < 0) add(rowA, null)
    else if (order > 0) add(null, rowB)
    else if (!isSameRow(table, rowA as AnyRow, rowB as AnyRow)) add(rowA, rowB)
    if (order <= 0) atA++
    if (order >= 0) atB++
  }
}

function isSameRow(table: Table, a: AnyRow, b: AnyRow): boolean {
  for (const name of table.columnNames) if (a[name] !== b[name]) return false
  return true
}

const CHANGES_PER_LOOK = 1_000

/** How far the chain was followed; before the oldest kept change its value is unknown. */
interface Link {
  readonly revision: number
  readonly chain: string | null
}

/** Follows the chain through all kept changes: no gap, every link right, and it ends at the head. */
export async function verifyStore(store: Store): Promise<FirstFindings<HistoryFinding>> {
  const report = new FindingCollector<HistoryFinding>()
  const head = await store.head()
  let last: Link = GENESIS
  while (last.revision < head.revision) {
    const page = await store.changesAfter(last.revision, CHANGES_PER_LOOK)
    if (!page.kept) last = { revision: page.oldestKept - 1, chain: null }
    else if (page.changes.length === 0) break
    else for (const change of page.changes) last = follow(last, change, head, report)
  }
  checkEnd(last, head, report)
  await checkNothingBeyond(store, head, report)
  return report.found
}

function follow(last: Link, change: Committed, head: Head, report: Report<HistoryFinding>): Link {
  // Written after the head was read: not checked.
  if (change.revision > head.revision) return last
  if (change.revision !== last.revision + 1)
    report.add({ kind: 'history.gap', what: `revision ${change.revision} follows ${last.revision}` })
  else if (last.chain !== null && change.chain !== nextChain(last.chain, change.batchId))
    report.add({
      kind: 'history.chain-wrong',
      what: `revision ${change.revision} belongs to another history`,
    })
  return change
}

function checkEnd(last: Link, head: Head, report: Report<HistoryFinding>): void {
  const chain = last.chain ?? head.chain
  if (!isSameHead({ revision: last.revision, chain }, head))
    report.add({
      kind: 'history.head-wrong',
      what: `the head is ${describeHead(head)}, the changes end at ${describeHead({ ...last, chain })}`,
    })
}

async function checkNothingBeyond(store: Store, head: Head, report: Report<HistoryFinding>): Promise<void> {
  const beyond = await store.changesAfter(head.revision, 1)
  const moved = !isSameHead(await store.head(), head)
  if (!moved && beyond.kept && beyond.changes.length > 0)
    report.add({
      kind: 'history.head-wrong',
      what: `there are changes beyond the head, ${describeHead(head)}`,
    })
}
