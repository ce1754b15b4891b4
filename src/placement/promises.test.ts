/** What clients rely on, one example for each. The same rules under random histories: rules.property.test.ts. */

import { describe, expect, test } from 'vitest'
import { SmallCloud } from '../../test/small-cloud.ts'
import { AMOUNT_MAX } from '../kernel/number-bounds.ts'
import type { ConsumerClaim } from './allocations/ledger.ts'
import type { InventoryRecord } from './inventories/inventories.ts'
import { type PlacementRules, placementRules } from './rules.ts'

type Kind = keyof PlacementRules
type Body<K extends Kind> = Parameters<PlacementRules[K]>[1]
type DecisionOf<K extends Kind> = ReturnType<PlacementRules[K]>

const ample = { reserved: 0, minUnit: 1, maxUnit: AMOUNT_MAX, stepSize: 1, allocationRatio: 1 }
const record = (had: Partial<InventoryRecord> & { total: number }): InventoryRecord => ({ ...ample, ...had })

type Resources = Readonly<Record<string, number>>
type Stock = Readonly<Record<string, number | (Partial<InventoryRecord> & { total: number })>>

/** A cloud whose commands may be refused. */
class Cloud extends SmallCloud {
  /** What the rule decides, without applying it. */
  decide<K extends Kind>(kind: K, body: Body<K>): DecisionOf<K> {
    const rule = placementRules[kind] as unknown as (
      world: unknown,
      body: Body<K>,
      nowMs: number,
    ) => DecisionOf<K>
    return rule(this.world, body, 1)
  }

  /** Applies the command if the rule accepts it. */
  take<K extends Kind>(kind: K, body: Body<K>): DecisionOf<K> {
    const decision = this.decide(kind, body)
    if (decision.ok) this.world.apply(decision.change)
    return decision
  }

  generation(name: string): number {
    return this.world.providers.generation[this.slot(name)] as number
  }

  slot(name: string) {
    const slot = this.world.providers.find(this.uuid(name))
    if (slot === undefined) throw new Error(`no provider ${name}`)
    return slot
  }

  used(name: string, unit: string): number {
    return this.world.inventories.used(this.slot(name), this.world.classes.id(unit) as never)
  }

  consumer(name: string) {
    const slot = this.world.consumers.find(this.uuid(name))
    return slot === undefined ? undefined : this.world.consumers.row(slot)
  }

  /** A claim by a client that has just read the consumer. */
  wish(name: string, from: Readonly<Record<string, Resources>>, more: Partial<ConsumerClaim> = {}) {
    const allocations = Object.entries(from).map(([provider, resources]) => ({
      provider: this.uuid(provider),
      resources: Object.entries(resources),
    }))
    const generation = this.consumer(name)?.generation ?? null
    const who = { consumer: this.uuid(name), projectId: 'project', userId: 'user', type: undefined }
    return { ...who, generation, allocations, ...more }
  }

  write(...claims: ConsumerClaim[]) {
    return this.take('placement:replace-allocations', { claims })
  }

  /** New inventories for a provider, in the form of PUT and the reshaper. */
  stock(name: string, stock: Stock, generation = this.generation(name)) {
    const inventories = Object.entries(stock).map(
      ([unit, had]) => [unit, record(typeof had === 'number' ? { total: had } : had)] as const,
    )
    return { provider: this.uuid(name), generation, inventories }
  }

  put(name: string, stock: Stock, generation?: number) {
    return this.take('placement:replace-inventories', {
      ...this.stock(name, stock, generation),
      mayBeFullyReserved: true,
    })
  }

  move(name: string, parent: string | null, mayReparent = true) {
    const provider = this.uuid(name)
    return this.take('placement:update-provider', {
      provider,
      name,
      parent: parent === null ? null : this.uuid(parent),
      mayReparent,
    })
  }

  root(name: string): string {
    return this.name(this.world.providers.rootOf(this.slot(name)))
  }

  rows(): unknown {
    const tables = ['resource_providers', 'inventories', 'consumers', 'allocations'] as const
    return tables.map(table => [...this.world.rows(table)])
  }
}

