import { integer, type RowOf, type Table, table, text } from '../../world/table.ts'
import { mirroredTables, type TableName } from '../../world/tables.ts'
import { type PlainName, plainTables } from './plain-tables.ts'

/** The ops of each revision, and the names for their numbers. */
export const changes = table(
  'changes',
  { revision: integer, batch_id: text, chain: text, at_ms: integer, ops: text, names: text },
  ['revision'],
)

/** A change as stored: its ops and names are JSON. */
export type StoredChange = RowOf<(typeof changes)['columns']>

export type StoredName = TableName | PlainName | (typeof changes)['name']

/** Every table that an engine creates from a description. */
export const describedTables = [changes, ...mirroredTables, ...plainTables] as readonly Table<StoredName>[]

const byName = new Map(describedTables.map(described => [described.name, described]))

export const describeTable = (name: StoredName): Table<StoredName> => byName.get(name) as Table<StoredName>
