/** Files of cases that the real Nova computed, each row as a question to one of our filters and the answer to it. */
import type { FilterItem } from '../src/scheduling/evaluate-filter.ts'

type Metadata = Readonly<Record<string, string>>

/** What Nova said: yes, no, that it failed, or one of these by chance. */
type Said = boolean | 'error' | 'order-dependent'

export interface FilterVectors<Row = never> {
  readonly file: string
  filterOf(row: Row): string
  itemOf(row: Row): FilterItem
  /** Where Nova fails, ours refuses with a reason. Null where Nova fails or not as chance has it: either will do. */
  passes(row: Row): boolean | null
}

const filterVectors = <Row>(
  file: string,
  filter: string | ((row: Row) => string),
  itemOf: (row: Row) => FilterItem,
  said: (row: Row) => Said,
): FilterVectors => ({
  file,
  filterOf: row => (typeof filter === 'string' ? filter : filter(row)),
  itemOf,
  passes: row => (said(row) === 'order-dependent' ? null : said(row) === true),
})

interface SpecRow {
  readonly extra_specs: Metadata
  readonly aggregates: readonly Metadata[]
  readonly passes: Said
}

interface LimitRow {
  readonly filter: string
  readonly current: number
  readonly default: number
  readonly aggregates: readonly Metadata[]
  readonly passes: boolean
}

const specItem = ({ extra_specs, aggregates }: Pick<SpecRow, 'extra_specs' | 'aggregates'>): FilterItem => ({
  extra_specs,
  aggregates,
})

export const FILTER_VECTORS: readonly FilterVectors[] = [
  filterVectors<Omit<SpecRow, 'passes'> & { readonly expected: boolean }>(
    'aggregate-instance-type-spec-examples.json',
    'AggregateInstanceTypeFilter',
    specItem,
    row => row.expected,
  ),
  filterVectors<SpecRow>(
    'aggregate-instance-type-rulings.json',
    'AggregateInstanceTypeFilter',
    specItem,
    row => row.passes,
  ),
  filterVectors<SpecRow>(
    'aggregate-instance-extra-specs.json',
    'AggregateInstanceExtraSpecsFilter',
    specItem,
    row => row.passes,
  ),
  filterVectors<{
    readonly attrs: NonNullable<NonNullable<FilterItem['host']>['attributes']>
    readonly stats: Metadata
    readonly extra_specs: Metadata
    readonly passes_head: Said
  }>(
    'compute-capabilities.json',
    'ComputeCapabilitiesFilter',
    ({ attrs, stats, extra_specs }) => ({ extra_specs, host: { attributes: { ...attrs, stats } } }),
    row => row.passes_head,
  ),
  filterVectors<{
    readonly flavor: string
    readonly aggregates: readonly Metadata[]
    readonly passes: boolean
  }>(
    'aggregate-type-affinity.json',
    'AggregateTypeAffinityFilter',
    ({ flavor, aggregates }) => ({ flavor, aggregates }),
    row => row.passes,
  ),
  filterVectors<{
    readonly project: string
    readonly aggregates: readonly Metadata[]
    readonly passes_head: boolean
  }>(
    'aggregate-multitenancy.json',
    'AggregateMultiTenancyIsolation',
    ({ project, aggregates }) => ({ project, aggregates }),
    row => row.passes_head,
  ),
  filterVectors<{
    readonly image_properties: NonNullable<FilterItem['image_properties']>
    readonly aggregates: readonly Metadata[]
    readonly passes: boolean
  }>(
    'aggregate-image-properties.json',
    'AggregateImagePropertiesIsolation',
    ({ image_properties, aggregates }) => ({ image_properties, aggregates }),
    row => row.passes,
  ),
  filterVectors<LimitRow>(
    'aggregate-limits.json',
    row => row.filter,
    ({ filter, current, default: byDefault, aggregates }) => ({
      aggregates,
      ...(filter === 'AggregateIoOpsFilter'
        ? { host: { num_io_ops: current }, settings: { max_io_ops_per_host: byDefault } }
        : { host: { num_instances: current }, settings: { max_instances_per_host: byDefault } }),
    }),
    row => row.passes,
  ),
  filterVectors<{
    readonly host: NonNullable<NonNullable<FilterItem['host']>['attributes']>
    readonly query: string | null
    readonly passes: Said
  }>(
    'json-filter.json',
    'JsonFilter',
    ({ host, query }) => ({ hints: { query }, host: { attributes: host } }),
    row => row.passes,
  ),
]
