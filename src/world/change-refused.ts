import { type TableName, tableByName } from './tables.ts'

/**
 * A row that does not fit its table in memory. Thrown before anything is written, so that callers know exactly what to
 * undo.
 */
export class RowRefused extends Error {
  override name = 'RowRefused'
  readonly why: 'taken' | 'missing'
  /** The list of unique columns with a duplicate value; null is the key. */
  readonly unique: number | null

  constructor(why: 'taken' | 'missing', unique: number | null = null) {
    super(why)
    this.why = why
    this.unique = unique
  }
}

/** Throws RowRefused unless a row exists exactly if the op has a `before`. */
export function expectPresence(isThere: boolean, before: unknown): void {
  if (isThere === (before !== null)) return
  throw new RowRefused(isThere ? 'taken' : 'missing')
}

/** The world does not accept a change. It was undone completely. */
export class ChangeRefused extends Error {
  override name = 'ChangeRefused'
  readonly why: 'taken' | 'missing'
  /** The table and the columns with a duplicate value or without a row. Never their values. */
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

/** Part of a change is in the world, and it is unknown which: the world must not be used any more. */
export class WorldTorn extends Error {
  override name = 'WorldTorn'
}
