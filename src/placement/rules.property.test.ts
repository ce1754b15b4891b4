/**
 * Random histories of commands, run by the rules and by the model in test/ledger-model.ts.
 * BERTH_PROPERTY_RUNS runs more of them from a random seed; by default every run is the same.
 */

import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Command,
  capacityOf,
  emptyModel,
  type Model,
  type ModelConsumer,
  type ModelProvider,
  nameOfClass,
  type Refusal,
  rootOf,
  step,
  usage,
} from '../../test/ledger-model.ts'
import { countRuns } from '../../test/property-runs.ts'
import type { ClassId, ConsumerSlot } from '../kernel/ids.ts'
import { AMOUNT_MAX } from '../kernel/number-bounds.ts'
import { decodeOp, type EncodedOp, encodeOps } from '../world/change.ts'
import type { Rule } from '../world/decision.ts'
import { makeRowKey, type Table } from '../world/table.ts'
import { mirroredTables, type Row } from '../world/tables.ts'
import { World } from '../world/world.ts'
import type { ConsumerClaim, ProviderClaim } from './allocations/ledger.ts'
import type { InventoryRecord } from './inventories/inventories.ts'
import { groupRules, placementRules } from './rules.ts'

// Few of everything, so that commands affect the same things.

const uuid = (kind: number, at: number) => `0000000${kind}-0000-4000-8000-00000000000${at}`
const PROVIDERS = [1, 2, 3, 4, 5].map(at => uuid(1, at))
const CONSUMERS = [1, 2, 3, 4].map(at => uuid(2, at))
const AGGREGATES = [1, 2, 3].map(at => uuid(3, at))
const CUSTOM_CLASSES = ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C']
const CLASSES = ['VCPU', 'MEMORY_MB', 'DISK_GB', ...CUSTOM_CLASSES]
const TRAITS = ['HW_FAST', 'HW_NEWER', 'CUSTOM_X', 'CUSTOM_Y']

const STANDARDS = { classes: CLASSES.slice(0, 3), traits: ['HW_FAST'] }
const NEWER_STANDARDS = { classes: [...STANDARDS.classes, 'PCPU'], traits: ['HW_FAST', 'HW_NEWER'] }

/** An intent becomes a command when its turn comes, because only then is the right generation known. */
type Intent = (model: Model) => Command

const intend = <T>(drawn: fc.Arbitrary<T>, command: (drawn: T, model: Model) => Command) =>
  drawn.map(
    (values): Intent =>
      model =>
        command(values, model),
  )

const oneOf = fc.constantFrom
const mostly = <T>(usual: T, ...rare: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 10, arbitrary: fc.constant(usual) }, { weight: rare.length, arbitrary: oneOf(...rare) })

type Aim = 'right' | 'behind' | 'ahead'
const aim = mostly<Aim>('right', 'behind', 'ahead')
const aimOrNone = mostly<Aim | null>('right', 'behind', 'ahead', null)

function aimed(model: Model, provider: string, aim: Aim): number {
  const actual = model.providers.get(provider)?.generation ?? 0
  return { right: actual, behind: actual - 1, ahead: actual + 1 }[aim]
}

/** Replaces a drawn provider that does not exist by one that does, except the last. */
function nearest(model: Model, provider: string): string {
  const known = [...model.providers.keys()]
  if (known.length === 0 || model.providers.has(provider) || provider === PROVIDERS.at(-1)) return provider
  return known[PROVIDERS.indexOf(provider) % known.length] as string
}

/** The same for a class that the provider has no inventory of. */
function nearestClass(model: Model, provider: string, name: string): string {
  const ids = [...(model.providers.get(provider)?.inventories.keys() ?? [])]
  const id = model.classes.get(name) ?? -1
  if (ids.length === 0 || ids.includes(id) || name === CLASSES.at(-1)) return name
  return nameOfClass(model, ids[CLASSES.indexOf(name) % ids.length] as number)
}

