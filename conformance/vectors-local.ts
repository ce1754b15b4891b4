/**
 * Every row of the vector files against the functions themselves, without a server:
 *
 *     node conformance/vectors-local.ts DIRECTORY
 *
 * Says how many of each file agree, shows the first that do not, and fails if there are any.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evaluateFilter } from '../src/scheduling/evaluate-filter.ts'
import { flavorQuery } from '../src/scheduling/flavor-query.ts'
import type { HostView } from '../src/scheduling/host-view.ts'
import type { Json, JsonObject } from '../src/scheduling/json-value.ts'
import { evaluate } from '../src/scheduling/operators/evaluate.ts'
import { queryParameters } from '../src/scheduling/placement-query.ts'
import { isolatedAggregates } from '../src/scheduling/prefilters.ts'
import { ALL_WEIGHERS } from '../src/scheduling/registry.ts'
import { NO_HINTS, type SchedulingRequest } from '../src/scheduling/request-view.ts'
import { DEFAULT_SETTINGS } from '../src/scheduling/settings.ts'
import { weighHosts } from '../src/scheduling/weighing.ts'
import { FILTER_VECTORS } from './vector-files.ts'

const SHOWN_MAX = 3
/** Of weights, which are sums of fractions. */
const TOLERANCE = 1e-9

const [directory] = process.argv.slice(2)
if (directory === undefined) {
  process.stderr.write('usage: node conformance/vectors-local.ts DIRECTORY\n')
  process.exit(64)
}

const rowsOf = <Row>(file: string): Row[] => JSON.parse(readFileSync(join(directory, file), 'utf8'))

let wrong = 0

/** Null where the row agrees; otherwise what was said instead. */
function compare<Row>(file: string, judge: (row: Row) => unknown): void {
  const rows = rowsOf<Row>(file)
  const differing = rows.flatMap(row => {
    const instead = judge(row)
    return instead === null ? [] : [{ row, instead }]
  })
  process.stdout.write(`${file}: ${rows.length - differing.length} of ${rows.length}\n`)
  for (const one of differing.slice(0, SHOWN_MAX)) process.stdout.write(`  ${JSON.stringify(one)}\n`)
  wrong += differing.length
}

for (const { file, filterOf, itemOf, passes } of FILTER_VECTORS)
  compare<never>(file, row => {
    const [result] = evaluateFilter(filterOf(row), [itemOf(row)]) ?? []
    const isReasoned = result?.passes === true || (result?.reasons.length ?? 0) > 0
    return isReasoned && result?.passes === (passes(row) ?? result?.passes) ? null : result
  })

compare<{ value: Json; req: string; match: boolean | 'error' }>(
  'extra-specs-ops.json',
  ({ value, req, match }) => {
    const verdict = evaluate('nova', value as string, req)
    return verdict.matches === (match === true) && (verdict.error !== null) === (match === 'error')
      ? null
      : verdict
  },
)

compare<{
  aggregates: Record<string, Record<string, string>>
  required_traits: string[]
  forbidden: string[]
}>('isolate-aggregates.json', ({ aggregates, required_traits, forbidden }) => {
  const all = Object.entries(aggregates).map(([uuid, metadata]) => ({
    uuid,
    metadata: new Map(Object.entries(metadata)),
  }))
  const found = isolatedAggregates(all, new Set(required_traits)).sort()
  return found.join() === forbidden.toSorted().join() ? null : found
})

const request = (extraSpecs: Record<string, string>): SchedulingRequest => ({
  operation: 'create',
  instance: null,
  flavor: {
    id: '1',
    name: 'f',
    vcpus: 0,
    ramMib: 0,
    rootGb: 0,
    ephemeralGb: 0,
    swapMib: 0,
    extraSpecs: new Map(Object.entries(extraSpecs)),
  },
  project: null,
  user: null,
  zone: null,
  targetHost: null,
  hints: NO_HINTS,
  image: null,
  isVolumeBacked: false,
  group: null,
})

compare<{
  flavor: {
    vcpus: number
    memory_mb: number
    root_gb: number
    ephemeral_gb: number
    swap: number
    extra_specs: Record<string, string>
  }
  is_bfv: boolean
  image_properties: JsonObject
  pinning_translate: boolean
  query: [string, string][] | 'error'
}>('flavor-to-placement.json', ({ flavor, is_bfv, image_properties, pinning_translate, query }) => {
  const asked = request(flavor.extra_specs)
  const answer = flavorQuery(
    {
      flavor: {
        ...asked.flavor,
        vcpus: flavor.vcpus,
        ramMib: flavor.memory_mb,
        rootGb: flavor.root_gb,
        ephemeralGb: flavor.ephemeral_gb,
        swapMib: flavor.swap,
      },
      image: { id: null, diskFormat: null, properties: new Map(Object.entries(image_properties)) },
      isVolumeBacked: is_bfv,
    },
    DEFAULT_SETTINGS,
    { translatePinning: pinning_translate },
  )
  const parameters = answer.ok ? queryParameters(answer.query) : 'error'
  return JSON.stringify(parameters) === JSON.stringify(query) ? null : parameters
})

interface WeighedHost {
  name: string
  free_ram_mb: number
  free_disk_mb: number
  vcpus_total: number
  vcpus_used: number
  cpu_allocation_ratio: number
  num_io_ops: number
  failed_builds: number
  aggregates: Record<string, string>[]
}

const hostView = (host: WeighedHost): HostView => ({
  name: host.name,
  isEnabled: true,
  disabledReason: null,
  isUp: true,
  isForcedDown: false,
  aggregates: host.aggregates.map((metadata, id) => ({
    id,
    uuid: '',
    name: '',
    metadata: new Map(Object.entries(metadata)),
  })),
  ramMibFree: host.free_ram_mb,
  diskMibFree: host.free_disk_mb,
  vcpusTotal: host.vcpus_total,
  vcpusUsed: host.vcpus_used,
  cpuAllocationRatio: host.cpu_allocation_ratio,
  instanceCount: 0,
  ioOpsCount: host.num_io_ops,
  failedBuilds: host.failed_builds,
  pciDevicesFree: 0,
  hasInstance: () => false,
  instanceImages: () => [],
  metric: () => undefined,
  attribute: () => undefined,
})

const isNear = (a: number | undefined, b: number | undefined): boolean =>
  a !== undefined && b !== undefined && Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(b))

compare<{
  hosts: WeighedHost[]
  weights: Record<string, number>
  parts: Record<string, Record<string, number>>
  order: string[]
}>('weighers.json', ({ hosts, weights, parts, order }) => {
  const weighing = weighHosts(ALL_WEIGHERS, request({}), hosts.map(hostView), DEFAULT_SETTINGS)
  const isRight = hosts.every(({ name }, at) => {
    const mine = new Map(weighing.contributions(at).map(({ weigher, weight }) => [weigher, weight]))
    const isSummed = isNear(weighing.weights[at], weights[name])
    return (
      isSummed && Object.entries(parts).every(([weigher, byHost]) => isNear(mine.get(weigher), byHost[name]))
    )
  })
  const ranked = weighing.ranked().map(({ name }) => name)
  return isRight && ranked.join() === order.join() ? null : { weights: [...weighing.weights], ranked }
})

process.exit(wrong === 0 ? 0 : 1)
