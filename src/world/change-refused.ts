import { type TableName, tableByName } from './tables.ts'

/**
 * A row that does not fit what its table holds in memory. A table throws it before it writes anything, so that whoever
 * applies a change knows exactly what to undo.
 */
export class RowRefused extends Error {
  override name = 'RowRefused'
  readonly why: 'taken' | 'missing'
  /** Which of the table's unique column lists is taken; null is its key. */
  readonly unique: number | null

  constructor(why: 'taken' | 'missing', unique: number | null = null) {
    super(why)
    this.why = why
    this.unique = unique
  }
}

/** Throws RowRefused unless a row is there exactly if the op says that it was. */
export function expectPresence(isThere: boolean, before: unknown): void {
  if (isThere === (before !== null)) return
  throw new RowRefused(isThere ? 'taken' : 'missing')
}

/** The world does not take a change. All of it was undone: the world is what it was. */
export class ChangeRefused extends Error {
  override name = 'ChangeRefused'
  readonly why: 'taken' | 'missing'
  /** The table and the columns whose values are taken, or by which a row was not found. Never their values. */
  readonly index: string

  constructor(table: TableName, { why, unique }: RowRefused) {
    const described = tableByName[table]
    const columns = unique === null ? described.key : described.unique[unique]
    const index = `${table} (${columns?.join(', ')})`
    super(why === 'taken' ? `another row has the same ${index}` : `no row with this ${index}`)
    this.why = why
    this.index = index
  }
}

/** Half of a change is in the world, and it is not known which half: the world must not be used any more. */
export class WorldTorn extends Error {
  override name = 'WorldTorn'
}
