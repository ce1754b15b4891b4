import {
  findAssociationFault,
  findNamespaceFault,
  findObjectFault,
  findPropertyFault,
  findTagFault,
} from '../catalog/schemas/faults.schemas.ts'
import { findFirstFault, type Schema } from '../http/formats/json-schema.ts'
import { parseExactly } from '../kernel/exact-json.ts'
import { parseIpNetwork } from '../kernel/ip-network.ts'
import { AMOUNT_MAX } from '../kernel/number-bounds.ts'
import { ownValue } from '../kernel/records.ts'
import { GROUP_POLICIES } from '../scheduling/hosts/request-view.ts'
import { ACCESS_LEVELS, ACCESS_STATES, ACCESS_TYPES } from '../shares/access/access-rules.ts'
import { findSettingsFault } from '../shares/backends/directory-settings.ts'
import { DRIVER_KINDS } from '../shares/drivers/open.driver.ts'
import { QUOTA_RESOURCES } from '../shares/quotas/quotas.ts'
import { STATUSES, TASK_STATES } from '../shares/share/states.ts'
import { CLOUD_DRIVER, cloudOf } from '../world/cloud-owned.ts'
import { HINT_KINDS } from '../world/shares.ts'
import { findStorableFault } from '../world/storable.ts'
import { type Column, nullable, text, type Value } from '../world/table.ts'
import { exportedColumns, isRowTable, type RowLine, type RowTable } from './exported-tables.ts'

const name: Schema = { type: 'string', minLength: 1, maxLength: 255 }
const amount: Schema = { type: 'integer', minimum: 0, maximum: AMOUNT_MAX }
const flag: Schema = { type: 'integer', enum: [0, 1] }
const time: Schema = { type: ['integer', 'null'], minimum: 0 }
const oneOf = (...values: readonly (string | null)[]): Schema => ({ enum: values })
/** Drivers use these as names of directories. */
const backendPart: Schema = { type: 'string', pattern: '^[^.@#][^@#]{0,99}$' }
const poolPart: Schema = { type: 'string', pattern: '^[^.@#/][^@#/]{0,99}$' }
const uuid: Schema = { type: 'string', format: 'uuid' }

/** Columns with the same meaning in every table. */
const everywhere: Readonly<Record<string, Schema>> = {
  key: name,
  project_id: name,
  user_id: name,
  is_public: flag,
  is_declared: flag,
  is_disabled: flag,
  is_forced_down: flag,
  is_down: flag,
  is_default: flag,
  is_enabled: flag,
  is_forced: flag,
  is_move_forced: flag,
  made_member: flag,
  protected: flag,
  created_at: time,
  updated_at: time,
  deleted_at: time,
  loaded_at: time,
  tokens_since: time,
}

type ColumnSchemas = { readonly [N in RowTable]?: Readonly<Record<string, Schema>> }

/** Columns of what Berth itself serves. */
const berthSchemas: ColumnSchemas = {
  share_backends: { driver: oneOf(...DRIVER_KINDS) },
  shares: { status: oneOf(...STATUSES), task_state: oneOf(null, ...TASK_STATES) },
}

/** Columns of what was pulled: its shares may be in states that those of Berth never have. */
const cloudSchemas: ColumnSchemas = {
  share_backends: { driver: oneOf(CLOUD_DRIVER) },
  shares: { status: name, task_state: { ...name, type: ['string', 'null'] } },
}

