import { integer, nullable, type RowOf, real, reference, type Table, table, text } from './table.ts'

/** What rows of other tables say when they mean one of these. */
const provider = reference('resource_providers', 'provider')
const resourceClass = reference('resource_classes', 'resource_class')
const trait = reference('traits', 'trait')
const aggregate = reference('aggregates', 'aggregate')
const consumer = reference('consumers', 'consumer')

/** `updated_at` is milliseconds since 1970, of the last write that touched the row. */

export const resourceClasses = table(
  'resource_classes',
  { id: integer, name: text, updated_at: integer },
  ['id'],
  [['name']],
)

export const traits = table('traits', { id: integer, name: text, updated_at: integer }, ['id'], [['name']])

export const aggregates = table('aggregates', { id: integer, uuid: text }, ['id'], [['uuid']])

export const resourceProviders = table(
  'resource_providers',
  {
    id: integer,
    uuid: text,
    name: text,
    generation: integer,
    parent_id: nullable(reference('resource_providers', 'parent')),
    updated_at: integer,
  },
  ['id'],
  [['uuid'], ['name']],
)

export const inventories = table(
  'inventories',
  {
    provider_id: provider,
    class_id: resourceClass,
    total: integer,
    reserved: integer,
    min_unit: integer,
    max_unit: integer,
    step_size: integer,
    allocation_ratio: real,
    updated_at: integer,
  },
  ['provider_id', 'class_id'],
)

export const providerTraits = table('provider_traits', { provider_id: provider, trait_id: trait }, [
  'provider_id',
  'trait_id',
])

export const providerAggregates = table(
  'provider_aggregates',
  { provider_id: provider, aggregate_id: aggregate },
  ['provider_id', 'aggregate_id'],
)

export const consumers = table(
  'consumers',
  {
    id: integer,
    uuid: text,
    generation: integer,
    project_id: text,
    user_id: text,
    consumer_type: nullable(text),
    updated_at: integer,
  },
  ['id'],
  [['uuid']],
)

export const allocations = table(
  'allocations',
  { consumer_id: consumer, provider_id: provider, class_id: resourceClass, used: integer },
  ['consumer_id', 'provider_id', 'class_id'],
)

/** Parents before children: this is the order of DDL and of loading. */
export const mirroredTables = [
  resourceClasses,
  traits,
  aggregates,
  resourceProviders,
  inventories,
  providerTraits,
  providerAggregates,
  consumers,
  allocations,
] as const

type Mirrored = (typeof mirroredTables)[number]
export type TableName = Mirrored['name']
export type Row<N extends TableName> =
  Extract<Mirrored, { name: N }> extends Table<N, infer C> ? RowOf<C> : never

export const tableByName = Object.fromEntries(mirroredTables.map(t => [t.name, t])) as unknown as {
  readonly [N in TableName]: Table<N>
}
