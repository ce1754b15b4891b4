import { expect, test } from 'vitest'
import { SmallCloud } from '../../../test/small-cloud.ts'
import { checkWorld } from '../../server/check-world.ts'
import type { Change } from '../../world/change.ts'
import { type Imported, importLines, type LineRefusal } from './import.ts'
import type { CloudLine, ConsumerFields, ProviderFields } from './lines.ts'

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const stock = (total: number, more = {}) => ({
  total,
  reserved: 0,
  min_unit: 1,
  max_unit: total,
  step_size: 1,
  allocation_ratio: 1,
  ...more,
})

const provider = (number: number, more: Partial<ProviderFields> = {}): CloudLine => ({
  provider: {
    uuid: uuid(number),
    name: `host-${number}`,
    generation: 7,
    parent_provider_uuid: null,
    inventories: { VCPU: stock(8) },
    traits: [],
    aggregates: [],
    ...more,
  },
})

const consumer = (number: number, more: Partial<ConsumerFields> = {}): CloudLine => ({
  consumer: {
    uuid: uuid(100 + number),
    generation: 5,
    project_id: 'p',
    user_id: 'u',
    consumer_type: null,
    allocations: { [uuid(1)]: { resources: { VCPU: 2 } } },
    ...more,
  },
})

/** Imports lines into a cloud and applies the changes. */
function taken(cloud: SmallCloud, ...lines: CloudLine[]): Imported & { change: Change } {
  const decision = importLines(cloud.world, { lines }, 9)
  if (!decision.ok) throw new Error('an import is never refused as a whole')
  cloud.world.apply(decision.change)
  expect(checkWorld(cloud.world)).toEqual({ items: [], count: 0 })
  return { ...decision.answer, change: decision.change }
}

const refusalOf = (cloud: SmallCloud, ...lines: CloudLine[]): LineRefusal | undefined =>
  taken(cloud, ...lines).stopped?.refusal

test('new things are made as their lines say, generations included; lines see those before them', () => {
  const cloud = new SmallCloud()
  const { counts, stopped } = taken(
    cloud,
    { resource_class: { name: 'CUSTOM_FPGA' } },
    { trait: { name: 'CUSTOM_FAST' } },
    provider(1, { inventories: { CUSTOM_FPGA: stock(2), VCPU: stock(8) }, aggregates: [uuid(50)] }),
    provider(2, { parent_provider_uuid: uuid(1), traits: ['CUSTOM_FAST'], aggregates: [uuid(50), uuid(51)] }),
    consumer(1, {
      allocations: { [uuid(1)]: { resources: { CUSTOM_FPGA: 1 } }, [uuid(2)]: { resources: { VCPU: 3 } } },
    }),
  )
  expect(stopped).toBeNull()
  expect(counts).toEqual({
    resource_classes: { created: 1, updated: 0, unchanged: 0, removed: 0 },
    traits: { created: 1, updated: 0, unchanged: 0, removed: 0 },
    providers: { created: 2, updated: 0, unchanged: 0, removed: 0 },
    consumers: { created: 1, updated: 0, unchanged: 0, removed: 0 },
  })
  const { providers, consumers, inventories, classes } = cloud.world
  const child = providers.find(uuid(2))!
  expect(providers.row(child)).toMatchObject({ generation: 7, parent_id: providers.find(uuid(1)) })
  expect(consumers.row(consumers.find(uuid(101))!)).toMatchObject({ generation: 5, consumer_type: null })
  expect(inventories.used(child, classes.id('VCPU')!)).toBe(3)
  expect(cloud.world.aggregates.size).toBe(2)
})

test('objects that match their line stay untouched, with any generation', () => {
  const cloud = new SmallCloud()
  const lines = [provider(1, { traits: [], aggregates: [uuid(50)] }), consumer(1)]
  taken(cloud, ...lines)
  const again = taken(
    cloud,
    provider(1, { generation: 99, aggregates: [uuid(50)] }),
    consumer(1, { generation: 99 }),
  )
  expect(again.change.ops).toEqual([])
  expect(again.counts.providers).toEqual({ created: 0, updated: 0, unchanged: 1, removed: 0 })
  expect(again.counts.consumers).toEqual({ created: 0, updated: 0, unchanged: 1, removed: 0 })
})

