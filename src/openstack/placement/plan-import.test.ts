import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SmallCloud } from '../../../test/small-cloud.ts'
import { importLines } from '../../placement/transfer/import.ts'
import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import { checkWorld } from '../../server/check-world.ts'
import { compareLedgers } from './compare.ts'
import { type Ledger, orderByParents } from './ledger.ts'
import { planImport } from './plan-import.ts'
import { readExport } from './read-export.ts'
import { uuidOf } from './small-placement.fixture.ts'
import { keepTakable } from './takable.ts'

const CLASSES = ['VCPU', 'MEMORY_MB', 'CUSTOM_GOLD']

const makeProvider = (number: number, more: Partial<ProviderFields> = {}): ProviderFields => ({
  uuid: uuidOf(number),
  name: `host-${number}`,
  generation: 1,
  parent_provider_uuid: null,
  inventories: {},
  traits: [],
  aggregates: [],
  ...more,
})

const stock = (total: number) => ({
  total,
  reserved: 0,
  min_unit: 1,
  max_unit: total,
  step_size: 1,
  allocation_ratio: 1,
})

const makeLedger = (
  providers: readonly ProviderFields[],
  consumers: readonly ConsumerFields[] = [],
): Ledger => ({
  classes: new Set(CLASSES),
  traits: new Set(['CUSTOM_FAST', 'CUSTOM_SLOW']),
  providers: orderByParents(providers).ordered,
  consumers: new Map(consumers.map(one => [one.uuid, one])),
})

/** Any small ledger: parents have lower numbers, consumers hold only what is in stock. */
const anyLedger: fc.Arbitrary<Ledger> = fc
  .record({
    hosts: fc.uniqueArray(
      fc.record({
        number: fc.integer({ min: 1, max: 6 }),
        name: fc.integer({ min: 0, max: 1 }),
        parent: fc.integer({ min: 0, max: 5 }),
        generation: fc.integer({ min: 0, max: 9 }),
        classes: fc.subarray(CLASSES),
        traits: fc.subarray(['CUSTOM_FAST', 'CUSTOM_SLOW']),
        aggregates: fc.subarray([uuidOf(50), uuidOf(51)]),
      }),
      { selector: one => one.number },
    ),
    consumers: fc.uniqueArray(
      fc.record({
        number: fc.integer({ min: 101, max: 105 }),
        generation: fc.integer({ min: 1, max: 5 }),
        project: fc.constantFrom('p', 'q'),
        held: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 3 })), { maxLength: 3 }),
      }),
      { selector: one => one.number },
    ),
  })
  .map(({ hosts, consumers }) => {
    const numbers = new Set(hosts.map(({ number }) => number))
    const providers = hosts.map(({ number, name, parent, generation, classes, traits, aggregates }) =>
      makeProvider(number, {
        name: `host-${number}-${name}`,
        generation,
        parent_provider_uuid: parent < number && numbers.has(parent) ? uuidOf(parent) : null,
        inventories: Object.fromEntries(classes.map(one => [one, stock(8)])),
        traits,
        aggregates,
      }),
    )
    return makeLedger(
      providers,
      consumers.map(one => ({
        uuid: uuidOf(one.number),
        generation: one.generation,
        project_id: one.project,
        user_id: 'u',
        consumer_type: null,
        allocations: pickHoldings(providers, one.held),
      })),
    )
  })

function pickHoldings(
  providers: readonly ProviderFields[],
  held: readonly (readonly [number, number, number])[],
): ConsumerFields['allocations'] {
  const found: Record<string, { resources: Record<string, number> }> = {}
  for (const [host, name, used] of held) {
    const provider = providers[host % Math.max(1, providers.length)]
    const classes = Object.keys(provider?.inventories ?? {})
    if (provider === undefined || classes.length === 0) continue
    found[provider.uuid] ??= { resources: {} }
    found[provider.uuid]!.resources[classes[name % classes.length] as string] = used
  }
  return found
}

/** A cloud that knows the names, and takes plans as the server does: a command may hold each thing once. */
class Mirror {
  readonly cloud = new SmallCloud()
  ledger: Ledger = makeLedger([])