const refused = (refusal: object) => ({ ok: false, refusal: expect.objectContaining(refusal) })
const accepted = expect.objectContaining({ ok: true })

const oneHost = () => new Cloud().add('host', { has: { VCPU: 8, MEMORY_MB: 64 } })
const twoHosts = () => oneHost().add('other', { has: { VCPU: 8, MEMORY_MB: 64 } })

describe('generations of providers', () => {
  test('an inventory write that saw an older generation is refused with both numbers', () => {
    const cloud = oneHost()
    cloud.put('host', { VCPU: 16 })
    expect(cloud.put('host', { VCPU: 4 }, 1)).toEqual(
      refused({ kind: 'generation-conflict', actual: 2, given: 1 }),
    )
  })

  test('of two writers that saw the same generation, the second is refused', () => {
    const cloud = oneHost()
    const seen = cloud.generation('host')
    expect(cloud.put('host', { VCPU: 4 }, seen)).toEqual(accepted)
    expect(cloud.put('host', { VCPU: 6 }, seen)).toEqual(refused({ kind: 'generation-conflict' }))
  })

  type Write = (cloud: Cloud) => unknown
  const put = <K extends Kind>(kind: K, body: Omit<Body<K>, 'provider'>): Write => {
    return cloud => cloud.take(kind, { ...body, provider: cloud.uuid('host') } as never)
  }
  const disk = { class: 'DISK_GB', record: record({ total: 1 }), mayBeFullyReserved: true }
  const sharing = ['MISC_SHARES_VIA_AGGREGATE']
  const rack = [new Cloud().uuid('rack')]
  const writes: readonly (readonly [what: string, by: number, write: Write])[] = [
    ['a rename', 0, put('placement:update-provider', { name: 'new', parent: undefined, mayReparent: true })],
    ['a new parent', 0, cloud => cloud.move('host', 'other')],
    ['an inventory more', 1, put('placement:add-inventory', disk)],
    ['inventories as they were', 1, cloud => cloud.put('host', { VCPU: 8, MEMORY_MB: 64 })],
    ['an inventory deleted', 1, put('placement:delete-inventory', { class: 'VCPU' })],
    ['traits that change', 1, put('placement:set-provider-traits', { generation: 1, traits: sharing })],
    ['traits as they were', 0, put('placement:set-provider-traits', { generation: 1, traits: [] })],
    ['aggregates as they were', 1, put('placement:set-aggregates', { generation: 1, aggregates: [] })],
    [
      'aggregates by an old client',
      0,
      put('placement:set-aggregates', { generation: null, aggregates: rack }),
    ],
    ['a claim', 1, cloud => cloud.write(cloud.wish('vm', { host: { VCPU: 1, MEMORY_MB: 1 } }))],
    [
      'a write of two claims',
      1,
      cloud => cloud.write(...['vm', 'vm2'].map(vm => cloud.wish(vm, { host: { VCPU: 1 } }))),
    ],
  ]
  test.each(writes)('%s adds %i', (_, by, write) => {
    const cloud = twoHosts()
    expect(write(cloud)).toEqual(accepted)
    expect(cloud.generation('host')).toBe(1 + by)
  })

  test('deleting all inventories adds one, also when there are none left', () => {
    const cloud = oneHost()
    cloud.put('host', {})
    cloud.put('host', {})
    expect(cloud.generation('host')).toBe(3)
  })

  test('a move raises the provider it goes to, not the one it leaves', () => {
    const cloud = twoHosts().claim('vm', { host: { VCPU: 2 } })
    cloud.write(cloud.wish('vm', { other: { VCPU: 2 } }))
    expect([cloud.generation('host'), cloud.generation('other')]).toEqual([2, 2])
  })

  test('an empty write raises every provider of what it gives up; a delete raises none', () => {
    const cloud = twoHosts().claim('vm', { host: { VCPU: 2 }, other: { VCPU: 1 } })
    cloud.write(cloud.wish('vm', {}))
    expect([cloud.generation('host'), cloud.generation('other')]).toEqual([3, 3])
    cloud.claim('vm', { host: { VCPU: 2 } })
    cloud.take('placement:delete-allocations', { consumer: cloud.uuid('vm') })
    expect(cloud.generation('host')).toBe(4)
  })
})

