/**
 * Compares the count with real claims, made one after the other until no host takes another, on small random
 * clouds.
 */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildWorld, type Cloud, clouds } from '../../../test/clouds.ts'
import { countRuns } from '../../../test/property-runs.ts'
import { createGroup } from '../../compute/groups/groups.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { SHARING_TRAIT } from '../../placement/candidates/plan.ts'
import { missesByTree } from '../../placement/explain/nearest.ts'
import { mirroredTables } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import { WorldCopy } from '../../world/world-copy.ts'
import { DEFAULT_SETUP, type SchedulingSetup } from '../framework/setup.ts'
import { listAllHosts } from '../hosts/hosts.ts'
import { chooseAndClaim } from './claim.ts'
import { countFits, type Fits, makeHolding } from './count-fits.ts'
import { FitSum, FlavorFits } from './flavor-fits.ts'
import { HostSelection } from './host-selection.ts'
import { EMPTY_SPEC, groupOf, makeSizedFlavor } from './known-server.ts'
import { toCandidateRequest } from './query/placement-query.ts'
import type { GroupSpec, ServerAsk } from './server-spec.ts'

const RUNS = countRuns(400)
const GROUP = '99999999-0000-4000-8000-000000000000'
const CLASSES = ['VCPU', 'DISK_GB', 'SRIOV_NET_VF', 'CUSTOM_MAGIC']

const resources = fc
  .dictionary(fc.constantFrom(...CLASSES), fc.integer({ min: 1, max: 2 }), { minKeys: 1, maxKeys: 2 })
  .map(found => ({ ...found }))

const ways = fc.record({
  unsuffixed: resources,
  suffixed: fc.option(resources, { freq: 3 }),
  isolate: fc.boolean(),
  policy: fc.constantFrom(null, null, 'affinity', 'anti-affinity', 'soft-anti-affinity'),
  perHost: fc.constantFrom(null, 1, 2),
  /** Filters whose verdict changes as servers arrive. */
  further: fc.constantFrom([], [], ['NumInstancesFilter'], ['JsonFilter']) as fc.Arbitrary<string[]>,
  query: fc.constantFrom('["<", "$vcpus_used", 4]', '["<=", "$num_instances", 1]', '[">", "$vcpus_used", 0]'),
})
type Way = typeof ways extends fc.Arbitrary<infer T> ? T : never

function setupOf({ further }: Way): SchedulingSetup {
  const settings = { ...DEFAULT_SETUP.settings, maxInstancesPerHost: 2 }
  return { ...DEFAULT_SETUP, filters: [...DEFAULT_SETUP.filters, ...further], settings }
}

function askOf({ unsuffixed, suffixed, isolate, policy, further, query }: Way): ServerAsk {
  const groups: GroupSpec[] = [groupOf(unsuffixed)]
  if (suffixed !== null) groups.push({ ...groupOf(suffixed), suffix: '_A' })
  const hints = { same_host: [], different_host: [], query: further.includes('JsonFilter') ? query : null }
  return {
    operation: 'create',
    instances: [],
    generation: null,
    project: 'p',
    user: 'u',
    host: null,
    not_hosts: [],
    spec: {
      ...EMPTY_SPEC,
      flavor: makeSizedFlavor(unsuffixed),
      groups,
      group_policy: isolate ? 'isolate' : 'none',
      hints,
    },
    group: policy === null ? null : GROUP,
  }
}

function worldOf(cloud: Cloud, { policy, perHost }: Way): World {
  const world = buildWorld(cloud)
  world.load('traits', { id: 999, name: 'COMPUTE_STATUS_DISABLED', updated_at: 0 })
  if (policy === null) return world
  const fields = { uuid: GROUP, name: 'g', policy, project_id: 'p', user_id: 'u' }
  const made = createGroup(
    world,
    { fields: { ...fields, max_server_per_host: perHost }, perProjectMax: 1 },
    1,
  )
  if (made.ok) world.apply(made.change)
  return world
}

let uuids = 0
const newUuid = () => `dddddddd-0000-4000-8000-${String(uuids++).padStart(12, '0')}`

/** Claims one server permanently. Returns the slot of its host, or null. */
function claimOne(world: World, ask: ServerAsk, setup: SchedulingSetup, host?: string): ProviderSlot | null {
  const only = { ...ask, instances: [newUuid()], host: host ?? ask.host }
  const command = {
    ask: only,
    setup,
    seed: 7,
    decision: newUuid(),
    alternates: 0,
    sourceHolder: null,
    rankedHosts: [],
  }
  const outcome = chooseAndClaim(world, command, 1)
  if (!outcome.ok) return null
  world.apply(outcome.change)
  return world.providers.find(outcome.answer.placed[0]?.provider as string) as ProviderSlot
}

