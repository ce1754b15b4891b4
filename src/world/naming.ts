import { assert } from '../kernel/assert.ts'
import { aggregateId, classId, consumerSlot, providerSlot, traitId } from '../kernel/ids.ts'
import type { Change, RowOp } from './change.ts'
import type { AnyRow, Table, Value } from './table.ts'
import { mirroredTables, type TableName, tableByName } from './tables.ts'
import type { World } from './world.ts'

/** Tables whose rows have a name or uuid: the first column that alone is unique. */
type NamedTable =
  | 'resource_classes'
  | 'traits'
  | 'aggregates'
  | 'resource_providers'
  | 'consumers'
  | 'metadef_namespaces'
  | 'metadef_resource_types'
  | 'flavors'
  | 'host_aggregates'
  | 'server_groups'
  | 'reservations'
  | 'users'
  | 'projects'
  | 'roles'
  | 'share_types'
  | 'shares'

/** Names by table and number, of all that a change's rows refer to. */
export type Names = { readonly [N in NamedTable]?: Readonly<Record<string, string>> }

/** A change that can be read on its own: numbers are reused, names are not. */
export interface NamedChange {
  readonly change: Change
  readonly names: Names
}

/** A row with names instead of numbers. */
type NamedRow = Readonly<Record<string, Value>>

export interface NamedOp {
  readonly table: TableName
  readonly before: NamedRow | null
  readonly after: NamedRow | null
}

const lookUp: { readonly [N in NamedTable]: (world: World, id: number) => string } = {
  resource_classes: (world, id) => world.classes.name(classId(id)),
  traits: (world, id) => world.traits.name(traitId(id)),
  aggregates: (world, id) => world.aggregates.uuid(aggregateId(id)),
  resource_providers: (world, id) => world.providers.uuid(providerSlot(id)),
  consumers: (world, id) => world.consumers.row(consumerSlot(id)).uuid,
  metadef_namespaces: (world, id) => world.catalog.namespaces.row(id).namespace,
  metadef_resource_types: (world, id) => world.catalog.resourceTypes.row(id).name,
  flavors: (world, id) => world.compute.flavors.row(id).flavorid,
  host_aggregates: (world, id) => world.compute.aggregates.row(id).uuid,
  server_groups: (world, id) => world.compute.groups.row(id).uuid,
  reservations: (world, id) => world.reservations.rows.row(id).uuid,
  users: (world, id) => world.identity.users.row(id).uuid,
  projects: (world, id) => world.identity.projects.row(id).uuid,
  roles: (world, id) => world.identity.roles.row(id).name,
  share_types: (world, id) => world.shares.types.row(id).uuid,
  shares: (world, id) => world.shares.shares.row(id).uuid,
}

const findIn: { readonly [N in NamedTable]: (world: World, name: string) => number | undefined } = {
  resource_classes: (world, name) => world.classes.id(name),
  traits: (world, name) => world.traits.id(name),
  aggregates: (world, uuid) => world.aggregates.find(uuid),
  resource_providers: (world, uuid) => world.providers.find(uuid),
  consumers: (world, uuid) => world.consumers.find(uuid),
  metadef_namespaces: (world, name) => world.catalog.namespaces.find(name)?.id,
  metadef_resource_types: (world, name) => world.catalog.resourceTypes.find(name)?.id,
  flavors: (world, flavorid) => world.compute.flavors.find(flavorid)?.id,
  host_aggregates: (world, uuid) => world.compute.aggregates.find(uuid)?.id,
  server_groups: (world, uuid) => world.compute.groups.find(uuid)?.id,
  reservations: (world, uuid) => world.reservations.rows.find(uuid)?.id,
  users: (world, uuid) => world.identity.users.find(uuid)?.id,
  projects: (world, uuid) => world.identity.projects.find(uuid)?.id,
  roles: (world, name) => world.identity.findRoleByName(name)?.id,
  share_types: (world, uuid) => world.shares.types.find(uuid)?.id,
  shares: (world, uuid) => world.shares.findShare(uuid)?.id,
}

/** The number of a row by its name; the reverse of `namedOps`. */
export const findByName = (world: World, table: TableName, name: string): number | undefined =>
  findIn[table as NamedTable](world, name)

/** The column whose value stands for a row of this table in change events. */
export const findNameColumn = (table: TableName): string =>
  table === 'roles' ? 'name' : (tableByName[table].unique[0]?.[0] as string)