describe('generations of consumers', () => {
  test('the first write makes generation 1, each further one adds one', () => {
    const cloud = oneHost()
    for (const generation of [1, 2, 3]) {
      cloud.write(cloud.wish('vm', { host: { VCPU: generation } }))
      expect(cloud.consumer('vm')?.generation).toBe(generation)
    }
  })

  test('null means there is none yet, a number that there is one: else both are refused', () => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 1 } })
    const conflict = (name: string, given: number | null) =>
      cloud.write(cloud.wish(name, { host: { VCPU: 1 } }, { generation: given }))
    expect(conflict('vm', null)).toEqual(refused({ kind: 'consumer-generation', actual: 1, given: null }))
    expect(conflict('vm', 5)).toEqual(refused({ kind: 'consumer-generation', actual: 1, given: 5 }))
    expect(conflict('new', 0)).toEqual(refused({ kind: 'consumer-generation', actual: null, given: 0 }))
  })

  test('an old client gives none and is not checked', () => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 1 } })
    const claim = cloud.wish('vm', { host: { VCPU: 2 } }, { generation: undefined })
    expect(cloud.write(claim)).toEqual(accepted)
    expect(cloud.consumer('vm')?.generation).toBe(2)
  })

  test('one stale consumer refuses the whole write', () => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 1 } })
    const before = cloud.rows()
    const claims = [cloud.wish('new', { host: { VCPU: 1 } }), cloud.wish('vm', {}, { generation: 7 })]
    expect(cloud.write(...claims)).toEqual(refused({ kind: 'consumer-generation' }))
    expect(cloud.rows()).toEqual(before)
  })

  test('a write moves the consumer to another project and user; a type it does not give stays', () => {
    const cloud = oneHost()
    cloud.write(cloud.wish('vm', { host: { VCPU: 1 } }, { type: 'INSTANCE' }))
    cloud.write(cloud.wish('vm', { host: { VCPU: 1 } }, { projectId: 'p2', userId: 'u2' }))
    expect(cloud.consumer('vm')).toMatchObject({ project_id: 'p2', user_id: 'u2', consumer_type: 'INSTANCE' })
  })
})

describe('consumers come and go with what they hold', () => {
  test.each([
    ['an empty write', (cloud: Cloud) => cloud.write(cloud.wish('vm', {}))],
    [
      'a delete',
      (cloud: Cloud) => cloud.take('placement:delete-allocations', { consumer: cloud.uuid('vm') }),
    ],
  ])('%s forgets the consumer, and the next write needs null again', (_, leave) => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 1 } })
    expect(leave(cloud)).toEqual(accepted)
    expect(cloud.consumer('vm')).toBeUndefined()
    expect(cloud.used('host', 'VCPU')).toBe(0)
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: 1 } }, { generation: 1 }))).toEqual(
      refused({ kind: 'consumer-generation', actual: null }),
    )
    cloud.write(cloud.wish('vm', { host: { VCPU: 1 } }, { generation: null }))
    expect(cloud.consumer('vm')?.generation).toBe(1)
  })

  test.each([
    ['too much', { host: { VCPU: 9 } }, 'over-capacity'],
    ['an unknown provider', { nowhere: { VCPU: 1 } }, 'claimed-provider-missing'],
    ['an unknown class', { host: { CUSTOM_NO: 1 } }, 'class-missing'],
    ['a class without inventory', { host: { DISK_GB: 1 } }, 'no-inventory'],
  ])('a first write that fails for %s leaves no consumer', (_, from, kind) => {
    const cloud = oneHost()
    expect(cloud.write(cloud.wish('vm', from as never))).toEqual(refused({ kind }))
    expect(cloud.consumer('vm')).toBeUndefined()
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: 1 } }, { generation: null }))).toEqual(accepted)
  })

  test('an empty write for an unknown consumer is accepted and creates none', () => {
    const cloud = oneHost()
    const before = cloud.rows()
    expect(cloud.write(cloud.wish('vm', {}))).toEqual(accepted)
    expect(cloud.rows()).toEqual(before)
  })

  test('deleting the allocations of a consumer without any is refused', () => {
    const cloud = oneHost()
    const consumer = cloud.uuid('vm')
    expect(cloud.take('placement:delete-allocations', { consumer })).toEqual(
      refused({ kind: 'no-allocations', consumer }),
    )
  })
})

