import { recordOf } from '../kernel/records.ts'
import type { AnyRow, Column, Table, Value } from '../world/table.ts'
import { mirroredTables, type TableName, tableByName } from '../world/tables.ts'

/**
 * How an export writes the rows of each table; the compiler requires an entry for every new table. `line`:
 * within the lines of Placement. `row`: each row is a line. `secret`: credentials, not exported. `passing`:
 * rows that only the servers of this store use, not exported.
 */
const treatments = {
  resource_classes: 'line',
  traits: 'line',
  aggregates: 'line',
  resource_providers: 'line',
  inventories: 'line',
  provider_traits: 'line',
  provider_aggregates: 'line',
  consumers: 'line',
  allocations: 'line',
  metadef_namespaces: 'row',
  metadef_resource_types: 'row',
  metadef_associations: 'row',
  metadef_properties: 'row',
  metadef_objects: 'row',
  metadef_tags: 'row',
  metadef_builtins: 'row',
  flavors: 'row',
  flavor_extra_specs: 'row',
  flavor_access: 'row',
  hosts: 'row',
  host_aggregates: 'row',
  host_aggregate_metadata: 'row',
  host_aggregate_hosts: 'row',
  server_groups: 'row',
  server_group_members: 'row',
  server_requests: 'row',
  reservations: 'row',
  reservation_slots: 'row',
  group_claims: 'passing',
  manila_claims: 'passing',
  users: 'row',
  projects: 'row',
  roles: 'row',
  role_assignments: 'row',
  application_credentials: 'secret',
  static_tokens: 'secret',
  revoked_tokens: 'passing',
  shadow_settings: 'passing',
  share_types: 'row',
  share_type_extra_specs: 'row',
  share_type_access: 'row',
  share_backends: 'row',
  share_pools: 'row',
  shares: 'row',
  share_metadata: 'row',
  share_hints: 'row',
  share_snapshots: 'row',
  share_access_rules: 'row',
  share_steps: 'passing',
  share_leases: 'passing',
  share_quotas: 'row',
} as const satisfies Record<TableName, 'line' | 'row' | 'secret' | 'passing'>

/** The tables whose rows are lines. */
export type RowTable = {
  [N in TableName]: (typeof treatments)[N] extends 'row' ? N : never
}[TableName]

/** Parents before children: the order in an export. */
export const rowTables = mirroredTables
  .map(({ name }) => name)
  .filter((name): name is RowTable => treatments[name] === 'row')

export const isRowTable = (name: string): name is RowTable => rowTables.some(table => table === name)

/** A row with names in place of numbers, as in a line. */
export interface RowLine {
  readonly table: RowTable
  readonly row: Readonly<Record<string, Value>>
}

interface ExportedColumn {
  readonly column: string
  /** The name of the column in a line. */
  readonly as: string
  /** The table whose number it holds; a line has the name of that row instead. */
  readonly refersTo: TableName | null
  readonly described: Column
}

/** All columns except the row's own number, which each store assigns, and secrets. */
export const exportedColumns: { readonly [N in RowTable]: readonly ExportedColumn[] } = recordOf(
  rowTables.map(name => [name, columnsOf(tableByName[name])]),
)

function columnsOf({ columns, columnNames }: Table): ExportedColumn[] {
  return columnNames.flatMap((column): ExportedColumn[] => {
    const described = columns[column] as Column
    if (column === 'id' || 'secret' in described) return []
    if ('refersTo' in described)
      return [{ column, as: described.as, refersTo: described.refersTo as TableName, described }]
    return [{ column, as: column, refersTo: null, described }]
  })
}

/** Times of events on this server: an existing row keeps its own. */
const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'loaded_at', 'tokens_since'])

/** A role with the same name is the same role on every server, although each store gives it its own uuid. */
const isCompared = (table: RowTable, column: string): boolean =>
  !TIMES.has(column) && !(table === 'roles' && column === 'uuid')

/** The first column in which a row differs from its line; null if none does. */
export function differingColumn(table: RowTable, before: AnyRow, wanted: AnyRow): ExportedColumn | null {
  const differs = ({ column }: ExportedColumn) =>
    isCompared(table, column) && before[column] !== wanted[column]
  return exportedColumns[table].find(differs) ?? null
}

/** An existing row, changed as its line says. */
export function changedRow(table: RowTable, before: AnyRow, wanted: AnyRow, nowMs: number): AnyRow {
  const compared = exportedColumns[table].filter(({ column }) => isCompared(table, column))
  const values = compared.map(({ column }) => [column, wanted[column] as Value])
  const time = 'updated_at' in before ? { updated_at: nowMs } : {}
  return { ...before, ...Object.fromEntries(values), ...time }
}

/** A new row: with its own number, and without secrets. Only optional secrets can be left out. */
export function newRow(table: RowTable, wanted: AnyRow, id: number | null): AnyRow {
  const described: Table = tableByName[table]
  const values = described.columnNames.map((column): [string, Value] => [
    column,
    column === 'id' ? id : (wanted[column] ?? null),
  ])
  return Object.fromEntries(values)
}
