/** Tables are described once: row types, DDL, load, apply, verify and export derive from the description. */

export type Value = string | number | null

interface Integer {
  readonly type: 'integer'
}
interface Real {
  readonly type: 'real'
}
interface Text {
  readonly type: 'text'
}
/** The number of a row of another table. With names instead of numbers, the column is called `as`. */
interface Reference {
  readonly type: 'integer'
  readonly refersTo: string
  readonly as: string
}
type Plainest = Integer | Real | Text | Reference
type Nullable<C extends Plainest> = C & { readonly nullable: true }
export type Column = Plainest | Nullable<Integer> | Nullable<Real> | Nullable<Text> | Nullable<Reference>

export const integer: Integer = { type: 'integer' }
export const real: Real = { type: 'real' }
export const text: Text = { type: 'text' }
/** Stored like any other text, but never shown. */
export const secretText: Text & { readonly secret: true } = { type: 'text', secret: true }
export const reference = (refersTo: string, as: string): Reference => ({ type: 'integer', refersTo, as })
export const nullable = <C extends Plainest>(column: C): Nullable<C> => ({ ...column, nullable: true })

export type Columns = Readonly<Record<string, Column>>

type Plain<C extends Column> = C['type'] extends 'text' ? string : number
export type RowOf<C extends Columns> = {
  readonly [K in keyof C]: C[K] extends { nullable: true } ? Plain<C[K]> | null : Plain<C[K]>
}

export interface Table<Name extends string = string, C extends Columns = Columns> {
  readonly name: Name
  readonly columns: C
  readonly columnNames: readonly string[]
  readonly key: readonly string[]
  /** Further lists of unique columns. */
  readonly unique: readonly (readonly string[])[]
}

export function table<Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  key: readonly (keyof C & string)[],
  unique: readonly (readonly (keyof C & string)[])[] = [],
): Table<Name, C> {
  return { name, columns, columnNames: Object.keys(columns), key, unique }
}

export type AnyRow = Readonly<Record<string, Value>>

/** The values of a row in column order: the form in which changes are stored. */
export function listValues(described: Table, row: AnyRow): Value[] {
  const { columnNames } = described
  const values = new Array<Value>(columnNames.length)
  for (let at = 0; at < columnNames.length; at++) values[at] = row[columnNames[at] as string] as Value
  return values
}

export function makeRow(described: Table, values: readonly Value[]): AnyRow {
  const row: Record<string, Value> = {}
  described.columnNames.forEach((name, at) => {
    row[name] = values[at] ?? null
  })
  return row
}

export function makeRowKey(described: Table, row: AnyRow): string {
  return described.key.map(name => row[name]).join(' ')
}