describe('capacity', () => {
  test('is total less reserved times ratio, with its fraction', () => {
    const cloud = new Cloud().add('host', { has: { VCPU: { total: 4, reserved: 1, allocationRatio: 1.5 } } })
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: 5 } }))).toEqual(
      refused({ kind: 'over-capacity', class: 'VCPU', amount: 5, used: 0, capacity: 4.5 }),
    )
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: 4 } }))).toEqual(accepted)
  })

  test('counts what a consumer held as free for its next claim', () => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 8 } })
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: 8 } }))).toEqual(accepted)
  })

  test('is judged over all consumers of one write together', () => {
    const cloud = oneHost()
    const before = cloud.rows()
    const claims = [cloud.wish('vm', { host: { VCPU: 5 } }), cloud.wish('vm2', { host: { VCPU: 5 } })]
    expect(cloud.write(...claims)).toEqual(
      refused({ kind: 'over-capacity', amount: 5, used: 5, capacity: 8 }),
    )
    expect(cloud.rows()).toEqual(before)
  })

  test('lets one consumer take, in one write, what another gives up in it', () => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 8 } })
    const claims = [cloud.wish('vm2', { host: { VCPU: 8 } }), cloud.wish('vm', {})]
    expect(cloud.write(...claims)).toEqual(accepted)
    expect([cloud.consumer('vm'), cloud.consumer('vm2')?.generation]).toEqual([undefined, 1])
  })

  test.each([1, 9, 5])('an amount of %i breaks the units 2 to 8 by 2, whatever is free', amount => {
    const units = { minUnit: 2, maxUnit: 8, stepSize: 2 }
    const cloud = new Cloud().add('host', { has: { VCPU: { total: 64, ...units } } })
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: amount } }))).toEqual(
      refused({ kind: 'units-violated', amount, ...units }),
    )
  })

  test('of 64 claims in one batch for the last unit, exactly one is accepted', () => {
    const cloud = new Cloud().add('host', { has: { VCPU: 1 } })
    const decisions = Array.from({ length: 64 }, (_, at) =>
      cloud.write(cloud.wish(`vm ${at}`, { host: { VCPU: 1 } })),
    )
    expect(decisions.filter(({ ok }) => ok)).toHaveLength(1)
    expect(cloud.used('host', 'VCPU')).toBe(1)
    expect(cloud.world.consumers.size).toBe(1)
  })
})

describe('an inventory without room', () => {
  const put = (had: Partial<InventoryRecord>, mayBeFullyReserved: boolean) => {
    const cloud = oneHost()
    const stock = cloud.stock('host', { VCPU: { total: 4, ...had } })
    return cloud.take('placement:replace-inventories', { ...stock, mayBeFullyReserved })
  }

  test('that is wholly reserved is accepted from new clients and refused to old ones', () => {
    expect(put({ reserved: 4 }, true)).toEqual(accepted)
    expect(put({ reserved: 4 }, false)).toEqual(refused({ kind: 'bad-capacity', class: 'VCPU' }))
  })

  test('is judged by the whole number that is shown of its capacity', () => {
    expect(put({ reserved: 3, allocationRatio: 0.5 }, false)).toEqual(refused({ kind: 'bad-capacity' }))
    expect(put({ reserved: 5, allocationRatio: 0.5 }, true)).toEqual(accepted)
    expect(put({ reserved: 5 }, true)).toEqual(refused({ kind: 'bad-capacity' }))
  })
})

