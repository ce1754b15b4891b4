import { hash } from 'node:crypto'
import { rowValues } from '../world/table.ts'
import { type TableName, tableByName } from '../world/tables.ts'
import { World } from '../world/world.ts'
import { describeHead, GENESIS, sameHead } from './chain.ts'
import { loadRows } from './load-world.ts'
import { type FillableStore, type Head, type Snapshot, type Store, StoreRefused } from './store.ts'
import { describedTable, describedTables, type StoredName } from './tables/described-tables.ts'
import { everyPage } from './tables/every-page.ts'
import { diffWorlds } from './verify/verify.ts'

/** Each phase goes through every row once. */
type CopyPhase = 'read' | 'copy' | 'check'

export interface CopyObserver {
  /** `rowsTotal` is null until it is known. */
  began(phase: CopyPhase, rowsTotal: number | null): void
  passed(rows: number): void
}

/** What was copied, and whatever is not the same on both sides. */
export interface CopyReport {
  readonly revision: number
  readonly chain: string
  /** How many rows of each kind. */
  readonly rows: number
  readonly changes: number
  readonly plain_rows: number
  /** How many differences there are; `differences` may show fewer. */
  readonly differences_total: number
  readonly differences: readonly {
    readonly table: string
    readonly key: string
    readonly from: Readonly<Record<string, unknown>> | null
    readonly to: Readonly<Record<string, unknown>> | null
  }[]
  /** Whatever else is not the same: the head, changes, plain rows. */
  readonly problems: readonly string[]
}

/**
 * Makes the target, in which nothing was ever written, the same as the source is now, then reads it again and
 * compares. Both may be in use: it shows one head of the source, and the target is filled whole or not at all.
 */
export async function copyStore(
  source: Store,
  target: FillableStore,
  observer: CopyObserver,
): Promise<CopyReport> {
  const passed = (rows: number) => observer.passed(rows)
  const snapshot = await source.snapshot()
  let from: Contents
  try {
    if (sameHead(snapshot.head, GENESIS))
      throw new StoreRefused('there is nothing to copy: the source is empty')
    observer.began('read', null)
    from = await contentsOf(snapshot, passed)
    observer.began('copy', from.rowsTotal)
    await target.fill(snapshot, passed)
  } finally {
    await snapshot.close()
  }
  const filled = await target.snapshot()
  try {
    observer.began('check', from.rowsTotal)
    return compared(from, await contentsOf(filled, passed))
  } finally {
    await filled.close()
  }
}

/** The rows of a table that is not in a world: how many, and the sum of their digests, whatever their order. */
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

async function contentsOf(snapshot: Snapshot, passed: (rows: number) => void): Promise<Contents> {
  const world = new World()
  const tallies = new Map(describedTables.map(({ name }) => [name, { count: 0, digest: 0n }]))
  let rowsTotal = 0
  for await (const { table, rows } of everyPage(snapshot)) {
    const tally = tallies.get(table) as Tally
    if (isMirrored(table)) loadRows(world, table, rows)
    else
      for (const row of rows)
        tally.digest = BigInt.asUintN(64, tally.digest + digestOf(rowValues(describedTable(table), row)))
    tally.count += rows.length
    rowsTotal += rows.length
    passed(rows.length)
  }
  world.revision = snapshot.head.revision
  return { head: snapshot.head, world, tallies, rowsTotal }
}

const isMirrored = (name: StoredName): name is TableName => Object.hasOwn(tableByName, name)

const digestOf = (values: unknown): bigint =>
  hash('sha256', JSON.stringify(values), 'buffer').readBigUInt64BE()

function compared(from: Contents, to: Contents): CopyReport {
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
    problems: [...headProblems(from, to), ...tallyProblems(from, to)],
  }
}

function headProblems(from: Contents, to: Contents): string[] {
  if (sameHead(from.head, to.head)) return []
  return [`the source is at ${describeHead(from.head)}, the target at ${describeHead(to.head)}`]
}

function tallyProblems(from: Contents, to: Contents): string[] {
  return describedTables.flatMap(({ name }) => {
    const [a, b] = [from.tallies.get(name) as Tally, to.tallies.get(name) as Tally]
    if (a.count !== b.count) return [`${name} has ${a.count} rows in the source, ${b.count} in the target`]
    return a.digest === b.digest ? [] : [`the rows of ${name} are not the same in source and target`]
  })
}
