import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  ALL_FILTERS,
  ALL_WEIGHERS,
  chooseFilters,
  chooseWeighers,
  DEFAULT_FILTERS,
  DEFAULT_WEIGHERS,
  filterNamed,
  findUnreadHints,
} from './registry.ts'

const names = (parts: readonly { readonly name: string }[]): string[] => parts.map(({ name }) => name)

test('the default list is in order, with the filter of instance types and without the older one', () => {
  expect(names(DEFAULT_FILTERS)).toEqual([
    'ComputeFilter',
    'ComputeCapabilitiesFilter',
    'ImagePropertiesFilter',
    'ServerGroupAntiAffinityFilter',
    'ServerGroupAffinityFilter',
    'AvailabilityZoneFilter',
    'SameHostFilter',
    'DifferentHostFilter',
    'AggregateInstanceTypeFilter',
  ])
  const onDemand = ['BestFitWeigher', 'FragmentationWeigher']
  expect(names(DEFAULT_WEIGHERS)).toEqual(names(ALL_WEIGHERS).filter(name => !onDemand.includes(name)))
})

test('no two have one name', () => {
  for (const all of [names(ALL_FILTERS), names(ALL_WEIGHERS)]) expect(new Set(all).size).toBe(all.length)
  const keys = ALL_WEIGHERS.map(({ multiplierKey }) => multiplierKey)
  expect(new Set(keys).size).toBe(keys.length)
})

/** What the files of a folder and its subfolders export. */
async function exportsOf(folder: string): Promise<object[]> {
  const root = new URL(folder, import.meta.url)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(file =>
    /^[^.]+\.ts$/.test(file),
  )
  const modules = await Promise.all(files.map(file => import(new URL(file, root).href)))
  return modules
    .flatMap(one => Object.values<unknown>(one))
    .filter(one => typeof one === 'object') as object[]
}

test('every filter and weigher that has a file is in the registry', async () => {
  const filters = (await exportsOf('./filters/')).filter(one => 'check' in one)
  expect(new Set(filters)).toEqual(new Set(ALL_FILTERS))
  const weighers = (await exportsOf('./weighers/')).filter(one => 'weigh' in one)
  expect(new Set(weighers)).toEqual(new Set(ALL_WEIGHERS))
})

test('a list keeps its order, and says what is unknown or twice in it', () => {
  expect(chooseFilters(['JsonFilter', 'ComputeFilter', 'NoFilter', 'JsonFilter'])).toEqual({
    chosen: [filterNamed('JsonFilter'), filterNamed('ComputeFilter')],
    unknown: ['NoFilter'],
    warnings: [{ code: 'named-twice', name: 'JsonFilter' }],
  })
  expect(chooseWeighers(['RAMWeigher', 'NoWeigher'])).toMatchObject({ unknown: ['NoWeigher'], warnings: [] })
})

test('both filters of extra specs and aggregates together are worth a warning', () => {
  const both = ['AggregateInstanceExtraSpecsFilter', 'AggregateInstanceTypeFilter']
  expect(chooseFilters(both).warnings).toEqual([{ code: 'read-the-same-keys', names: both.toReversed() }])
  for (const name of both) expect(chooseFilters([name]).warnings).toEqual([])
})

test('a hint that no filter of the lists reads is reported', () => {
  const hints = ['same_host', 'query', 'group', 'colour']
  expect(findUnreadHints(hints, DEFAULT_FILTERS)).toEqual(['query', 'colour'])
  expect(findUnreadHints(hints, ALL_FILTERS)).toEqual(['colour'])
})