const counted = (slots: readonly ProviderSlot[]): Record<number, number> =>
  Object.fromEntries([...Map.groupBy(slots, slot => slot)].map(([slot, all]) => [slot, all.length]))

function asScheduled(world: World, ask: ServerAsk, setup: SchedulingSetup): ProviderSlot[] {
  const found: ProviderSlot[] = []
  for (let slot = claimOne(world, ask, setup); slot !== null; slot = claimOne(world, ask, setup))
    found.push(slot)
  return found
}

function inRounds(world: World, ask: ServerAsk, setup: SchedulingSetup): ProviderSlot[] {
  const found: ProviderSlot[] = []
  for (let before = -1; before < found.length; ) {
    before = found.length
    for (const slot of listAllHosts(world))
      if (claimOne(world, ask, setup, world.providers.uuid(slot)) !== null) found.push(slot)
  }
  return found
}

const rowsOf = (world: World) =>
  JSON.stringify(
    mirroredTables.map(({ name }) => [...world.rows(name)].map(row => JSON.stringify(row)).sort()),
  )

const byHost = ({ hosts }: Fits): Record<number, number> =>
  Object.fromEntries(hosts.filter(({ fits }) => fits > 0).map(({ slot, fits }) => [slot, fits]))

async function count(world: World, ask: ServerAsk, setup: SchedulingSetup): Promise<Fits> {
  const before = rowsOf(world)
  const way = { newUuid, seed: 7, nowMs: 1, claimsMax: 10_000, pause: async () => {} }
  const fits = await countFits(new WorldCopy(world), ask, setup, way)
  expect(rowsOf(world)).toBe(before)
  if (fits.kind !== 'fits') throw new Error(`not counted: ${JSON.stringify(fits)}`)
  return fits
}

const withoutSharing = ({ providers }: Cloud): Cloud => ({
  providers: providers.map(one => ({ ...one, traits: one.traits.filter(name => name !== SHARING_TRAIT) })),
})

test('without sharing providers every host takes as many as are scheduled there one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(clouds, ways, async (shared, way) => {
      const cloud = withoutSharing(shared)
      const [ask, setup] = [askOf(way), setupOf(way)]
      const fits = await count(worldOf(cloud, way), ask, setup)
      expect(byHost(fits)).toEqual(counted(asScheduled(worldOf(cloud, way), ask, setup)))
    }),
    { numRuns: countRuns(400) },
  )
})

test('with sharing providers hosts take one each in turn until none takes another', async () => {
  await fc.assert(
    fc.asyncProperty(clouds, ways, async (cloud, given) => {
      // Weights decide where the first server of an affinity group goes, so turns cannot predict it.
      const way = { ...given, policy: given.policy === 'affinity' ? null : given.policy }
      const [ask, setup] = [askOf(way), setupOf(way)]
      const fits = await count(worldOf(cloud, way), ask, setup)
      const world = worldOf(cloud, way)
      expect(byHost(fits)).toEqual(counted(inRounds(world, ask, setup)))
      expect(claimOne(world, ask, setup)).toBeNull()
    }),
    { numRuns: countRuns(400) },
  )
})

test('what ends a computed count is what a host lacks once it holds that many', async () => {
  let full = 0
  await fc.assert(
    fc.asyncProperty(clouds, ways, async (shared, given) => {
      const way: Way = { ...given, policy: null, further: [] }
      const roots = withoutSharing(shared).providers.filter(({ parent }) => parent === null)
      const [world, ask, setup] = [worldOf({ providers: roots }, way), askOf(way), setupOf(way)]
      const selection = HostSelection.of(world, ask, '', setup)
      if (!(selection instanceof HostSelection)) return
      const { hosts } = await count(world, ask, setup)
      const request = toCandidateRequest(selection.query.placement)
      for (const { slot, fits, end } of hosts) {
        if (end.kind !== 'no-room') continue
        const candidate = fits === 0 ? null : selection.findCandidate(selection.viewHost(slot))
        const holding = candidate === null ? null : makeHolding(world, newUuid(), candidate, fits)
        if (holding !== null) world.apply(holding)
        expect(end.misses).toEqual(missesByTree(world, request)(slot))
        if (holding !== null) world.undo(holding)
        if (fits > 0) full++
      }
    }),
    { numRuns: RUNS },
  )
  expect(full).toBeGreaterThan(RUNS / 10)
})

