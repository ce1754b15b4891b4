import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { countRuns } from '../../../test/property-runs.ts'
import {
  addAggregateHost,
  removeAggregateHost,
  updateAggregate,
} from '../../compute/aggregates/aggregates.ts'
import { setHost } from '../../compute/hosts/hosts.ts'
import { deleteAllocations } from '../../placement/allocations/allocations.ts'
import standardClasses from '../../placement/data/standard-classes.json' with { type: 'json' }
import { placementRules } from '../../placement/rules.ts'
import { syncStandards } from '../../placement/standards.ts'
import { RandomCommands } from '../../placement/transfer/random-commands.fixture.ts'
import type { Decision, Rule } from '../../world/decision.ts'
import { rehearse } from '../../world/rehearsal.ts'
import { mirroredTables } from '../../world/tables.ts'
import { World } from '../../world/world.ts'
import { DEFAULT_SETUP, type SchedulingSetup } from '../framework/setup.ts'
import { createReservation } from '../reservations/reservations.ts'
import { chooseHosts } from './choose.ts'
import { type ClaimHosts, claimHosts } from './claim.ts'
import { KnownHosts, type ListedHosts } from './known-hosts.ts'
import { EMPTY_SPEC, groupOf, makeMoveAsk } from './known-server.ts'
import { ALL_FILTERS, ALL_WEIGHERS } from './registry.ts'
import type { ServerAsk } from './server-spec.ts'
import { askOf, numbered, recordHosts, serverUuid, smallAsk, smallHosts } from './small-hosts.fixture.ts'

/** What is known of hosts must never show: a choice is compared with that of a world in which nothing is known. */

const { settings } = DEFAULT_SETUP
const everything: SchedulingSetup = {
  filters: ALL_FILTERS.map(({ name }) => name),
  weighers: ALL_WEIGHERS.map(({ name }) => name),
  settings: {
    ...settings,
    maxInstancesPerHost: 2,
    isolatedHosts: ['host-1'],
    isolatedImages: ['i'],
    limitProjectsToAggregates: true,
    hostSubsetSize: 2,
    weightMultipliers: { num_instances_weight_multiplier: -2, image_props_weight_multiplier: 1 },
  },
}
/** Weighers that compare candidates of a host; one of them reads the servers of the whole cloud. */
const packing: SchedulingSetup = {
  ...DEFAULT_SETUP,
  weighers: [...DEFAULT_SETUP.weighers, 'BestFitWeigher', 'FragmentationWeigher'],
}
const setups = fc.constantFrom<SchedulingSetup>(DEFAULT_SETUP, everything, {
  ...DEFAULT_SETUP,
  settings: { ...settings, candidatesMax: 2, shuffleBestSameWeighedHosts: true },
})

/** The same state, of which nothing is known. */
function copyOf(world: World): World {
  const copy = new World()
  for (const { name } of mirroredTables) copy.loadAll(name, [...world.rows(name)])
  return copy
}

const orderOf = (ask: ServerAsk, setup: SchedulingSetup, seed: number): ClaimHosts => ({
  ask,
  setup,
  seed,
  decision: 'd',
  alternates: 2,
  sourceHolder: null,
  rankedHosts: [],
})

function expectSameChoice(world: World, order: ClaimHosts): void {
  const expected = chooseHosts(copyOf(world), order)
  expect(chooseHosts(world, order)).toEqual(expected)
}

/** Makes the change of a decision, if there is one. */
function make(world: World, decision: Decision<unknown, unknown>): void {
  if (decision.ok) world.apply(decision.change)
}

const change = fc.record({
  kind: fc.nat({ max: 8 }),
  host: fc.nat({ max: 4 }),
  aggregate: fc.nat({ max: 2 }),
  isOn: fc.boolean(),
  key: fc.constantFrom('disk', 'gpu', 'filter_tenant_id', 'max_instances_per_host', 'cpu_weight_multiplier'),
  value: fc.constantFrom('ssd', '3', '-1', 'p', 'q', '0'),
})
type SmallChange = typeof change extends fc.Arbitrary<infer T> ? T : never

function makeSmallChange(world: World, step: SmallChange, setup: SchedulingSetup, nth: number): void {
  const { kind, isOn, key, value } = step
  const host = `host-${step.host}`
  const aggregate = step.aggregate + 1
  const instance = serverUuid(nth % 5, 0)
  const server = world.consumers.find(instance)
  if (kind === 0) make(world, setHost(world, { host, isDisabled: isOn }, 0))
  else if (kind === 1) make(world, setHost(world, { host, isForcedDown: isOn }, 0))
  else if (kind === 2)
    make(world, setHost(world, { host, capabilities: `{"failed_builds":${step.aggregate}}` }, 0))
  else if (kind === 3)
    make(world, updateAggregate(world, { aggregate, metadata: { [key]: isOn ? value : null } }, 0))
  else if (kind === 4) make(world, addAggregateHost(world, { aggregate, host }, 0))
  else if (kind === 5) make(world, removeAggregateHost(world, { aggregate, host }, 0))
  else if (kind === 6) make(world, deleteAllocations(world, { consumer: instance }))
  else if (kind === 7 && server !== undefined) {
    const move = {
      ...orderOf(makeMoveAsk(world, server), setup, nth),
      rankedHosts: [[numbered('0', step.host)]],
    }
    make(world, claimHosts(world, move, 0))
  } else {
    const reserve = { ...askOf(SMALLEST, 90 + nth, 1), host: null, reserves: RESERVATION }
    make(
      world,
      claimHosts(world, { ...orderOf(reserve, setup, 1), rankedHosts: [[numbered('0', step.host)]] }, 0),
    )
  }
}