describe('an inventory shrunk below its use', () => {
  const shrunk = () => {
    const cloud = oneHost()
      .claim('vm', { host: { VCPU: 4 } })
      .claim('vm2', { host: { VCPU: 4 } })
    expect(cloud.put('host', { VCPU: 2, MEMORY_MB: 64 })).toEqual(accepted)
    return cloud
  }

  test('keeps what is used', () => {
    expect(shrunk().used('host', 'VCPU')).toBe(8)
  })

  test('takes a write that does not worsen it', () => {
    const cloud = shrunk()
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: 4 } }))).toEqual(accepted)
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: 3 } }))).toEqual(accepted)
    expect(cloud.used('host', 'VCPU')).toBe(7)
  })

  test('refuses one that does, by as little as one unit, and every newcomer', () => {
    const cloud = shrunk()
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: 5 } }))).toEqual(
      refused({ kind: 'over-capacity', amount: 5, used: 4, capacity: 2 }),
    )
    expect(cloud.write(cloud.wish('new', { host: { VCPU: 1 } }))).toEqual(
      refused({ kind: 'over-capacity', amount: 1, used: 8, capacity: 2 }),
    )
  })

  test('lets consumers trade among themselves as long as the sum does not rise', () => {
    const cloud = shrunk()
    const trade = (one: number, two: number) =>
      cloud.write(cloud.wish('vm', { host: { VCPU: one } }), cloud.wish('vm2', { host: { VCPU: two } }))
    expect(trade(6, 3)).toEqual(refused({ kind: 'over-capacity' }))
    expect(trade(6, 2)).toEqual(accepted)
  })
})

describe('what is in use stays', () => {
  test('a refusal lists the classes in use by class id, however they were stocked and claimed', () => {
    const cloud = new Cloud().add('host', { has: { CUSTOM_GPU: 4, DISK_GB: 4, VGPU: 4, VCPU: 4 } })
    cloud.claim('vm', { host: { CUSTOM_GPU: 1, DISK_GB: 1, VCPU: 1 } })
    const classes = ['VCPU', 'DISK_GB', 'CUSTOM_GPU']
    expect(cloud.put('host', {})).toEqual(refused({ kind: 'inventory-in-use', classes }))
    expect(cloud.take('placement:reshape', { inventories: [cloud.stock('host', {})], claims: [] })).toEqual(
      refused({ kind: 'reshape-inventory-in-use', classes, provider: cloud.uuid('host') }),
    )
  })

  test('one inventory in use cannot be deleted, one beside it can', () => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 1 } })
    const remove = (unit: string) =>
      cloud.take('placement:delete-inventory', { provider: cloud.uuid('host'), class: unit })
    expect(remove('VCPU')).toEqual(refused({ kind: 'inventory-in-use', classes: ['VCPU'] }))
    expect(remove('MEMORY_MB')).toEqual(accepted)
  })

  test('a provider with allocations stays, and says how many consumers there are; so does one with children', () => {
    const cloud = oneHost()
      .claim('vm', { host: { VCPU: 1, MEMORY_MB: 1 } })
      .claim('vm2', { host: { VCPU: 1 } })
    cloud.add('parent', {}).add('child', { parent: 'parent' })
    const remove = (name: string) => cloud.take('placement:delete-provider', { provider: cloud.uuid(name) })
    expect(remove('host')).toEqual(refused({ kind: 'has-allocations', consumers: 2 }))
    expect(remove('parent')).toEqual(refused({ kind: 'has-children' }))
  })

  test('a class that has an inventory and a trait that a provider has cannot be deleted', () => {
    const cloud = new Cloud().add('host', { has: { CUSTOM_GPU: 1 }, traits: ['CUSTOM_FAST'] })
    expect(cloud.take('placement:delete-class', { name: 'CUSTOM_GPU' })).toEqual(
      refused({ kind: 'class-in-use' }),
    )
    expect(cloud.take('placement:delete-trait', { name: 'CUSTOM_FAST' })).toEqual(
      refused({ kind: 'trait-in-use' }),
    )
  })
})