const onProvider = <T extends { provider: string }>(
  drawn: fc.Arbitrary<T>,
  command: (drawn: T, model: Model) => Command,
) =>
  intend(drawn, (values, model) => command({ ...values, provider: nearest(model, values.provider) }, model))

/** Any of them; the last one rarely. */
const likely = <T>(all: readonly T[], weight: number) =>
  oneOf(...Array<T[]>(weight).fill(all.slice(0, -1)).flat(), ...all)
const provider = likely(PROVIDERS, 8)
const className = likely(['VCPU', ...CLASSES], 5)
const customClass = oneOf(...CUSTOM_CLASSES)

// Names, trees and memberships.

const naming = fc.oneof(
  intend(customClass, name => ({ kind: 'placement:create-class', body: { name } })),
  intend(customClass, name => ({ kind: 'placement:ensure-class', body: { name } })),
  intend(className, name => ({ kind: 'placement:delete-class', body: { name } })),
  intend(fc.record({ name: className, newName: customClass }), body => ({
    kind: 'placement:rename-class',
    body,
  })),
  intend(oneOf('CUSTOM_X', 'CUSTOM_Y'), name => ({ kind: 'placement:ensure-trait', body: { name } })),
  intend(oneOf(...TRAITS), name => ({ kind: 'placement:delete-trait', body: { name } })),
  intend(fc.constant(NEWER_STANDARDS), body => ({ kind: 'placement:sync-standards', body })),
  intend(fc.constant({ traits: ['HW_TAUGHT', 'HW_CPU_X86_AVX'] }), body => ({
    kind: 'placement:learn-traits',
    body,
  })),
)

const name = oneOf('a', 'b', 'c', 'd', 'e', 'f', '')
const maybeParent = fc.oneof(provider, fc.constant(null), fc.constant(undefined))

const arranging = fc.oneof(
  intend(fc.record({ uuid: provider, name, parent: fc.option(provider) }), (drawn, model) => ({
    kind: 'placement:create-provider',
    body: { ...drawn, parent: drawn.parent && nearest(model, drawn.parent) },
  })),
  {
    weight: 2,
    arbitrary: onProvider(
      fc.record({ provider, name, parent: maybeParent, mayReparent: fc.boolean() }),
      (drawn, model) => ({
        kind: 'placement:update-provider',
        body: { ...drawn, parent: drawn.parent && nearest(model, drawn.parent) },
      }),
    ),
  },
  onProvider(fc.record({ provider }), body => ({ kind: 'placement:delete-provider', body })),
  onProvider(
    fc.record({ provider, aim: aimOrNone, traits: fc.subarray(TRAITS), unknown: mostly(false, true) }),
    ({ provider, aim, traits, unknown }, model) => ({
      kind: 'placement:set-provider-traits',
      body: {
        provider,
        generation: aim && aimed(model, provider, aim),
        traits: traits.filter(name => unknown || model.traits.has(name)),
      },
    }),
  ),
  onProvider(
    fc.record({ provider, aim: aimOrNone, aggregates: fc.shuffledSubarray(AGGREGATES) }),
    ({ aim, ...rest }, model) => ({
      kind: 'placement:set-aggregates',
      body: { ...rest, generation: aim && aimed(model, rest.provider, aim) },
    }),
  ),
)

// Inventories: some without capacity, some smaller than their usage.

const record: fc.Arbitrary<InventoryRecord> = fc.record({
  total: fc.integer({ min: 1, max: 10 }),
  reserved: mostly(0, 1, 2, 7),
  minUnit: mostly(1, 2),
  maxUnit: mostly(AMOUNT_MAX, 1, 4),
  stepSize: mostly(1, 2),
  allocationRatio: mostly(1, 0.3, 1.5, 4, 0, -1),
})
const inventories = fc.uniqueArray(fc.tuple(className, record), { selector: ([name]) => name, maxLength: 4 })
const mayBeFullyReserved = fc.boolean()
const oneInventory = { provider, class: className, record, mayBeFullyReserved }