/** What columns may contain, beyond their type: at least everything that the services themselves write. */
const columnSchemas: ColumnSchemas = {
  metadef_resource_types: { name },
  metadef_builtins: { namespace: name },
  flavors: {
    flavorid: name,
    name,
    memory_mb: amount,
    vcpus: amount,
    root_gb: amount,
    ephemeral_gb: amount,
    swap: amount,
    rxtx_factor: { type: 'number', minimum: 0 },
  },
  host_aggregates: { uuid, name },
  server_groups: {
    uuid,
    name,
    policy: oneOf(...GROUP_POLICIES),
    max_server_per_host: { type: ['integer', 'null'], minimum: 1, maximum: AMOUNT_MAX },
  },
  server_requests: { name: { ...name, type: ['string', 'null'] } },
  reservations: {
    uuid,
    name,
    kind: oneOf('project', 'failover'),
    project_id: { ...name, type: ['string', 'null'] },
    aggregate: { type: ['string', 'null'], minLength: 36, maxLength: 36 },
    servers: amount,
    used: amount,
    short: amount,
  },
  users: { uuid: name, name },
  projects: { uuid: name, name },
  roles: { uuid: name, name },
  share_types: { uuid, name },
  share_backends: { host: backendPart, name: backendPart },
  share_pools: {
    name: poolPart,
    reserved_percentage: { type: 'integer', minimum: 0, maximum: 100 },
  },
  shares: {
    uuid,
    size: { ...amount, minimum: 1 },
    target_size: { ...amount, type: ['integer', 'null'] },
    protocol: name,
  },
  share_hints: { kind: oneOf(...HINT_KINDS), other: uuid, place: amount },
  share_snapshots: { uuid, size: { ...amount, minimum: 1 }, protocol: name, status: name },
  share_access_rules: {
    uuid,
    access_type: oneOf(...ACCESS_TYPES),
    access_to: { type: 'string', minLength: 1, maxLength: 255 },
    access_level: oneOf(...ACCESS_LEVELS),
    state: oneOf(...ACCESS_STATES),
  },
  share_quotas: {
    scope: { type: 'string', pattern: '^(class:default|project:.+|type:.+)$' },
    resource: oneOf(...QUOTA_RESOURCES),
    hard_limit: { type: 'integer', minimum: -1 },
  },
}

const texts: Schema = { type: 'array', items: { type: 'string' } }
const listsOfTexts: Schema = { type: 'array', items: texts }
const textOrNull: Schema = { type: ['string', 'null'] }

const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const group = object({
  suffix: { type: 'string' },
  required: listsOfTexts,
  forbidden: texts,
  member_of: listsOfTexts,
  resources: { type: 'object', patternProperties: { '': amount } },
  in_tree: textOrNull,
})

/** The stored request of a server, so that a move requests the same. */
const serverRequest = object({
  flavor: object({
    id: { type: 'string' },
    name: { type: 'string' },
    vcpus: amount,
    ram: amount,
    disk: amount,
    ephemeral: amount,
    swap: amount,
    extra_specs: { type: 'object', patternProperties: { '': { type: 'string' } } },
  }),
  groups: { anyOf: [{ type: 'array', items: group }, { type: 'null' }] },
  group_policy: oneOf('none', 'isolate', null),
  image: {
    anyOf: [
      object({ id: textOrNull, disk_format: textOrNull, properties: { type: 'object' } }),
      { type: 'null' },
    ],
  },
  volume_backed: { type: 'boolean' },
  zone: textOrNull,
  hints: object({ same_host: texts, different_host: texts }),
})

/** Columns with JSON text, and the schema of that JSON. */
const documents: { readonly [N in RowTable]?: Readonly<Record<string, Schema>> } = {
  metadef_properties: { json_schema: { type: 'object' } },
  metadef_objects: { json_schema: { type: 'object' }, required: { type: 'array' } },
  hosts: { capabilities: { type: 'object' } },
  server_requests: { request: serverRequest },
  share_backends: { settings: { type: 'object' }, capabilities: { type: 'object' } },
  share_pools: { capabilities: { type: 'object' } },
  share_access_rules: { metadata: { type: 'object', patternProperties: { '': { type: 'string' } } } },
}

type Fields = RowLine['row']

