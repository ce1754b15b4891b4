/** Files of cases, most computed by the real Nova, each row as a question to our server and the answer to it. */
import type { FilterResult } from '../src/scheduling/hosts/evaluate-filter.ts'
import type { FilterItem } from '../src/scheduling/hosts/filter-item.ts'

type Metadata = Readonly<Record<string, string>>

/** What Nova said: yes, no, that it failed, or one of these by chance. */
type Said = boolean | 'error' | 'order-dependent'

// biome-ignore lint/suspicious/noExplicitAny: rows and answers have every shape
type Any = any

/** How the rows of a file become requests, and answers verdicts. */
export interface Questions {
  readonly rowsPerRequest: number
  /** Below the root of the server; rows of different paths go into requests of their own. */
  pathOf(row: Any): string
  body(rows: readonly Any[]): unknown
  /** What is asked answers with `results`, one for each row. */
  agrees(row: Any, result: Any): boolean
}

const filterVectors = <Row>(
  filter: string | ((row: Row) => string),
  itemOf: (row: Row) => FilterItem,
  said: (row: Row) => Said,
): Questions => ({
  rowsPerRequest: 1_000,
  pathOf: row => `/v1/filters/${typeof filter === 'string' ? filter : filter(row)}/evaluate`,
  body: rows => ({ items: rows.map(itemOf) }),
  // Where Nova fails, ours refuses with a reason. Where it fails or not as chance has it, either will do.
  agrees(row, { passes, reasons }: FilterResult) {
    const expected = said(row)
    const isReasoned = passes === (reasons.length === 0)
    return isReasoned && (expected === 'order-dependent' || passes === (expected === true))
  },
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

/** A row that a ruling of Berth's own decides otherwise: it must differ, or it is no exception any more. */
export interface VectorException {
  readonly name: string
  /** The ruling that decides it. */
  readonly ruling: string
  readonly why: string
  readonly covers: (row: Any) => boolean
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** By file. */
export const VECTOR_EXCEPTIONS: Readonly<Record<string, readonly VectorException[]>> = {
  'aggregate-instance-type-rulings.json': [
    {
      name: 'filter_tenant_id in a forced aggregate, a flavor without extra specs',
      ruling: 'R27',
      why: 'the multitenancy filter reads the key, so that it is no demand on flavors',
      covers: ({ extra_specs, aggregates }: SpecRow) =>
        sameJson(extra_specs, {}) &&
        sameJson(aggregates, [{ filter_tenant_id: 'p', force_metadata_check: 'True' }]),
    },
  ],
}

/** Every file that can be asked. */
export const VECTOR_FILES: Readonly<Record<string, Questions>> = {
  'aggregate-instance-type-spec-examples.json': filterVectors<
    Omit<SpecRow, 'passes'> & { readonly expected: boolean }
  >('AggregateInstanceTypeFilter', specItem, row => row.expected),
  'aggregate-instance-type-rulings.json': filterVectors<SpecRow>(
    'AggregateInstanceTypeFilter',
    specItem,
    row => row.passes,
  ),
  'aggregate-instance-extra-specs.json': filterVectors<SpecRow>(
    'AggregateInstanceExtraSpecsFilter',
    specItem,
    row => row.passes,
  ),
  'compute-capabilities.json': filterVectors<{
    readonly attrs: NonNullable<NonNullable<FilterItem['host']>['attributes']>
    readonly stats: Metadata
    readonly extra_specs: Metadata
    readonly passes_head: Said
  }>(
    'ComputeCapabilitiesFilter',
    ({ attrs, stats, extra_specs }) => ({ extra_specs, host: { attributes: { ...attrs, stats } } }),
    row => row.passes_head,
  ),
  'aggregate-type-affinity.json': filterVectors<{
    readonly flavor: string
    readonly aggregates: readonly Metadata[]
    readonly passes: boolean
  }>(
    'AggregateTypeAffinityFilter',
    ({ flavor, aggregates }) => ({ flavor, aggregates }),
    row => row.passes,
  ),
  'aggregate-multitenancy.json': filterVectors<{
    readonly project: string
    readonly aggregates: readonly Metadata[]
    readonly passes_head: boolean
  }>(
    'AggregateMultiTenancyIsolation',
    ({ project, aggregates }) => ({ project, aggregates }),
    row => row.passes_head,
  ),
  'aggregate-image-properties.json': filterVectors<{
    readonly image_properties: NonNullable<FilterItem['image_properties']>
    readonly aggregates: readonly Metadata[]
    readonly passes: boolean
  }>(
    'AggregateImagePropertiesIsolation',
    ({ image_properties, aggregates }) => ({ image_properties, aggregates }),
    row => row.passes,
  ),
  'aggregate-limits.json': filterVectors<LimitRow>(
    row => row.filter,
    ({ filter, current, default: byDefault, aggregates }) => ({
      aggregates,
      ...(filter === 'AggregateIoOpsFilter'
        ? { host: { num_io_ops: current }, settings: { max_io_ops_per_host: byDefault } }
        : { host: { num_instances: current }, settings: { max_instances_per_host: byDefault } }),
    }),
    row => row.passes,
  ),
  'json-filter.json': filterVectors<{
    readonly host: NonNullable<NonNullable<FilterItem['host']>['attributes']>
    readonly query: string | null
    readonly passes: Said
  }>(
    'JsonFilter',
    ({ host, query }) => ({ hints: { query }, host: { attributes: host } }),
    row => row.passes,
  ),
  'extra-specs-ops.json': {
    rowsPerRequest: 2_000,
    pathOf: () => '/v1/operators/match',
    body: rows => ({
      dialect: 'nova',
      items: rows.map(({ value, req }) => ({ value, requirement: req })),
    }),
    // Where Nova fails there is no match, and a reason; nowhere else is there one.
    agrees: ({ match }, { matches, error }) =>
      matches === (match === true) && (error !== null) === (match === 'error'),
  },
  'isolate-aggregates.json': flavorVectors<{
    readonly aggregates: Readonly<Record<string, Metadata>>
    readonly required_traits: readonly string[]
    readonly forbidden: readonly string[]
  }>(
    ({ aggregates, required_traits }) => ({
      flavor: { ...SMALL, extra_specs: Object.fromEntries(required_traits.map(isRequired)) },
      aggregates: Object.entries(aggregates).map(([uuid, metadata]) => ({ uuid, metadata })),
    }),
    ({ forbidden }, { prefilters }) => {
      const isolating = prefilters.find(({ name }: Any) => name === 'isolate_aggregates')
      return forbidden.toSorted().join() === (isolating?.aggregates ?? []).toSorted().join()
    },
  ),
  'flavor-to-placement.json': flavorVectors<{
    readonly flavor: Readonly<Record<string, number>> & { readonly extra_specs: Metadata }
    readonly is_bfv: boolean
    readonly image_properties: Readonly<Record<string, unknown>>
    readonly pinning_translate: boolean
    readonly query: readonly (readonly [string, string])[] | 'error'
  }>(
    ({ flavor, is_bfv, image_properties, pinning_translate }) => ({
      flavor: {
        vcpus: flavor.vcpus,
        ram: flavor.memory_mb,
        disk: flavor.root_gb,
        ephemeral: flavor.ephemeral_gb,
        swap: flavor.swap,
        extra_specs: flavor.extra_specs,
      },
      volume_backed: is_bfv,
      image_properties,
      translate_pinning: pinning_translate,
    }),
    ({ query }, { from_flavor, errors }) => {
      if (query === 'error') return from_flavor === null && errors.length > 0
      const parameters = from_flavor?.map(({ name, value }: Any) => [name, value])
      return JSON.stringify(parameters) === JSON.stringify(query)
    },
  ),
  'weighers.json': {
    rowsPerRequest: 100,
    pathOf: () => '/v1/weighers/evaluate',
    body: rows => ({ items: rows.map(({ hosts }) => ({ hosts })) }),
    agrees: ({ weights, parts, order }, { hosts, order: ranked }) =>
      order.join() === ranked.join() && hosts.every((host: Any) => isWeighed(host, weights, parts)),
  },
}

function flavorVectors<Row>(
  itemOf: (row: Row) => unknown,
  agrees: (row: Row, result: Any) => boolean,
): Questions {
  return {
    rowsPerRequest: 500,
    pathOf: () => '/v1/flavors/query',
    body: rows => ({ items: rows.map(itemOf) }),
    agrees,
  }
}

const SMALL = { vcpus: 1, ram: 1, disk: 1 }

const isRequired = (trait: string): [string, string] => [`trait:${trait}`, 'required']

/** Of weights, which are sums of fractions. */
const TOLERANCE = 1e-9

const isNear = (a: number | undefined, b: number | undefined): boolean =>
  a !== undefined && b !== undefined && Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(b))

type ByHost = Readonly<Record<string, number>>

function isWeighed({ name, weight, contributions }: Any, weights: ByHost, parts: Record<string, ByHost>) {
  const mine = new Map<string, number>(contributions.map((one: Any) => [one.weigher, one.weight]))
  return (
    isNear(weight, weights[name]) &&
    Object.entries(parts).every(([weigher, byHost]) => isNear(mine.get(weigher), byHost[name]))
  )
}
