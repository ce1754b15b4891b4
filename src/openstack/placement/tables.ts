/** The tables of OpenStack's Placement that hold its ledger, as its newest schema has them. */
export const placementTables = {
  resource_classes: ['id', 'name'],
  traits: ['id', 'name'],
  resource_providers: ['id', 'uuid', 'name', 'generation', 'parent_provider_id'],
  inventories: [
    'resource_provider_id',
    'resource_class_id',
    'total',
    'reserved',
    'min_unit',
    'max_unit',
    'step_size',
    'allocation_ratio',
  ],
  placement_aggregates: ['id', 'uuid'],
  resource_provider_aggregates: ['resource_provider_id', 'aggregate_id'],
  resource_provider_traits: ['resource_provider_id', 'trait_id'],
  projects: ['id', 'external_id'],
  users: ['id', 'external_id'],
  consumer_types: ['id', 'name'],
  consumers: ['uuid', 'project_id', 'user_id', 'generation', 'consumer_type_id'],
  allocations: ['resource_provider_id', 'consumer_id', 'resource_class_id', 'used'],
} as const

export type PlacementTable = keyof typeof placementTables

export const placementTableNames = Object.keys(placementTables) as readonly PlacementTable[]

/** Missing before Placement 5 (Xena). */
const ADDED_LATER: ReadonlySet<string> = new Set(['consumer_types', 'consumers.consumer_type_id'])

/** Numbers and texts as the database or a dump has them. */
export type Cell = string | number | null

/** A row as cells in the order of `placementTables`. */
export type PlacementRow = readonly Cell[]

/** Rows of all tables as of one moment. */
export type PlacementRows = Readonly<Record<PlacementTable, readonly PlacementRow[]>>

/** A source is not a Placement, or cannot be read. */
export class SourceRefused extends Error {}

/** The wanted columns of a table that a source has; null where it has none and need not. */
export function chooseColumns(
  table: PlacementTable,
  present: ReadonlySet<string> | undefined,
): readonly (string | null)[] | null {
  if (present === undefined) {
    if (ADDED_LATER.has(table)) return null
    throw new SourceRefused(`it has no table ${table}: it is not the database of a Placement`)
  }
  return placementTables[table].map(column => {
    if (present.has(column)) return column
    if (ADDED_LATER.has(`${table}.${column}`)) return null
    throw new SourceRefused(
      `its table ${table} has no column ${column}: its schema is older than Placement 2`,
    )
  })
}

/** The statement that reads these columns; a missing one is null. */
export function selectRows(table: string, columns: readonly (string | null)[]): string {
  return `SELECT ${columns.map(column => column ?? 'NULL').join(', ')} FROM ${table}`
}