const stocking = fc.oneof(
  onProvider(fc.record(oneInventory), body => ({ kind: 'placement:add-inventory', body })),
  onProvider(fc.record({ ...oneInventory, aim }), ({ aim, ...rest }, model) => ({
    kind: 'placement:update-inventory',
    body: {
      ...rest,
      class: nearestClass(model, rest.provider, rest.class),
      generation: aimed(model, rest.provider, aim),
    },
  })),
  onProvider(
    fc.record({ provider, inventories, mayBeFullyReserved, aim: aimOrNone }),
    ({ aim, ...rest }, model) => ({
      kind: 'placement:replace-inventories',
      body: { ...rest, generation: aim && aimed(model, rest.provider, aim) },
    }),
  ),
  onProvider(fc.record({ provider, class: className }), (body, model) => ({
    kind: 'placement:delete-inventory',
    body: { ...body, class: nearestClass(model, body.provider, body.class) },
  })),
)

// Claims: new ones, and claims by a client that knows its allocations.

type What = 'fresh' | 'nothing' | 'same' | 'less' | 'more' | 'moved'

const wish = fc.record({
  claimant: fc.record({
    consumer: oneOf(...CONSUMERS),
    projectId: oneOf('p1', 'p2'),
    userId: oneOf('u1', 'u2'),
    type: oneOf(undefined, 'INSTANCE', 'MIGRATION'),
  }),
  aim: mostly<'right' | 'none' | 'behind' | 'unchecked'>('right', 'none', 'behind', 'unchecked'),
  what: oneOf<What[]>('fresh', 'fresh', 'fresh', 'nothing', 'same', 'less', 'more', 'moved'),
  fresh: fc.uniqueArray(
    fc.record({
      provider,
      resources: fc.uniqueArray(fc.tuple(className, fc.integer({ min: 1, max: 5 })), {
        selector: ([name]) => name,
        minLength: 1,
        maxLength: 3,
      }),
    }),
    { selector: ({ provider }) => provider, minLength: 1, maxLength: 3 },
  ),
  to: provider,
})
type Wish = typeof wish extends fc.Arbitrary<infer W> ? W : never
const wishes = (minLength: number) =>
  fc.uniqueArray(wish, { selector: ({ claimant }) => claimant.consumer, minLength, maxLength: 3 })

function claimOf(model: Model, { claimant, what, aim, fresh, to }: Wish): ConsumerClaim {
  const was = model.consumers.get(claimant.consumer)
  const actual = was?.generation ?? null
  const generation = { right: actual, none: null, behind: (actual ?? 1) - 1, unchecked: undefined }[aim]
  if (what === 'nothing') return { ...claimant, generation, allocations: [] }
  const allocations =
    was === undefined || what === 'fresh' ? near(model, fresh) : varied(model, was, what, nearest(model, to))
  return { ...claimant, generation, allocations }
}

/** Two drawn providers or classes may resolve to the same one: then the later wins. */
function near(model: Model, claims: readonly ProviderClaim[]): ProviderClaim[] {
  const found = new Map<string, ProviderClaim>()
  for (const { resources, ...drawn } of claims) {
    const provider = nearest(model, drawn.provider)
    const amounts = new Map(resources.map(([name, amount]) => [nearestClass(model, provider, name), amount]))
    found.set(provider, { provider, resources: [...amounts] })
  }
  return [...found.values()]
}

function varied(model: Model, was: ModelConsumer, what: What, to: string): ProviderClaim[] {
  const change = what === 'less' ? -1 : what === 'more' ? 1 : 0
  const held = asClaims(model, was.holdings, amount => Math.max(1, amount + change))
  return what === 'moved' ? held.slice(0, 1).map(one => ({ ...one, provider: to })) : held
}