const amount = fc.integer({ min: 0, max: 12 })

test('hosts that have to use one store take as many together as are scheduled one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(amount, { minLength: 1, maxLength: 5 }),
      amount,
      ways,
      async (cpus, disk, given) => {
        const way = { ...given, unsuffixed: { VCPU: 2, DISK_GB: 3 }, suffixed: null, isolate: false }
        const cloud = storeCloud(cpus, disk)
        const [ask, setup] = [askOf(way), setupOf(way)]
        const fits = await count(worldOf(cloud, way), ask, setup)
        const all = fits.hosts.reduce((sum, one) => sum + one.fits, 0)
        expect(all).toBe(asScheduled(worldOf(cloud, way), ask, setup).length)
      },
    ),
    { numRuns: countRuns(200) },
  )
})

/** Hosts with processors only, and one provider that shares its disk with all of them. */
function storeCloud(cpus: readonly number[], disk: number): Cloud {
  const inventory = (total: number) => ({
    total,
    reserved: 0,
    minUnit: 1,
    maxUnit: 2_147_483_647,
    stepSize: 1,
    ratio: 1,
    used: 0,
  })
  const aggregates = ['aaaaaaaa-0000-4000-8000-000000000001']
  const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const hosts = cpus.map((cpu, slot) => ({
    uuid: uuid(slot),
    parent: null,
    slot,
    aggregates,
    traits: [],
    inventories: { VCPU: inventory(cpu + 1) },
  }))
  const store = { uuid: uuid(99), parent: null, slot: cpus.length, aggregates, traits: [SHARING_TRAIT] }
  return { providers: [...hosts, { ...store, inventories: { DISK_GB: inventory(disk + 1) } }] }
}

test('no more are claimed one by one than allowed, and the answer says so', async () => {
  const world = worldOf(storeCloud([20, 20], 1000), { policy: null } as Way)
  const ask = askOf({
    unsuffixed: { VCPU: 1, DISK_GB: 1 },
    suffixed: null,
    further: [],
    policy: null,
  } as never)
  const way = { newUuid, seed: 0, nowMs: 1, claimsMax: 5, pause: async () => {} }
  const fits = (await countFits(new WorldCopy(world), ask, DEFAULT_SETUP, way)) as Fits
  expect(fits.truncated).toBe(true)
  expect(fits.hosts.map(one => [one.fits, one.end.kind])).toEqual([
    [3, 'cut'],
    [2, 'cut'],
  ])
})

test('the count host by host on the served world is the same where nothing is shared, and leaves no trace', async () => {
  await fc.assert(
    fc.asyncProperty(clouds, ways, async (cloud, given) => {
      const way: Way = { ...given, policy: null, further: [] }
      const [world, ask, setup] = [worldOf(withoutSharing(cloud), way), askOf(way), setupOf(way)]
      const before = rowsOf(world)
      const fits = FlavorFits.of(world, { ...ask, instances: [newUuid()] }, setup)
      if (!(fits instanceof FlavorFits)) throw new Error(`not counted: ${JSON.stringify(fits)}`)
      const found = listAllHosts(world).flatMap(slot => {
        const { servers } = fits.countOn(slot)
        return servers === 0 ? [] : [[slot, servers] as const]
      })
      expect(rowsOf(world)).toBe(before)
      expect(Object.fromEntries(found)).toEqual(byHost(await count(world, ask, setup)))
    }),
    { numRuns: countRuns(300) },
  )
})

test('what hosts borrow of one sharing provider is lent once', async () => {
  await fc.assert(
    fc.asyncProperty(clouds, ways, async (cloud, given) => {
      const way: Way = { ...given, policy: null, further: [] }
      const [world, ask, setup] = [worldOf(cloud, way), askOf(way), setupOf(way)]
      const fits = FlavorFits.of(world, { ...ask, instances: [newUuid()] }, setup)
      if (!(fits instanceof FlavorFits)) throw new Error(`not counted: ${JSON.stringify(fits)}`)
      const sum = new FitSum(world)
      for (const slot of listAllHosts(world)) sum.add(fits.countOn(slot))
      const { hosts } = await count(world, ask, setup)
      const exact = hosts.reduce((all, one) => all + one.fits, 0)
      if (sum.isExact) expect(sum.servers).toBe(exact)
      expect(sum.servers > 0).toBe(exact > 0)
    }),
    { numRuns: countRuns(300) },
  )
})