  constructor() {
    this.take([
      { resource_class: { name: 'CUSTOM_GOLD' } },
      { trait: { name: 'CUSTOM_FAST' } },
      { trait: { name: 'CUSTOM_SLOW' } },
    ])
  }

  take(lines: Parameters<typeof importLines>[1]['lines']): void {
    for (const line of lines) {
      const decision = importLines(this.cloud.world, { lines: [line], exactGenerations: true }, 9)
      if (!decision.ok) throw new Error('an import is never refused as a whole')
      expect(decision.answer.stopped, JSON.stringify(line)).toBeNull()
      this.cloud.world.apply(decision.change)
    }
    expect(checkWorld(this.cloud.world)).toEqual({ items: [], count: 0 })
  }

  read(): Ledger {
    const { world } = this.cloud
    const providers = [...world.providers.all()].map(slot => {
      const parent = world.providers.parentOf(slot)
      const classes = world.inventories.listClasses(slot)
      return makeProvider(0, {
        uuid: world.providers.uuid(slot),
        name: world.providers.name(slot),
        generation: world.providers.generation[slot] as number,
        parent_provider_uuid: parent < 0 ? null : world.providers.uuid(parent),
        inventories: Object.fromEntries(classes.map(id => [world.classes.name(id), stock(8)])),
        traits: [...world.providerTraits.list(slot)].map(id => world.traits.name(id)),
        aggregates: [...world.providerAggregates.list(slot)].map(id => world.aggregates.uuid(id)),
      })
    })
    const consumers = [...world.consumers.rows()].map(row => {
      const allocations: Record<string, { resources: Record<string, number> }> = {}
      for (const held of world.consumers.holdings(row.id as never)) {
        const uuid = world.providers.uuid(held.provider)
        allocations[uuid] ??= { resources: {} }
        allocations[uuid].resources[world.classes.name(held.class)] = held.used
      }
      const { uuid, generation, project_id, user_id, consumer_type } = row
      return { uuid, generation, project_id, user_id, consumer_type, allocations }
    })
    return makeLedger(providers, consumers)
  }
}

describe('a plan', () => {
  test('mirrors any ledger over any other, line by line, and then there is nothing left to do', () => {
    fc.assert(
      fc.property(fc.array(anyLedger, { minLength: 1, maxLength: 4 }), ledgers => {
        const mirror = new Mirror()
        for (const ledger of ledgers) {
          mirror.take(planImport(ledger, mirror.read(), { mirror: true }).lines)
          expect(compareLedgers(ledger, mirror.read())).toEqual([])
          expect(planImport(ledger, mirror.read(), { mirror: true }).lines).toEqual([])
        }
      }),
    )
  })

  test('swaps names, and takes one from a provider that is there for its children only', () => {
    const mirror = new Mirror()
    const named = (number: number, name: string, parent: number | null = null) =>
      makeProvider(number, { name, parent_provider_uuid: parent === null ? null : uuidOf(parent) })
    const steps = [
      [named(1, 'a'), named(2, 'b'), named(3, 'c')],
      [named(1, 'b'), named(2, 'c'), named(3, 'a')],
      [named(4, 'host'), named(5, 'child', 4)],
      [named(6, 'host'), named(5, 'child', 6)],
    ]
    for (const ledger of steps.map(providers => makeLedger(providers))) {
      mirror.take(planImport(ledger, mirror.read(), { mirror: true }).lines)
      expect(compareLedgers(ledger, mirror.read())).toEqual([])
    }
  })

  test('names standard traits to learn', () => {
    const odd = makeProvider(1, { traits: ['HW_FROM_NEXT_YEAR'] })
    const plan = planImport(makeLedger([odd]), makeLedger([]), { mirror: false })
    expect(plan.traitsToLearn).toEqual(['HW_FROM_NEXT_YEAR'])
  })
})

