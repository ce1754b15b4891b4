import { integer, type Table, table, text } from '../world/table.ts'
import { mirroredTables } from '../world/tables.ts'
import { plainTables } from './plain-tables.ts'

/** What each revision did: the ops, and the names of what their numbers stood for. */
export const changes = table(
  'changes',
  { revision: integer, batch_id: text, chain: text, at_ms: integer, ops: text, names: text },
  ['revision'],
)

/** Every table that an engine makes from a description. */
export const describedTables = [changes, ...mirroredTables, ...plainTables] as unknown as readonly Table[]