test.each<[string, Partial<ProviderFields>]>([
  ['name', { name: 'another' }],
  ['parent', { parent_provider_uuid: uuid(2) }],
  ['inventory', { inventories: { VCPU: stock(9) } }],
  ['one inventory more', { inventories: { VCPU: stock(8), DISK_GB: stock(1) } }],
  ['one inventory less', { inventories: {} }],
  ['trait', { traits: ['MISC_SHARES_VIA_AGGREGATE'] }],
  ['aggregate', { aggregates: [uuid(60)] }],
])('a provider with another %s is changed and its generation rises by one', (_, more) => {
  const cloud = new SmallCloud()
  taken(cloud, provider(1), provider(2))
  expect(taken(cloud, provider(1, more)).counts.providers.updated).toBe(1)
  const { providers } = cloud.world
  expect(providers.generation[providers.find(uuid(1))!]).toBe(8)
  expect(taken(cloud, provider(1, more)).counts.providers.unchanged).toBe(1)
})

test.each<[string, Partial<ConsumerFields>]>([
  ['project', { project_id: 'q' }],
  ['type', { consumer_type: 'INSTANCE' }],
  ['amount', { allocations: { [uuid(1)]: { resources: { VCPU: 3 } } } }],
  ['provider', { allocations: { [uuid(2)]: { resources: { VCPU: 2 } } } }],
])('a consumer with another %s is changed; the generations of its providers stay', (_, more) => {
  const cloud = new SmallCloud()
  taken(cloud, provider(1), provider(2), consumer(1))
  expect(taken(cloud, consumer(1, more)).counts.consumers.updated).toBe(1)
  const { providers, consumers } = cloud.world
  expect(consumers.row(consumers.find(uuid(101))!).generation).toBe(6)
  expect([1, 2].map(number => providers.generation[providers.find(uuid(number))!])).toEqual([7, 7])
})

test('a ledger is taken over as it is, also where more is held than there is room for', () => {
  const cloud = new SmallCloud()
  const much = consumer(1, { allocations: { [uuid(1)]: { resources: { VCPU: 999 } } } })
  expect(refusalOf(cloud, provider(1), much)).toBeUndefined()
  expect(
    cloud.world.inventories.used(cloud.world.providers.find(uuid(1))!, cloud.world.classes.id('VCPU')!),
  ).toBe(999)
})

test('a refused line stops: what is before it is in, what is after it is not looked at', () => {
  const cloud = new SmallCloud()
  const { stopped, counts } = taken(
    cloud,
    provider(1),
    provider(2, { traits: ['CUSTOM_NO'], aggregates: [uuid(70)] }),
    provider(3),
  )
  expect(stopped).toEqual({ at: 1, refusal: { kind: 'trait-missing', name: 'CUSTOM_NO' } })
  expect(counts.providers.created).toBe(1)
  expect([1, 2, 3].map(number => cloud.world.providers.find(uuid(number)) !== undefined)).toEqual([
    true,
    false,
    false,
  ])
  expect(cloud.world.aggregates.size).toBe(0)
})

test.each<[LineRefusal['kind'], CloudLine[]]>([
  ['not-custom', [{ resource_class: { name: 'NO_SUCH' } }]],
  ['not-custom', [{ trait: { name: 'NO_SUCH' } }]],
  ['parent-missing', [provider(3, { parent_provider_uuid: uuid(4) }), provider(4)]],
  ['parent-missing', [provider(3, { parent_provider_uuid: uuid(3) })]],
  ['loop', [provider(1, { parent_provider_uuid: uuid(2) })]],
  ['loop', [provider(3, { parent_provider_uuid: uuid(2) }), provider(1, { parent_provider_uuid: uuid(3) })]],
  ['name-taken', [provider(3, { name: 'host-1' })]],
  ['name-taken', [provider(3), provider(4, { name: 'host-3' })]],
  ['class-missing', [provider(3, { inventories: { CUSTOM_NO: stock(1) } })]],
  ['class-missing', [consumer(2, { allocations: { [uuid(1)]: { resources: { CUSTOM_NO: 1 } } } })]],
  ['bad-capacity', [provider(3, { inventories: { VCPU: stock(1, { reserved: 2 }) } })]],
  ['inventory-in-use', [provider(1, { inventories: {} })]],
  ['inventory-in-use', [provider(3), use(3), provider(1, { inventories: {} })]],
  ['provider-missing', [use(9)]],
  ['no-inventory', [consumer(2, { allocations: { [uuid(1)]: { resources: { DISK_GB: 1 } } } })]],
  ['no-inventory', [provider(3, { inventories: {} }), use(3)]],
])('refused as %s (%#)', (kind, lines) => {
  const cloud = new SmallCloud()
  taken(cloud, provider(1), provider(2, { parent_provider_uuid: uuid(1) }), consumer(1))
  expect(refusalOf(cloud, ...lines)?.kind).toBe(kind)
})