const NOTHING = { zone: null, host: null, group: null, near: null, away: null }
const SMALLEST = { vcpus: 1, extraSpecs: {}, count: 1, ...NOTHING }
const RESERVATION = numbered('e', 1)

function reserve(world: World): void {
  const request = JSON.stringify(askOf(SMALLEST, 0, 1).spec)
  const command = {
    uuid: RESERVATION,
    name: 'r',
    what: 'project',
    project: 'p',
    aggregate: null,
    count: 2,
    request,
    from: null,
    until: null,
  } as const
  make(world, createReservation(world, command, 0))
}

let listed = 0
const { list } = KnownHosts.prototype
vi.spyOn(KnownHosts.prototype, 'list').mockImplementation(function (this: KnownHosts, ...given) {
  const found: ListedHosts | null = list.apply(this, given)
  if (found !== null) listed++
  return found
})
afterEach(() => {
  expect(listed).toBeGreaterThan(0)
  listed = 0
})

test('on any small cloud, after any changes, every filter and weigher chooses as if nothing were known', () => {
  const kinds = fc.array(smallAsk, { minLength: 1, maxLength: 3 })
  const steps = fc.array(fc.tuple(fc.nat({ max: 2 }), change, fc.constantFrom('p', 'q')), {
    minLength: 3,
    maxLength: 10,
  })
  fc.assert(
    fc.property(smallHosts, kinds, setups, steps, (cloud, asks, setup, all) => {
      const { world } = recordHosts(cloud)
      reserve(world)
      all.forEach(([which, step, project], nth) => {
        const small = asks[which % asks.length] as (typeof asks)[number]
        const ask = { ...askOf(small, nth, cloud.hosts.length), project, user: project }
        const order = orderOf(ask, setup, nth)
        expectSameChoice(world, order)
        const chosen = chooseHosts(world, order)
        if (chosen.ok) make(world, claimHosts(world, { ...order, rankedHosts: chosen.answer.rankedHosts }, 0))
        makeSmallChange(world, step, setup, nth)
        // What is seen in a rehearsal must not be known after it.
        rehearse(world, rehearsal => {
          const supposed = deleteAllocations(world, { consumer: serverUuid(nth, 0) })
          if (supposed.ok) rehearsal.suppose(supposed.change)
          expectSameChoice(world, { ...order, ask: { ...ask, instances: [serverUuid(80, nth)] } })
        })
        expectSameChoice(world, { ...order, ask: { ...ask, instances: [serverUuid(81, nth)] } })
      })
    }),
    { numRuns: countRuns(200) },
  )
})

const resources = fc.dictionary(
  fc.constantFrom('VCPU', 'DISK_GB', 'CUSTOM_A', 'CUSTOM_B'),
  fc.integer({ min: 1, max: 3 }),
  {
    minKeys: 1,
    maxKeys: 2,
  },
)
const treeSetups = fc.constantFrom(DEFAULT_SETUP, packing)
const groupLists = fc.tuple(resources, fc.option(resources), fc.boolean())

test('on trees of providers that change at random, groups of resources are placed as if nothing were known', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.array(groupLists, { minLength: 1, maxLength: 2 }),
      treeSetups,
      (seed, lists, setup) => {
        const world = makeTrees()
        const commands = new RandomCommands(seed)
        for (let nth = 0; nth < 40; nth++) {
          const [unnamed, named] = lists[nth % lists.length] as (typeof lists)[number]
          const groups = [groupOf(unnamed), ...(named === null ? [] : [{ ...groupOf(named), suffix: '_A' }])]
          const spec = { ...EMPTY_SPEC, groups, group_policy: 'none' as const }
          const order = orderOf({ ...askOf(SMALLEST, 100 + nth, 1), spec }, setup, seed)
          expectSameChoice(world, order)
          const chosen = chooseHosts(world, order)
          if (chosen.ok)
            make(world, claimHosts(world, { ...order, rankedHosts: chosen.answer.rankedHosts }, 0))
          if (nth % 5 === 4) makeCommand(world, commands.next())
        }
      },
    ),
    { numRuns: countRuns(100) },
  )
})

type AnyCommand = ReturnType<RandomCommands['next']>

function makeCommand(world: World, { kind, ...command }: AnyCommand): void {
  const rule = placementRules[kind] as Rule<unknown, unknown, unknown>
  make(world, rule(world, command, 0))
}

/** Two hosts of three providers each, and one alone. */
function makeTrees(): World {
  const world = new World()
  const traits = ['HW_CPU_X86_AVX', 'COMPUTE_STATUS_DISABLED']
  make(world, syncStandards(world, { classes: standardClasses, traits }, 0))
  for (const name of ['CUSTOM_A', 'CUSTOM_B']) makeCommand(world, { kind: 'placement:ensure-class', name })
  const amount = { total: 8, reserved: 0, minUnit: 1, maxUnit: 4, stepSize: 1, allocationRatio: 1 }
  const inventories = (...names: string[]) => names.map(name => [name, amount] as const)
  const parents = [null, null, 1, 1, 2, 2, null]
  parents.forEach((parent, at) => {
    const uuid = numbered('0', at + 1)
    const above = parent === null ? null : numbered('0', parent)
    makeCommand(world, { kind: 'placement:create-provider', uuid, name: `host ${at}`, parent: above })
    const isRoot = parent === null
    const own = isRoot ? inventories('VCPU', 'DISK_GB') : inventories('CUSTOM_A', 'CUSTOM_B')
    const fields = {
      provider: uuid,
      generation: null,
      inventories: at === 6 ? [...own, ...inventories('CUSTOM_A')] : own,
    }
    makeCommand(world, { kind: 'placement:replace-inventories', ...fields, mayBeFullyReserved: true })
  })
  return world
}