function asClaims(
  model: Model,
  holdings: ModelConsumer['holdings'],
  amount: (held: number) => number,
): ProviderClaim[] {
  return [...holdings].map(([provider, held]) => ({
    provider,
    resources: [...held].map(([id, used]) => [nameOfClass(model, id), amount(used)] as const),
  }))
}

const claiming = fc.oneof(
  {
    weight: 6,
    arbitrary: intend(wishes(1), (wishes, model) => ({
      kind: 'placement:replace-allocations',
      body: { claims: wishes.map(one => claimOf(model, one)) },
    })),
  },
  {
    weight: 1,
    arbitrary: intend(oneOf(...CONSUMERS), consumer => ({
      kind: 'placement:delete-allocations',
      body: { consumer },
    })),
  },
)

// Reshapes: arbitrary ones, and ones that move a class with all its allocations to another provider.

const anyReshape = intend(
  fc.record({
    stock: fc.uniqueArray(fc.record({ provider, inventories, aim }), {
      selector: ({ provider }) => provider,
      minLength: 1,
      maxLength: 3,
    }),
    wishes: wishes(0),
  }),
  ({ stock, wishes }, model) => ({
    kind: 'placement:reshape',
    body: {
      inventories: [...new Map(stock.map(one => [nearest(model, one.provider), one]))].map(
        ([provider, { inventories, aim }]) => ({
          provider,
          inventories,
          generation: aimed(model, provider, aim),
        }),
      ),
      claims: wishes.map(one => claimOf(model, one)),
    },
  }),
)

/** What is wrong with a move, if anything. */
type Slip = 'none' | 'stale-target' | 'forgotten-consumer' | 'shrunk' | 'too-much' | 'unknown-class'

const move = fc.record({
  from: provider,
  to: provider,
  class: className,
  slip: mostly<Slip>('none', 'stale-target', 'forgotten-consumer', 'shrunk', 'too-much', 'unknown-class'),
})

const movingReshape = intend(move, ({ slip, ...drawn }, model) => {
  const to = nearest(model, drawn.to)
  const from = [nearest(model, drawn.from), ...PROVIDERS].find(one => one !== to) as string
  const id = model.classes.get(nearestClass(model, from, drawn.class)) ?? -1
  const kept = new Map(model.providers.get(from)?.inventories)
  const gained = new Map(model.providers.get(to)?.inventories)
  const moved = kept.get(id)
  kept.delete(id)
  if (moved !== undefined) gained.set(id, slip === 'shrunk' ? { ...moved, total: 1 } : moved)
  const stock = (provider: string, inventories: ModelProvider['inventories'], aim: Aim) => ({
    provider,
    generation: aimed(model, provider, aim),
    inventories: [...inventories].map(([id, record]) => [nameOfClass(model, id), record] as const),
  })
  const holders = [...model.consumers].filter(([, { holdings }]) => holdings.get(from)?.has(id))
  if (slip === 'forgotten-consumer') holders.pop()
  const claims = holders.map(([consumer, was]): ConsumerClaim => {
    const { generation, projectId, userId } = was
    const allocations = afterMove(model, was, { from, to, id, slip })
    return { consumer, projectId, userId, generation, type: undefined, allocations }
  })
  const inventories = [
    stock(from, kept, 'right'),
    stock(to, gained, slip === 'stale-target' ? 'behind' : 'right'),
  ]
  return { kind: 'placement:reshape', body: { inventories, claims } }
})

interface Moved {
  readonly from: string
  readonly to: string
  readonly id: number
  readonly slip: Slip
}