describe('trees', () => {
  const forest = () =>
    new Cloud()
      .add('a', {})
      .add('b', { parent: 'a' })
      .add('c', { parent: 'b' })
      .add('d', { parent: 'c' })
      .add('z', {})
  const roots = (cloud: Cloud) => ['a', 'b', 'c', 'd', 'z'].map(name => cloud.root(name)).join('')

  test('moving a provider moves the root of everything below it', () => {
    const cloud = forest()
    expect(roots(cloud)).toBe('aaaaz')
    cloud.move('b', 'z')
    expect(roots(cloud)).toBe('azzzz')
    cloud.move('c', null)
    expect(roots(cloud)).toBe('azccz')
    cloud.move('z', 'd')
    expect(roots(cloud)).toBe('acccc')
  })

  test.each(['b', 'c', 'd'])('b cannot hang below %s: that would be a loop', parent => {
    const cloud = forest()
    expect(cloud.move('b', parent)).toEqual(refused({ kind: 'loop' }))
    expect(roots(cloud)).toBe('aaaaz')
  })

  test('a first parent may always be given; to change or clear it takes the right to', () => {
    const cloud = forest()
    expect(cloud.move('b', 'z', false)).toEqual(refused({ kind: 'reparenting-not-allowed' }))
    expect(cloud.move('b', null, false)).toEqual(refused({ kind: 'unparenting-not-allowed' }))
    expect(cloud.move('b', 'a', false)).toEqual(accepted)
    expect(cloud.move('z', 'd', false)).toEqual(accepted)
  })
})

describe('a slot that is taken again', () => {
  test('gives the new provider nothing of the old one', () => {
    const cloud = new Cloud().add('parent', {
      aggregates: ['rack'],
      traits: ['CUSTOM_FAST'],
      has: { VGPU: 1 },
    })
    cloud.add('old', {
      parent: 'parent',
      has: { VCPU: 8, CUSTOM_GPU: 2 },
      traits: ['CUSTOM_FAST'],
      aggregates: ['rack'],
    })
    cloud.claim('vm', { old: { VCPU: 8, CUSTOM_GPU: 1 } })
    const slot = cloud.slot('old')
    cloud.take('placement:delete-allocations', { consumer: cloud.uuid('vm') })
    expect(cloud.take('placement:delete-provider', { provider: cloud.uuid('old') })).toEqual(accepted)
    cloud.take('placement:create-provider', { uuid: cloud.uuid('new'), name: 'new', parent: null })
    const { world } = cloud
    expect(cloud.slot('new')).toBe(slot)
    expect([cloud.generation('new'), cloud.root('new')]).toEqual([0, 'new'])
    expect(world.providers.listSubtree(cloud.slot('parent'))).toEqual([cloud.slot('parent')])
    expect(world.inventories.listClasses(slot)).toEqual([])
    expect([world.providerTraits.list(slot), world.providerAggregates.list(slot)]).toEqual([[], []])
    expect([cloud.used('new', 'VCPU'), cloud.used('new', 'CUSTOM_GPU')]).toEqual([0, 0])
    cloud.put('new', { VCPU: 8 })
    expect(cloud.write(cloud.wish('vm', { new: { VCPU: 8 } }))).toEqual(accepted)
  })

  test('gives the new consumer nothing of the old one', () => {
    const cloud = oneHost()
    cloud.write(cloud.wish('old', { host: { VCPU: 3, MEMORY_MB: 7 } }, { type: 'INSTANCE', projectId: 'p1' }))
    const slot = cloud.world.consumers.find(cloud.uuid('old'))
    cloud.take('placement:delete-allocations', { consumer: cloud.uuid('old') })
    cloud.write(cloud.wish('new', { host: { VCPU: 1 } }))
    expect(cloud.world.consumers.find(cloud.uuid('new'))).toBe(slot)
    expect(cloud.consumer('new')).toMatchObject({ generation: 1, consumer_type: null, project_id: 'project' })
    expect([cloud.used('host', 'VCPU'), cloud.used('host', 'MEMORY_MB')]).toEqual([1, 0])
    expect([...cloud.world.consumers.ofProject('p1')]).toEqual([])
  })
})