interface Shown {
  readonly column: string
  readonly as: string
  readonly refersTo: NamedTable | null
}

/** How rows are rendered in change events: without their own number, the time of the last write, and secrets. */
interface EventColumns {
  readonly shown: readonly Shown[]
  readonly references: readonly { readonly column: string; readonly refersTo: NamedTable }[]
  /** The column with the row's name, if its number is its key. */
  readonly nameColumn: string | null
}

const eventColumns = new Map<TableName, EventColumns>(
  mirroredTables.map(table => [table.name, chooseEventColumns(table)]),
)

function chooseEventColumns(table: Table): EventColumns {
  const shown = table.columnNames
    .filter(column => column !== 'id' && column !== 'updated_at' && !isSecret(table, column))
    .map((column): Shown => {
      const described = table.columns[column]
      return described !== undefined && 'refersTo' in described
        ? { column, as: described.as, refersTo: described.refersTo as NamedTable }
        : { column, as: column, refersTo: null }
    })
  const references = shown.flatMap(({ column, refersTo }) =>
    refersTo === null ? [] : [{ column, refersTo }],
  )
  const [unique = []] = table.unique
  const hasName = table.key[0] === 'id' && unique.length === 1
  return { shown, references, nameColumn: hasName ? (unique[0] as string) : null }
}

function isSecret({ columns }: Table, column: string): boolean {
  const described = columns[column]
  return described !== undefined && 'secret' in described
}

/** The columns of each table in change events, for reference pages. */
export function listEventColumns(): ReadonlyMap<TableName, readonly string[]> {
  return new Map([...eventColumns].map(([table, { shown }]) => [table, shown.map(({ as }) => as)]))
}

/** The names that a change needs besides those in its rows, from the world just before it. */
export function collectNames(world: World, change: Change): Names {
  const own = collectOwnNames(change)
  const names: { [N in NamedTable]?: Record<string, string> } = {}
  const note = (row: AnyRow, { column, refersTo }: EventColumns['references'][number]): void => {
    const id = row[column] as number | null
    if (id === null || names[refersTo]?.[id] !== undefined || own.get(refersTo)?.has(id) === true) return
    const known = names[refersTo] ?? {}
    known[id] = lookUp[refersTo](world, id)
    names[refersTo] = known
  }
  for (const { table, before, after } of change.ops)
    for (const reference of (eventColumns.get(table) as EventColumns).references) {
      if (before !== null) note(before, reference)
      if (after !== null) note(after, reference)
    }
  return names
}

type OwnNames = ReadonlyMap<NamedTable, ReadonlyMap<number, string>>

/** For a renamed row, the new name. */
function collectOwnNames(change: Change): OwnNames {
  const own = new Map<NamedTable, Map<number, string>>()
  for (const op of change.ops) {
    const { nameColumn } = eventColumns.get(op.table) as EventColumns
    if (nameColumn === null) continue
    const row = (op.after ?? op.before) as AnyRow
    const id = row.id as number
    let names = own.get(op.table as NamedTable)
    if (names === undefined) {
      names = new Map()
      own.set(op.table as NamedTable, names)
    }
    assert(
      op.before !== null || !names.has(id),
      () => `a change uses number ${id} of ${op.table} for two things`,
    )
    names.set(id, row[nameColumn] as string)
  }
  return own
}

/** The ops of a change with names instead of numbers. */
export function renderOps({ change, names }: NamedChange): NamedOp[] {
  const own = collectOwnNames(change)
  const nameOf = (table: NamedTable, id: number): string => {
    const name = own.get(table)?.get(id) ?? names[table]?.[id]
    assert(name !== undefined, () => `a change does not name number ${id} of ${table}`)
    return name
  }
  return change.ops.map(op => ({
    table: op.table,
    before: renderRow(op, op.before, nameOf),
    after: renderRow(op, op.after, nameOf),
  }))
}

function renderRow(
  { table }: RowOp,
  row: AnyRow | null,
  nameOf: (table: NamedTable, id: number) => string,
): NamedRow | null {
  if (row === null) return null
  const named: Record<string, Value> = {}
  for (const { column, as, refersTo } of (eventColumns.get(table) as EventColumns).shown) {
    const value = row[column] as Value
    named[as] = refersTo === null || value === null ? value : nameOf(refersTo, value as number)
  }
  return named
}