/** The checks of a service on a whole row. */
const wholes: { readonly [N in RowTable]?: (row: Fields) => string | null } = {
  metadef_namespaces: ({ namespace, display_name, description, visibility, owner, protected: held }) =>
    findNamespaceFault({
      ...omitDefaults({ namespace, display_name, description, visibility, owner }),
      protected: held === 1,
    }),
  metadef_associations: ({ resource_type: name, prefix, properties_target }) =>
    findAssociationFault(omitDefaults({ name, prefix, properties_target })),
  metadef_properties: ({ name, json_schema }) => findPropertyFault({ ...parseObject(json_schema), name }),
  metadef_objects: ({ name, description, required, json_schema, namespace }) =>
    findObjectFault(
      omitDefaults({
        name,
        description,
        required: parseObject(required),
        properties: parseObject(json_schema),
      }),
      namespace as string,
    ),
  metadef_tags: ({ name }) => findTagFault({ name }),
  share_access_rules: ({ access_type, access_to }) => {
    if (access_type !== 'ip') return null
    const network = parseIpNetwork(access_to as string)
    return 'fault' in network ? network.fault : null
  },
  share_backends: ({ driver, settings }) => {
    const fault = driver === 'directory' ? findSettingsFault({ ...parseObject(settings) }) : null
    return fault === null ? null : `settings.${fault.join(' ')}`
  },
}

/** Leaves out null values. */
const omitDefaults = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))

const parseObject = (text: Value | undefined): object | null =>
  typeof text === 'string' ? (JSON.parse(text) as object) : null

interface RowFault {
  /** The column; empty for the whole row. */
  readonly field: string
  readonly message: string
}

/** What is wrong with a line `{"table": ..., "row": ...}`; null if nothing is. */
export function rowFault({ table, row }: { readonly table: string; readonly row: Fields }): RowFault | null {
  if (!isRowTable(table)) return { field: 'table', message: `no rows of a table ${table} can be imported` }
  return columnsFault(table, row) ?? documentsFault(table, row) ?? wholeFault(table, row)
}

function columnsFault(table: RowTable, row: Fields): RowFault | null {
  const columns = exportedColumns[table]
  const stray = Object.keys(row).find(key => !columns.some(({ as }) => as === key))
  if (stray !== undefined) return { field: stray, message: `${table} has no such column` }
  for (const { as, refersTo, described } of columns) {
    const value = ownValue(row, as)
    if (value === undefined) return { field: as, message: 'it is missing' }
    const column = refersTo === null ? described : nameColumn(described)
    const fault = findStorableFault(column, value) ?? schemaFault(findSchema(table, as, row), value)
    if (fault !== null) return { field: as, message: fault }
  }
  return null
}

function findSchema(table: RowTable, column: string, { applied_by }: Fields): Schema | undefined {
  const isOfCloud = typeof applied_by === 'string' && cloudOf(applied_by) !== null
  const byOwner = isOfCloud ? cloudSchemas : berthSchemas
  return byOwner[table]?.[column] ?? columnSchemas[table]?.[column] ?? ownValue(everywhere, column)
}

/** A line has a name where the table has a number. */
const nameColumn = (described: Column): Column => ('nullable' in described ? nullable(text) : text)

function schemaFault(schema: Schema | undefined, value: unknown): string | null {
  const fault = schema === undefined ? null : findFirstFault(schema, value)
  if (fault === null) return null
  return fault.path === '' ? fault.message : `${fault.path}: ${fault.message}`
}

function documentsFault(table: RowTable, row: Fields): RowFault | null {
  for (const [field, schema] of Object.entries(documents[table] ?? {})) {
    const text = ownValue(row, field)
    if (typeof text !== 'string') continue
    const value = readJson(text)
    const message = value === undefined ? 'it is not JSON' : schemaFault(schema, value)
    if (message !== null) return { field, message }
  }
  return null
}

/** Undefined if it is not JSON, or could not be written again exactly. */
function readJson(text: string): unknown {
  try {
    parseExactly(text)
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function wholeFault(table: RowTable, row: Fields): RowFault | null {
  const message = wholes[table]?.(row) ?? null
  return message === null ? null : { field: '', message }
}