describe('the reshaper', () => {
  test('adds 3 where it writes inventories and allocations, 2 for inventories alone, 1 for allocations alone', () => {
    const cloud = twoHosts().add('third', { has: { VCPU: 8 } })
    const inventories = [cloud.stock('host', { VCPU: 4 }), cloud.stock('other', { VCPU: 4 })]
    const claims = [cloud.wish('vm', { host: { VCPU: 1 }, third: { VCPU: 1 } })]
    expect(cloud.take('placement:reshape', { inventories, claims })).toEqual(accepted)
    expect(['host', 'other', 'third'].map(name => cloud.generation(name))).toEqual([1 + 3, 1 + 2, 1 + 1])
  })

  test('adds one less where it takes all inventories away', () => {
    const cloud = twoHosts().claim('vm', { host: { VCPU: 1 } })
    const inventories = [cloud.stock('host', {}), cloud.stock('other', {})]
    expect(cloud.take('placement:reshape', { inventories, claims: [cloud.wish('vm', {})] })).toEqual(accepted)
    expect(['host', 'other'].map(name => cloud.generation(name))).toEqual([2 + 2, 1 + 1])
  })

  test('moves an inventory and what is held of it to another provider in one step', () => {
    const cloud = oneHost()
      .add('numa', { parent: 'host' })
      .claim('vm', { host: { VCPU: 8, MEMORY_MB: 4 } })
    const inventories = [cloud.stock('host', { MEMORY_MB: 64 }), cloud.stock('numa', { VCPU: 8 })]
    const claims = [cloud.wish('vm', { host: { MEMORY_MB: 4 }, numa: { VCPU: 8 } })]
    expect(cloud.take('placement:reshape', { inventories, claims })).toEqual(accepted)
    expect([cloud.used('host', 'VCPU'), cloud.used('numa', 'VCPU')]).toEqual([0, 8])
    expect(cloud.consumer('vm')?.generation).toBe(2)
  })

  test('that forgets one consumer of what it takes away changes nothing', () => {
    const cloud = oneHost().add('numa', { parent: 'host' })
    cloud.claim('vm', { host: { VCPU: 2 } }).claim('vm2', { host: { VCPU: 2 } })
    const before = cloud.rows()
    const inventories = [cloud.stock('host', { MEMORY_MB: 64 }), cloud.stock('numa', { VCPU: 8 })]
    const claims = [cloud.wish('vm', { numa: { VCPU: 2 } })]
    expect(cloud.take('placement:reshape', { inventories, claims })).toEqual(
      refused({ kind: 'reshape-inventory-in-use', classes: ['VCPU'] }),
    )
    expect(cloud.rows()).toEqual(before)
  })

  test('holds new allocations to the capacity and units that are to come', () => {
    const cloud = oneHost()
    const reshape = (stock: Stock, amount: number) =>
      cloud.take('placement:reshape', {
        inventories: [cloud.stock('host', stock)],
        claims: [cloud.wish('vm', { host: { VCPU: amount } })],
      })
    expect(reshape({ VCPU: 2 }, 3)).toEqual(
      refused({ kind: 'over-capacity', amount: 3, used: 0, capacity: 2 }),
    )
    expect(reshape({ VCPU: { total: 8, maxUnit: 2 } }, 3)).toEqual(
      refused({ kind: 'units-violated', maxUnit: 2 }),
    )
    expect(reshape({ VCPU: 12 }, 12)).toEqual(accepted)
  })

  test('may leave a provider above capacity, as a shrink may, and lets its consumers keep what they hold', () => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 6 } })
    const reshape = (amount: number) =>
      cloud.take('placement:reshape', {
        inventories: [cloud.stock('host', { VCPU: 2 })],
        claims: [cloud.wish('vm', { host: { VCPU: amount } })],
      })
    expect(reshape(7)).toEqual(refused({ kind: 'over-capacity' }))
    expect(reshape(6)).toEqual(accepted)
    expect(
      cloud.take('placement:reshape', { inventories: [cloud.stock('host', { VCPU: 1 })], claims: [] }),
    ).toEqual(accepted)
  })

  test('does not ask whether an inventory makes sense: more reserved than there is, which PUT refuses', () => {
    const cloud = oneHost()
    const nonsense = { VCPU: { total: 1, reserved: 5 } }
    expect(cloud.put('host', nonsense)).toEqual(refused({ kind: 'bad-capacity', class: 'VCPU' }))
    const inventories = [cloud.stock('host', nonsense)]
    expect(cloud.take('placement:reshape', { inventories, claims: [] })).toEqual(accepted)
    expect(cloud.write(cloud.wish('vm', { host: { VCPU: 1 } }))).toEqual(
      refused({ kind: 'over-capacity', capacity: -4 }),
    )
  })
})