describe('what does not fit beside what is here is listed, and left out with what depends on it', () => {
  const holding = (provider: number, name: string): ConsumerFields => ({
    uuid: uuidOf(101),
    generation: 1,
    project_id: 'p',
    user_id: 'u',
    consumer_type: null,
    allocations: { [uuidOf(provider)]: { resources: { [name]: 1 } } },
  })

  test('a name that is taken, unless a mirror removes who has it', () => {
    const here = makeLedger([makeProvider(1, { name: 'cn1' })])
    const source = makeLedger(
      [
        makeProvider(2, { name: 'cn1', inventories: { VCPU: stock(8) } }),
        makeProvider(3, { parent_provider_uuid: uuidOf(2) }),
        makeProvider(4),
      ],
      [holding(2, 'VCPU')],
    )
    const { ledger, untakable } = keepTakable(source, here, { mirror: false })
    expect(untakable).toEqual([
      {
        what: `provider cn1 (${uuidOf(2)})`,
        reason: `Berth has another provider of that name, ${uuidOf(1)}; --mirror removes it`,
      },
      { what: `provider host-3 (${uuidOf(3)})`, reason: `its parent ${uuidOf(2)} cannot be taken` },
      {
        what: `allocation of VCPU of consumer ${uuidOf(101)}`,
        reason: `the inventory on provider ${uuidOf(2)} cannot be taken`,
      },
    ])
    expect([...ledger.providers.keys()]).toEqual([uuidOf(4)])
    expect(ledger.consumers.get(uuidOf(101))?.allocations).toEqual({})
    expect(keepTakable(source, here, { mirror: true })).toEqual({ ledger: source, untakable: [] })
  })

  test('a standard class that Berth does not know', () => {
    const odd = makeProvider(1, { inventories: { NEW_KIND: stock(1), VCPU: stock(1) } })
    const { ledger, untakable } = keepTakable(makeLedger([odd], [holding(1, 'NEW_KIND')]), makeLedger([]), {
      mirror: true,
    })
    expect(untakable.map(({ reason }) => reason)).toEqual([
      'Berth does not know the standard resource class NEW_KIND',
      `the inventory on provider ${uuidOf(1)} cannot be taken`,
    ])
    expect(ledger.providers.get(uuidOf(1))?.inventories).toEqual({ VCPU: stock(1) })
  })
})

test('an export is read without what belongs to shares, which no Placement has', async () => {
  async function* lines() {
    for (const number of [1, 2, 3]) yield { provider: makeProvider(number) }
    yield { consumer: { uuid: uuidOf(101) } }
    yield { consumer: { uuid: uuidOf(102) } }
    yield { table: 'share_backends', row: { backend: uuidOf(2) } }
    yield { table: 'share_pools', row: { backend: uuidOf(2), pool: uuidOf(3) } }
    yield { table: 'shares', row: { uuid: uuidOf(102) } }
  }
  const ledger = await readExport(lines(), { classes: ['VCPU', 'CUSTOM_SHARE_GB'], traits: [] })
  expect([...ledger.providers.keys()]).toEqual([uuidOf(1)])
  expect([...ledger.consumers.keys()]).toEqual([uuidOf(101)])
  expect([...ledger.classes]).toEqual(['VCPU'])
})

describe('a comparison', () => {
  test('takes ratios as equal that Placement keeps in single precision', () => {
    const ratio = (allocation_ratio: number) =>
      makeLedger([makeProvider(1, { inventories: { VCPU: { ...stock(1), allocation_ratio } } })])
    expect(compareLedgers(ratio(1.2), ratio(Math.fround(1.2)))).toEqual([])
    expect(compareLedgers(ratio(1.2), ratio(1.3))).toHaveLength(1)
    // Six digits are all that Placement reads from MariaDB; an import takes over what it reads.
    expect(compareLedgers(ratio(4.85714), ratio(34 / 7))).toEqual([])
    expect(compareLedgers(ratio(4.85714), ratio(34 / 7), { ratioDigits: true })).toHaveLength(1)
    expect(planImport(ratio(4.85714), ratio(34 / 7), { mirror: false }).lines).toHaveLength(1)
  })

  test('tells what one side lacks once, and each field that differs', () => {
    const left = makeLedger([makeProvider(1), makeProvider(2, { generation: 3, traits: ['CUSTOM_FAST'] })])
    const right = makeLedger([makeProvider(2)])
    const found = compareLedgers(left, right).map(({ name, field, left, right }) => [
      name,
      field,
      left,
      right,
    ])
    expect(found).toEqual([
      ['host-1', 'exists', true, false],
      ['host-2', 'generation', 3, 1],
      ['host-2', 'traits', ['CUSTOM_FAST'], []],
    ])
  })
})