function afterMove(model: Model, was: ModelConsumer, { from, to, id, slip }: Moved): ProviderClaim[] {
  const holdings = structuredClone(was.holdings)
  const amount = holdings.get(from)?.get(id) as number
  holdings.get(from)?.delete(id)
  if (holdings.get(from)?.size === 0) holdings.delete(from)
  if (!holdings.has(to)) holdings.set(to, new Map())
  holdings.get(to)?.set(id, slip === 'too-much' ? amount + 9 : amount)
  const claims = asClaims(model, holdings, amount => amount)
  return slip === 'unknown-class'
    ? [...claims.slice(0, -1), { provider: to, resources: [['CUSTOM_NO', 1]] }]
    : claims
}

const history = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: naming },
    { weight: 4, arbitrary: arranging },
    { weight: 4, arbitrary: stocking },
    { weight: 10, arbitrary: claiming },
    { weight: 2, arbitrary: anyReshape },
    { weight: 3, arbitrary: movingReshape },
  ),
  { minLength: 1, maxLength: 60, size: 'max' },
)

const [P1, P2, P3] = PROVIDERS as [string, string, string]
const ample = { total: 8, reserved: 0, minUnit: 1, maxUnit: AMOUNT_MAX, stepSize: 1, allocationRatio: 1 }
const stocked = (provider: string, ...classes: string[]): Command => ({
  kind: 'placement:replace-inventories',
  body: {
    provider,
    generation: null,
    inventories: classes.map(name => [name, ample]),
    mayBeFullyReserved: true,
  },
})

/** Every history starts with a small tree and one separate provider. */
const PRELUDE: readonly Command[] = [
  { kind: 'placement:sync-standards', body: STANDARDS },
  { kind: 'placement:create-provider', body: { uuid: P1, name: 'a', parent: null } },
  { kind: 'placement:create-provider', body: { uuid: P2, name: 'b', parent: P1 } },
  { kind: 'placement:create-provider', body: { uuid: P3, name: 'c', parent: null } },
  { kind: 'placement:ensure-class', body: { name: 'CUSTOM_A' } },
  { kind: 'placement:ensure-trait', body: { name: 'CUSTOM_X' } },
  stocked(P1, 'VCPU', 'MEMORY_MB'),
  stocked(P2, 'VCPU', 'CUSTOM_A'),
  stocked(P3, 'VCPU', 'DISK_GB'),
]

// The visible state as sentences: equal for the world and the model.

function factsOfModel(model: Model): string[] {
  const facts: string[] = []
  for (const [name, id] of model.classes) facts.push(`class ${id} is ${name}`)
  facts.push(`traits ${[...model.traits]}`, `aggregates ${[...model.aggregates]}`)
  for (const { uuid, ...provider } of model.providers.values()) {
    facts.push(`${uuid} is ${provider.name} at ${provider.generation}`)
    facts.push(`${uuid} is below ${provider.parent}, root ${rootOf(model, uuid)}`)
    facts.push(`${uuid} has traits ${[...model.traits].filter(name => provider.traits.has(name))}`)
    facts.push(`${uuid} is in ${[...model.aggregates].filter(one => provider.aggregates.has(one))}`)
    for (const [id, record] of provider.inventories) {
      const { total, reserved, minUnit, maxUnit, stepSize, allocationRatio } = record
      const amounts = [total, reserved, minUnit, maxUnit, stepSize, allocationRatio, capacityOf(record)]
      facts.push(`${uuid} has ${nameOfClass(model, id)} ${amounts}`)
    }
    for (const [name, id] of model.classes) facts.push(`${uuid} uses ${usage(model, uuid, id)} ${name}`)
    for (let at: string | null = uuid; at !== null; at = model.providers.get(at)?.parent ?? null)
      facts.push(`${at} is over ${uuid}`)
  }
  for (const [uuid, { generation, projectId, userId, type, holdings }] of model.consumers) {
    facts.push(`${uuid} is ${type} of ${userId} at ${generation}`, `${uuid} belongs to ${projectId}`)
    for (const [provider, held] of holdings) {
      facts.push(`${uuid} is on ${provider}`)
      for (const [id, used] of held)
        facts.push(`${uuid} holds ${used} ${nameOfClass(model, id)} of ${provider}`)
    }
  }
  return facts.sort()
}

