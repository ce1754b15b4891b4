import { hash } from 'node:crypto'
import { listValues } from '../world/table.ts'
import { type TableName, tableByName } from '../world/tables.ts'
import { World } from '../world/world.ts'
import { describeHead, GENESIS, isSameHead } from './chain.ts'
import { loadRows } from './load-world.ts'
import { type FillableStore, type Head, type Snapshot, type Store, StoreRefused } from './store.ts'
import { describedTables, describeTable, type StoredName } from './tables/described-tables.ts'
import { readEveryPage } from './tables/every-page.ts'
import { diffWorlds } from './verify/verify.ts'

/** Each phase reads every row once. */
type CopyPhase = 'read' | 'copy' | 'check'

export interface CopyObserver {
  /** `rowsTotal` is null while unknown. */
  beginPhase(phase: CopyPhase, rowsTotal: number | null): void
  addRows(rows: number): void
}

/** What was copied, and the differences. */
export interface CopyReport {
  readonly revision: number
  readonly chain: string
  readonly rows: number
  readonly changes: number
  readonly plain_rows: number
  /** The number of differences; `differences` may list fewer. */
  readonly differences_total: number
  readonly differences: readonly {
    readonly table: string
    readonly key: string
    readonly from: Readonly<Record<string, unknown>> | null
    readonly to: Readonly<Record<string, unknown>> | null
  }[]
  /** Other differences: the head, changes, plain rows. */
  readonly problems: readonly string[]
}

/**
 * Copies the source to an empty target, then reads the target and compares. Both may be in use: it copies one head of
 * the source, and fills the target completely or not at all.
 */
export async function copyStore(
  source: Store,
  target: FillableStore,
  observer: CopyObserver,
): Promise<CopyReport> {
  const addRows = (rows: number) => observer.addRows(rows)
  const snapshot = await source.snapshot()
  let from: Contents
  try {
    if (isSameHead(snapshot.head, GENESIS))
      throw new StoreRefused('there is nothing to copy: the source is empty')
    observer.beginPhase('read', null)
    from = await readContents(snapshot, addRows)
    observer.beginPhase('copy', from.rowsTotal)
    await target.fill(snapshot, addRows)
  } finally {
    await snapshot.close()
  }
  const filled = await target.snapshot()
  try {
    observer.beginPhase('check', from.rowsTotal)
    return compareContents(from, await readContents(filled, addRows))
  } finally {
    await filled.close()
  }
}

/** Rows of a table that is not in the world: their number, and the sum of their digests in any order. */
interface Tally {
  count: number
  digest: bigint
}

interface Contents {
  readonly head: Head
  readonly world: World
  readonly tallies: ReadonlyMap<StoredName, Tally>
  readonly rowsTotal: number
}

async function readContents(snapshot: Snapshot, addRows: (rows: number) => void): Promise<Contents> {
  const world = new World()
  const tallies = new Map(describedTables.map(({ name }) => [name, { count: 0, digest: 0n }]))
  let rowsTotal = 0
  for await (const { table, rows } of readEveryPage(snapshot)) {
    const tally = tallies.get(table) as Tally
    if (isMirrored(table)) loadRows(world, table, rows)
    else
      for (const row of rows)
        tally.digest = BigInt.asUintN(64, tally.digest + digestOf(listValues(describeTable(table), row)))
    tally.count += rows.length
    rowsTotal += rows.length
    addRows(rows.length)
  }
  world.revision = snapshot.head.revision
  return { head: snapshot.head, world, tallies, rowsTotal }
}

const isMirrored = (name: StoredName): name is TableName => Object.hasOwn(tableByName, name)

const digestOf = (values: unknown): bigint =>
  hash('sha256', JSON.stringify(values), 'buffer').readBigUInt64BE()

function compareContents(from: Contents, to: Contents): CopyReport {
  const { items, count } = diffWorlds(from.world, to.world)
  const counted = (isCounted: (name: StoredName) => boolean) =>
    describedTables
      .filter(({ name }) => isCounted(name))
      .reduce((sum, { name }) => sum + (to.tallies.get(name) as Tally).count, 0)
  return {
    revision: to.head.revision,
    chain: to.head.chain,
    rows: counted(isMirrored),
    changes: counted(name => name === 'changes'),
    plain_rows: counted(name => name !== 'changes' && !isMirrored(name)),
    differences_total: count,
    differences: items.map(({ table, key, a, b }) => ({ table, key, from: a, to: b })),
    problems: [...findHeadProblems(from, to), ...findTallyProblems(from, to)],
  }
}

function findHeadProblems(from: Contents, to: Contents): string[] {
  if (isSameHead(from.head, to.head)) return []
  return [`the source is at ${describeHead(from.head)}, the target at ${describeHead(to.head)}`]
}

function findTallyProblems(from: Contents, to: Contents): string[] {
  return describedTables.flatMap(({ name }) => {
    const [a, b] = [from.tallies.get(name) as Tally, to.tallies.get(name) as Tally]
    if (a.count !== b.count) return [`${name} has ${a.count} rows in the source, ${b.count} in the target`]
    return a.digest === b.digest ? [] : [`the rows of ${name} are not the same in source and target`]
  })
}
