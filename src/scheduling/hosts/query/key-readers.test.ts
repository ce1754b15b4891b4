import { expect, test } from 'vitest'
import { ALL_FILTERS, ALL_WEIGHERS } from '../registry.ts'
import {
  AGGREGATE_KEY_READERS,
  FLAVOR_KEY_READERS,
  isKeyOf,
  type KeyReader,
  readerOfAggregateKey,
  readerOfFlavorKey,
} from './key-readers.ts'

const keysIn = (readers: Readonly<Record<string, KeyReader>>) =>
  Object.values(readers).flatMap(({ keys }) => keys)

/** Metadata keys that filters read, except the filter that this list is made for. */
const readByFilters = ALL_FILTERS.flatMap(({ reads }) => reads.metadata ?? []).filter(
  key => key !== '*' && key !== 'force_metadata_check',
)
const multipliers = ALL_WEIGHERS.map(({ multiplierKey }) => multiplierKey)

test('every key of metadata that a filter or weigher names is in the list', () => {
  const missing = [...readByFilters, ...multipliers].filter(key => readerOfAggregateKey(key) === null)
  expect(missing).toEqual([])
})

test('every key of metadata in the list is read by a filter, a weigher or a prefilter, or is retired', () => {
  const read = new Set([...readByFilters, ...multipliers, ...AGGREGATE_KEY_READERS.isolation.keys])
  const retired: readonly string[] = AGGREGATE_KEY_READERS.retired.keys
  expect(keysIn(AGGREGATE_KEY_READERS).filter(key => !read.has(key) && !retired.includes(key))).toEqual([])
})

test('keys are told apart by name, and by how they begin where the list says so', () => {
  expect(readerOfAggregateKey('filter_tenant_id-west')).toBe('the multitenancy filter')
  expect(readerOfAggregateKey('gold_weight_multiplier')).toBeNull()
  expect(readerOfAggregateKey('tier')).toBeNull()
  expect(readerOfFlavorKey('group_policy')).toBe('the request to Placement')
  expect(readerOfFlavorKey('group_policy2')).toBeNull()
  expect(isKeyOf(FLAVOR_KEY_READERS.guest, 'hw:hide_hypervisor_id')).toBe(false)
})