function factsOfWorld(world: World): string[] {
  const { providers, inventories, consumers } = world
  const traitName = (id: number) => world.traits.name(id as never)
  const facts: string[] = []
  for (const { id, name } of world.classes.listInOrder()) facts.push(`class ${id} is ${name}`)
  facts.push(`traits ${[...world.traits.listInOrder()].map(row => row.name)}`)
  facts.push(`aggregates ${[...world.aggregates.rows()].sort((a, b) => a.id - b.id).map(row => row.uuid)}`)
  for (const slot of providers.all()) {
    const uuid = providers.uuid(slot)
    const parent = providers.parentOf(slot)
    if (providers.find(uuid) !== slot || providers.findName(providers.name(slot)) !== slot)
      facts.push(`${uuid} is lost`)
    facts.push(`${uuid} is ${providers.name(slot)} at ${providers.generation[slot]}`)
    facts.push(
      `${uuid} is below ${parent < 0 ? null : providers.uuid(parent)}, root ${providers.uuid(providers.rootOf(slot))}`,
    )
    facts.push(`${uuid} has traits ${world.providerTraits.list(slot).map(traitName)}`)
    facts.push(`${uuid} is in ${world.providerAggregates.list(slot).map(id => world.aggregates.uuid(id))}`)
    for (const id of inventories.listClasses(slot)) {
      const {
        provider_id: _,
        class_id: __,
        updated_at: ___,
        ...row
      } = inventories.row(slot, id) as Row<'inventories'>
      facts.push(
        `${uuid} has ${world.classes.name(id)} ${[...Object.values(row), inventories.columns(id)?.capacity[slot]]}`,
      )
    }
    for (const { id, name } of world.classes.rows())
      facts.push(`${uuid} uses ${inventories.used(slot, id as ClassId)} ${name}`)
    const below = providers.listSubtree(slot)
    for (const one of below) facts.push(`${uuid} is over ${providers.uuid(one)}`)
    if (providers.treeSize[slot] !== (providers.rootOf(slot) === slot ? below.length : 0))
      facts.push(`${uuid} counts ${providers.treeSize[slot]} in its tree`)
    for (const consumer of consumers.onProvider(slot))
      facts.push(`${consumers.row(consumer).uuid} is on ${uuid}`)
  }
  for (const row of consumers.rows()) {
    const slot = consumers.find(row.uuid) as ConsumerSlot
    facts.push(`${row.uuid} is ${row.consumer_type} of ${row.user_id} at ${row.generation}`)
    for (const { provider, class: id, used } of consumers.holdings(slot))
      facts.push(`${row.uuid} holds ${used} ${world.classes.name(id)} of ${providers.uuid(provider)}`)
  }
  for (const project of ['p1', 'p2'])
    for (const slot of consumers.ofProject(project))
      facts.push(`${consumers.row(slot).uuid} belongs to ${project}`)
  return facts.sort()
}

/** Every row, and what the world derives from rows: indexes, sums, counts and free slots. */
function everything(world: World) {
  const { providers, inventories, consumers } = world
  const slots = [...Array(PROVIDERS.length + 1).keys()]
  const columns = [...world.classes.listInOrder()].map(({ id }) => {
    const columns = inventories.columns(id as ClassId)
    const present = [...(columns?.present ?? [])]
    return [
      id,
      present,
      present.map(slot => columns?.capacity[slot]),
      slots.map(slot => columns?.used[slot] ?? 0),
    ]
  })
  const members = (
    memberships: { members(id: never): Iterable<number> | undefined },
    rows: Iterable<{ id: number }>,
  ) => [...rows].map(({ id }) => [id, ...(memberships.members(id as never) ?? [])])
  return {
    rows: rowsOf(world),
    facts: factsOfWorld(world),
    columns,
    traits: members(world.providerTraits, world.traits.listInOrder()),
    aggregates: members(
      world.providerAggregates,
      [...world.aggregates.rows()].sort((a, b) => a.id - b.id),
    ),
    free: [providers.free.first(4), consumers.free.first(4), providers.free.lowest, consumers.free.lowest],
    sizes: [providers.size, providers.hasTrees, inventories.size, consumers.size, consumers.allocations],
    memberships: [world.providerTraits.size, world.providerAggregates.size, world.aggregates.size],
  }
}