describe('of several faults, the first of these is reported', () => {
  test('of a claim: consumer generation, provider, class, inventory of any, then units or capacity line by line', () => {
    const cloud = new Cloud().add('host', { has: { VCPU: { total: 8, maxUnit: 2 } } }).add('bare', {})
    const stale = cloud.wish('stale', { host: { VCPU: 1 } }, { generation: 3 })
    const lost = cloud.wish('lost', { nowhere: { VCPU: 1 } })
    const unknown = cloud.wish('unknown', { host: { CUSTOM_NO: 1 } })
    const bare = cloud.wish('bare', { bare: { VCPU: 1 } })
    const big = cloud.wish('big', { host: { VCPU: 9 } })
    const wrong = [big, bare, unknown, lost, stale]
    const kinds = wrong.map((_, at) => {
      const decision = cloud.decide('placement:replace-allocations', {
        claims: wrong.slice(0, wrong.length - at),
      })
      return decision.ok ? 'ok' : decision.refusal.kind
    })
    expect(kinds).toEqual([
      'consumer-generation',
      'claimed-provider-missing',
      'class-missing',
      'no-inventory',
      'units-violated',
    ])
  })

  test('of a reshape: its providers in turn, the claimants, its classes, the claims, then what is still in use', () => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 1 } })
    const unknownClass = cloud.stock('host', { CUSTOM_NO: 1 })
    const lost = cloud.wish('lost', { nowhere: { VCPU: 1 } })
    const stale = cloud.wish('vm', { host: { VCPU: 1 } }, { generation: 7 })
    const tooMuch = cloud.wish('big', { host: { VCPU: 99 } })
    const nowhere = { provider: cloud.uuid('nowhere'), generation: 0, inventories: [] }
    const reshape = (inventories: Body<'placement:reshape'>['inventories'], claims: ConsumerClaim[]) => {
      const decision = cloud.decide('placement:reshape', { inventories, claims })
      return decision.ok ? 'ok' : decision.refusal.kind
    }
    expect(reshape([cloud.stock('host', {}, 9), nowhere], [stale])).toBe('reshape-generation-conflict')
    expect(reshape([nowhere, cloud.stock('host', {}, 9)], [stale])).toBe('reshaped-provider-missing')
    expect(reshape([unknownClass], [tooMuch, lost, stale])).toBe('consumer-generation')
    expect(reshape([unknownClass], [tooMuch, lost])).toBe('claimed-provider-missing')
    expect(reshape([unknownClass], [tooMuch])).toBe('class-missing')
    expect(reshape([cloud.stock('host', {})], [tooMuch])).toBe('over-capacity')
    expect(reshape([cloud.stock('host', {})], [])).toBe('reshape-inventory-in-use')
  })

  test('of an inventory: provider, generation, capacity, class, then what is in use', () => {
    const cloud = oneHost().claim('vm', { host: { VCPU: 1 } })
    const kind = (stock: Stock, generation?: number) => {
      const decision = cloud.put('host', stock, generation)
      return decision.ok ? 'ok' : decision.refusal.kind
    }
    expect(kind({ CUSTOM_NO: { total: 1, reserved: 2 } }, 9)).toBe('generation-conflict')
    expect(kind({ CUSTOM_NO: 1, MEMORY_MB: { total: 1, reserved: 2 } })).toBe('bad-capacity')
    expect(kind({ CUSTOM_NO: 1 })).toBe('class-missing')
    expect(kind({})).toBe('inventory-in-use')
  })
})
