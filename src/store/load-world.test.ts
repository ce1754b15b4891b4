import { expect, test } from 'vitest'
import type { AnyRow } from '../world/table.ts'
import type { TableName } from '../world/tables.ts'
import { GENESIS } from './chain.ts'
import { loadSoundWorld, loadWorld } from './load-world.ts'
import { type Store, StoreRefused } from './store.ts'

type Pages = readonly [TableName, readonly AnyRow[]][]

const times = { updated_at: 0 }
const provider = (id: number, parent_id: number | null = null) => ({
  id,
  uuid: `uuid-${id}`,
  name: `host-${id}`,
  generation: 0,
  parent_id,
  ...times,
})
const inventory = (provider_id: number, class_id: number) => ({
  provider_id,
  class_id,
  total: 10,
  reserved: 0,
  min_unit: 1,
  max_unit: 10,
  step_size: 1,
  allocation_ratio: 1,
  ...times,
})
const consumer = {
  id: 7,
  uuid: 'c',
  generation: 1,
  project_id: 'p',
  user_id: 'u',
  consumer_type: null,
  ...times,
}
const claim = { consumer_id: 7, provider_id: 1, class_id: 0, used: 2 }

const sound: Pages = [
  ['resource_classes', [{ id: 0, name: 'VCPU', ...times }]],
  ['traits', [{ id: 3, name: 'CUSTOM_A', ...times }]],
  ['aggregates', [{ id: 4, uuid: 'a' }]],
  ['resource_providers', [provider(1, 2), provider(2)]],
  ['inventories', [inventory(1, 0)]],
  ['provider_traits', [{ provider_id: 1, trait_id: 3 }]],
  ['provider_aggregates', [{ provider_id: 1, aggregate_id: 4 }]],
  ['consumers', [consumer]],
  ['allocations', [claim]],
]

const stored = (pages: Pages) =>
  ({
    load: async onRows => {
      for (const [table, rows] of pages) onRows(table, rows)
      return GENESIS
    },
  }) as Pick<Store, 'load'> as Store

/** The sound rows with one more. */
const amended = (table: TableName, row: AnyRow): Pages =>
  sound.map(([name, rows]) => [name, name === table ? [...rows, row] : rows])

test('rows whose references all lead somewhere are loaded, also where a parent comes after its child', async () => {
  const { world } = await loadSoundWorld(stored(sound))
  expect([world.providers.size, world.consumers.allocations]).toEqual([2, 1])
})

test.each<[TableName, AnyRow, string]>([
  ['resource_providers', provider(5, 9), 'resource_providers with id 5 has parent_id 9'],
  ['inventories', inventory(9, 0), 'inventories with provider_id 9, class_id 0 has provider_id 9'],
  ['inventories', inventory(1, 9), 'inventories with provider_id 1, class_id 9 has class_id 9'],
  [
    'provider_traits',
    { provider_id: 1, trait_id: 9 },
    'provider_traits with provider_id 1, trait_id 9 has trait_id 9',
  ],
  [
    'provider_aggregates',
    { provider_id: 1, aggregate_id: 9 },
    'has aggregate_id 9, which is not in aggregates',
  ],
  ['allocations', { ...claim, consumer_id: 9 }, 'has consumer_id 9, which is not in consumers'],
  ['allocations', { ...claim, class_id: 9 }, 'has class_id 9, which is not in resource_classes'],
])(
  'a row of %s that refers to nothing is refused by its table and key before anybody trips over it',
  async (table, row, line) => {
    const loading = loadSoundWorld(stored(amended(table, row)))
    await expect(loading).rejects.toBeInstanceOf(StoreRefused)
    await expect(loading).rejects.toThrow(line)
  },
)

test('what cannot be a tree, or has a key twice, is refused by its table; verify may still look at the rest', async () => {
  await expect(loadWorld(stored(amended('resource_providers', provider(5, 5))))).rejects.toThrow(
    'the database is damaged: its table resource_providers:',
  )
  await expect(loadWorld(stored(amended('traits', { id: 3, name: 'CUSTOM_B', ...times })))).rejects.toThrow(
    StoreRefused,
  )
  await loadWorld(stored(amended('inventories', inventory(1, 9))))
})