function rowsOf(world: World): Record<string, string[]> {
  const sorted = (table: Table) =>
    [...world.rows(table.name as never)].map(row => `${makeRowKey(table, row)}: ${Object.values(row)}`).sort()
  return Object.fromEntries(mirroredTables.map(table => [table.name, sorted(table)]))
}

/** Deep comparison. Makes the readable difference only when there is one. */
function same(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}

// Running a history.

function decide(world: World, { kind, body }: Command, nowMs: number) {
  return (placementRules[kind] as Rule<unknown, object | null, { kind: string }>)(world, body, nowMs)
}

interface Turn {
  readonly world: World
  readonly command: Command
  readonly decision: ReturnType<typeof decide>
  readonly outcome: ReturnType<typeof step>
  readonly model: Model
  readonly nowMs: number
}

/** Looks at a turn when its command is decided and not yet applied, and once more, if it likes, when it is. */
// biome-ignore lint/suspicious/noConfusingVoidType: most looks have nothing to return
type Look = (turn: Turn) => (() => void) | void

function play(history: readonly Intent[], look: Look): void {
  const world = new World()
  const model = emptyModel()
  const taken: Command[] = []
  const prelude = PRELUDE.map(
    (command): Intent =>
      () =>
        command,
  )
  try {
    for (const [nowMs, intent] of [...prelude, ...history].entries()) {
      const command = deepFreeze(intent(model))
      taken.push(command)
      const decision = decide(world, command, nowMs)
      const outcome = step(model, command)
      const lookAgain = look({ world, command, decision, outcome, model, nowMs })
      if (decision.ok) world.apply(decision.change)
      lookAgain?.()
    }
  } catch (failure) {
    const story = taken.slice(PRELUDE.length).map(command => JSON.stringify(command))
    throw new Error(`after\n${story.join('\n')}\n${(failure as Error).message}`, { cause: failure })
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

const ORDINARY = { numRuns: 80, seed: 4 }
const numRuns = countRuns(ORDINARY.numRuns)
const runs: fc.Parameters<unknown> =
  process.env.BERTH_PROPERTY_RUNS === undefined ? { ...ORDINARY, numRuns } : { numRuns }
const timeout = 120_000 + numRuns * 500

/** A property that must hold at every turn of every history. */
function always(claim: string, look: Look): void {
  const told = fc.property(history, intents => play(intents, look))
  test(claim, { timeout }, () => fc.assert(told, runs))
}

always('the rules decide every command as the model does, and leave the world that it has', turn => {
  const { world, decision, outcome, model } = turn
  if (decision.ok) {
    const { updatedAt: _, ...answer } = (decision.answer ?? {}) as { updatedAt?: number }
    same({ kind: 'ok', answer: decision.answer === null ? null : answer }, outcome)
  } else same({ kind: 'refused', refusal: decision.refusal }, outcome)
  return () => same(factsOfWorld(world), factsOfModel(model))
})

always('a rule asked twice says the same, and leaves the world as it is', turn => {
  const { world, command, decision, nowMs } = turn
  const before = everything(world)
  same(decide(world, command, nowMs), decision)
  same(everything(world), before)
})

always('undone right after it was applied, a change leaves no trace', ({ world, decision }) => {
  if (!decision.ok) return
  const before = everything(world)
  world.apply(decision.change)
  world.undo(decision.change)
  same(everything(world), before)
})

/** Usage and capacity, by provider and class. */
function usages(world: World): Map<string, { used: number; capacity: number }> {
  const found = new Map<string, { used: number; capacity: number }>()
  for (const { id } of world.classes.rows()) {
    const columns = world.inventories.columns(id as ClassId)
    for (const slot of columns?.present ?? [])
      found.set(`${slot} ${id}`, { used: columns?.used[slot] ?? 0, capacity: columns?.capacity[slot] ?? 0 })
  }
  return found
}

always('no claim takes usage past capacity, nor raises it where a shrink left it above', turn => {
  const { world, command } = turn
  if (command.kind !== 'placement:replace-allocations' && command.kind !== 'placement:reshape') return
  const before = usages(world)
  return () => {
    for (const [place, { used, capacity }] of usages(world))
      if (used > capacity) expect(used, place).toBeLessThanOrEqual(before.get(place)?.used ?? 0)
  }
})

always('a consumer is known exactly as long as it holds something', ({ world }) => () => {
  const holding = new Set([...world.consumers.allocationRows()].map(row => row.consumer_id))
  same(
    [...world.consumers.rows()].map(row => row.id).filter(id => !holding.has(id)),
    [],
  )
  for (const id of holding) world.consumers.row(id as ConsumerSlot)
})

const followers = new WeakMap<World, World>()

always('whoever follows the stored form of the changes, or loads the rows, sees the same world', turn => {
  const { world, decision } = turn
  if (!decision.ok) return
  const stored = { ops: (JSON.parse(encodeOps(decision.change.ops)) as EncodedOp[]).map(decodeOp) }
  same(stored, decision.change)
  const follower = followers.get(world) ?? new World()
  followers.set(world, follower)
  follower.apply(stored)
  return () => {
    const live = everything(world)
    same(everything(follower), live)
    same(everything(reloaded(world)), live)
  }
})

function reloaded(world: World): World {
  const loaded = new World()
  for (const { name } of mirroredTables) for (const row of world.rows(name)) loaded.load(name, row)
  return loaded
}

/** The compiler requires every kind here. `owned` needs a share back end, which these histories lack. */
const REFUSALS: Record<Exclude<Refusal['kind'], 'owned'>, true> = {
  'bad-capacity': true,
  'claimed-provider-missing': true,
  'class-exists': true,
  'class-in-use': true,
  'class-missing': true,
  'class-standard': true,
  'consumer-generation': true,
  'generation-conflict': true,
  'has-allocations': true,
  'has-children': true,
  'inventory-exists': true,
  'inventory-in-use': true,
  'inventory-missing': true,
  loop: true,
  'name-required': true,
  'no-allocations': true,
  'no-inventory': true,
  'over-capacity': true,
  'parent-is-self': true,
  'parent-missing': true,
  'provider-exists': true,
  'provider-missing': true,
  'reparenting-not-allowed': true,
  'reshape-generation-conflict': true,
  'reshape-inventory-in-use': true,
  'reshaped-provider-missing': true,
  'trait-in-use': true,
  'trait-missing': true,
  'trait-standard': true,
  'traits-missing': true,
  'units-violated': true,
  'unparenting-not-allowed': true,
}

test('the ordinary histories see every command accepted and every refusal made', { timeout }, () => {
  const seen = new Set<string>()
  const look: Look = ({ command, decision }) => {
    seen.add(decision.ok ? command.kind : decision.refusal.kind)
  }
  fc.assert(
    fc.property(history, intents => play(intents, look)),
    ORDINARY,
  )
  // The import and group claims have their own histories, next to their rules.
  const kinds = Object.keys(placementRules).filter(
    kind => kind !== 'placement:import-lines' && !Object.hasOwn(groupRules, kind),
  )
  expect([...kinds, ...Object.keys(REFUSALS)].filter(kind => !seen.has(kind))).toEqual([])
})