function use(number: number): CloudLine {
  return consumer(2, { allocations: { [uuid(number)]: { resources: { VCPU: 1 } } } })
}

test('a name that an earlier line gave up is free, and a holding that it moved away is', () => {
  const cloud = new SmallCloud()
  taken(cloud, provider(1), provider(2), consumer(1))
  const moved = consumer(1, { allocations: { [uuid(2)]: { resources: { VCPU: 2 } } } })
  const { stopped, counts } = taken(
    cloud,
    moved,
    provider(1, { name: 'older', inventories: {} }),
    provider(3, { name: 'host-1' }),
  )
  expect(stopped).toBeNull()
  expect(counts.providers).toEqual({ created: 1, updated: 1, unchanged: 0, removed: 0 })
})

/** The same with exact generations, as for a mirror. */
function mirrored(cloud: SmallCloud, ...lines: CloudLine[]): Imported {
  const decision = importLines(cloud.world, { lines, exactGenerations: true }, 9)
  if (!decision.ok) throw new Error('an import is never refused as a whole')
  cloud.world.apply(decision.change)
  expect(checkWorld(cloud.world)).toEqual({ items: [], count: 0 })
  return decision.answer
}

test('with exact generations, providers and consumers have those of their lines, up or down', () => {
  const cloud = new SmallCloud()
  mirrored(cloud, provider(1), consumer(1))
  const { counts } = mirrored(cloud, provider(1, { generation: 3 }), consumer(1, { generation: 2 }))
  expect(counts.providers).toEqual({ created: 0, updated: 1, unchanged: 0, removed: 0 })
  const { world } = cloud
  expect(world.providers.generation[world.providers.find(uuid(1))!]).toBe(3)
  expect(world.consumers.row(world.consumers.find(uuid(101))!).generation).toBe(2)
  expect(mirrored(cloud, provider(1, { generation: 3 })).counts.providers.unchanged).toBe(1)
})

test('removed are consumers, then providers, children first; what is gone already is left alone', () => {
  const cloud = new SmallCloud()
  taken(cloud, provider(1), provider(2, { parent_provider_uuid: uuid(1) }), consumer(1))
  const remove = (number: number): CloudLine => ({ remove_provider: { uuid: uuid(number) } })
  expect(refusalOf(cloud, remove(1))).toEqual({ kind: 'has-children', uuid: uuid(1) })
  const used = { kind: 'still-used', uuid: uuid(1), class: 'VCPU', used: 2 }
  expect(taken(cloud, remove(2), remove(1))).toMatchObject({ stopped: { at: 1, refusal: used } })
  const last = taken(cloud, { remove_consumer: { uuid: uuid(101) } }, remove(1), remove(9))
  expect(last.counts.consumers.removed).toBe(1)
  expect(last.counts.providers).toEqual({ created: 0, updated: 0, unchanged: 1, removed: 1 })
  expect([cloud.world.providers.size, cloud.world.consumers.find(uuid(101))]).toEqual([0, undefined])
})

test('the name of a removed provider is free for the next line', () => {
  const cloud = new SmallCloud()
  taken(cloud, provider(1))
  const { stopped } = taken(cloud, { remove_provider: { uuid: uuid(1) } }, provider(2, { name: 'host-1' }))
  expect(stopped).toBeNull()
})

test('a consumer without allocations is kept with its generation', () => {
  const cloud = new SmallCloud()
  taken(cloud, provider(1), consumer(1, { allocations: {} }))
  const { consumers } = cloud.world
  expect(consumers.row(consumers.find(uuid(101))!).generation).toBe(5)
})
