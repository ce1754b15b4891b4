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
import { DEFAULT_SETTINGS } from '../src/scheduling/settings.ts'
import { aggregate, flavor, host, image, request } from '../src/scheduling/views.model.ts'
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
}>('flavor-to-placement.json', ({ flavor: given, is_bfv, image_properties, pinning_translate, query }) => {
  const { vcpus, memory_mb: ramMib, root_gb: rootGb, ephemeral_gb: ephemeralGb, swap: swapMib } = given
  const answer = flavorQuery(
    {
      flavor: flavor(given.extra_specs, { vcpus, ramMib, rootGb, ephemeralGb, swapMib }),
      image: image(image_properties),
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

const hostView = (given: WeighedHost): HostView =>
  host({
    name: given.name,
    aggregates: given.aggregates.map(metadata => aggregate(metadata)),
    ramMibFree: given.free_ram_mb,
    diskMibFree: given.free_disk_mb,
    vcpusTotal: given.vcpus_total,
    vcpusUsed: given.vcpus_used,
    cpuAllocationRatio: given.cpu_allocation_ratio,
    ioOpsCount: given.num_io_ops,
    failedBuilds: given.failed_builds,
  })

const isNear = (a: number | undefined, b: number | undefined): boolean =>
  a !== undefined && b !== undefined && Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(b))

compare<{
  hosts: WeighedHost[]
  weights: Record<string, number>
  parts: Record<string, Record<string, number>>
  order: string[]
}>('weighers.json', ({ hosts, weights, parts, order }) => {
  const weighing = weighHosts(ALL_WEIGHERS, request(), hosts.map(hostView), DEFAULT_SETTINGS)
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
