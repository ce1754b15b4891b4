/** Compares what trees lack, and how many serve, with plain code that looks every name up for every provider. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { behaviourOf, buildWorld, type Cloud, questionnaires } from '../../../test/clouds.ts'
import { countRuns } from '../../../test/property-runs.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import { findCandidates } from '../candidates/candidates.ts'
import { SHARING_TRAIT } from '../candidates/plan.ts'
import { type CandidateRequest, type RequestGroup, workBounds } from '../candidates/request.ts'
import { census } from './census.ts'
import { hasTrait, isMember, type Miss, shortfall } from './misses.ts'
import { missesByTree, nearestMisses } from './nearest.ts'

const RUNS = countRuns(600)
const turn = async () => undefined

function plainMisses(world: World, request: CandidateRequest, root: ProviderSlot): Miss[] {
  const lenders = [...world.providers.all()].filter(
    one =>
      hasTrait(world, one, SHARING_TRAIT) &&
      world.providers.rootOf(one) !== root &&
      world.providers
        .listSubtree(root)
        .some(member => world.providerAggregates.list(member).some(id => isIn(world, one, id))),
  )
  const members = [...world.providers.listSubtree(root), ...lenders]
  const misses = [
    ...plainRootMisses(world, request, root),
    ...request.groups.flatMap(group => plainGroupMisses(world, group, members, root)),
  ]
  return misses.length > 0 ? misses : [{ kind: 'not-together', provider: root }]
}

const isIn = (world: World, one: ProviderSlot, id: number): boolean =>
  world.providerAggregates.list(one).some(own => own === id)

function plainRootMisses(world: World, request: CandidateRequest, root: ProviderSlot): Miss[] {
  const has = (trait: string) => hasTrait(world, root, trait)
  return [
    ...request.rootRequired
      .filter(anyOf => !anyOf.some(has))
      .map(anyOf => ({ kind: 'root-trait-missing', provider: root, anyOf }) as const),
    ...request.rootForbidden
      .filter(has)
      .map(trait => ({ kind: 'root-trait-forbidden', provider: root, trait }) as const),
  ]
}

function plainGroupMisses(
  world: World,
  group: RequestGroup,
  members: readonly ProviderSlot[],
  root: ProviderSlot,
): Miss[] {
  const least = (resources: readonly (readonly [string, number])[]): Miss[] => {
    const rank = (misses: readonly Miss[]) => misses.reduce((sum, miss) => sum + (1 + shortfall(miss)), 0)
    const all = members.map(member => missesOfMember(world, group, resources, member, root))
    return all.toSorted((a, b) => rank(a) - rank(b))[0] ?? []
  }
  if (group.suffix !== '') return least([...group.resources])
  const texts = new Set([...group.resources].flatMap(one => least([one])).map(miss => JSON.stringify(miss)))
  const traits = group.required
    .filter(anyOf => !members.some(member => anyOf.some(trait => hasTrait(world, member, trait))))
    .map(anyOf => ({ kind: 'trait-missing', group: '', provider: root, anyOf }) as const)
  return [...[...texts].map(text => JSON.parse(text) as Miss), ...traits]
}

function missesOfMember(
  world: World,
  group: RequestGroup,
  resources: readonly (readonly [string, number])[],
  provider: ProviderSlot,
  anchor: ProviderSlot,
): Miss[] {
  const { suffix } = group
  const misses = resources.flatMap(([name, need]) => plainResourceMiss(world, suffix, provider, name, need))
  const has = (trait: string) => hasTrait(world, provider, trait)
  const seats = suffix === '' ? [provider, anchor] : [provider]
  const inOne = (uuid: string) => seats.some(seat => isMember(world, seat, uuid))
  if (suffix !== '')
    for (const anyOf of group.required)
      if (!anyOf.some(has)) misses.push({ kind: 'trait-missing', group: suffix, provider, anyOf })
  for (const trait of group.forbidden)
    if (has(trait)) misses.push({ kind: 'trait-forbidden', group: suffix, provider, trait })
  for (const anyOf of group.memberOf)
    if (!anyOf.some(inOne)) misses.push({ kind: 'not-in-aggregate', group: suffix, provider, anyOf })
  for (const aggregate of group.forbiddenAggregates)
    if (inOne(aggregate)) misses.push({ kind: 'in-forbidden-aggregate', group: suffix, provider, aggregate })
  const named = group.inTree === null ? undefined : world.providers.find(group.inTree)
  const isThere = named !== undefined && world.providers.rootOf(named) === world.providers.rootOf(provider)
  if (group.inTree !== null && !isThere)
    misses.push({ kind: 'other-tree', group: suffix, provider, tree: group.inTree })
  if (suffix !== '') return misses
  // What is asked for twice is missed once.
  const texts = new Set(misses.map(miss => JSON.stringify(miss)))
  return [...texts].map(text => JSON.parse(text) as Miss)
}

function plainResourceMiss(
  world: World,
  group: string,
  provider: ProviderSlot,
  name: string,
  need: number,
): Miss[] {
  const id = world.classes.id(name)
  const columns = id === undefined ? undefined : world.inventories.columns(id)
  if (!columns?.present.has(provider)) return [{ kind: 'no-inventory', group, provider, class: name, need }]
  const [capacity, used] = [columns.capacity[provider] as number, columns.used[provider] as number]
  const minUnit = columns.minUnit[provider] as number
  const maxUnit = columns.maxUnit[provider] as number
  const stepSize = columns.stepSize[provider] as number
  const isFree = used + need <= capacity
  if (isFree && need >= minUnit && need <= maxUnit && need % stepSize === 0) return []
  const whole = Math.trunc(capacity)
  const of = { group, provider, class: name, need }
  return need > whole - used
    ? [{ kind: 'short', ...of, free: whole - used, capacity: whole }]
    : [{ kind: 'units', ...of, minUnit, maxUnit, stepSize }]
}

async function forAll(
  check: (world: World, request: CandidateRequest, minor: number) => Promise<void>,
  shape: (cloud: Cloud) => Cloud = cloud => cloud,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(questionnaires(6), async ({ cloud, queries }) => {
      const world = buildWorld(shape(cloud))
      for (const { minor, request } of queries)
        if (
          request.groups.every(({ resources }) => [...resources.keys()].every(name => isKnown(world, name)))
        )
          await check(world, request, minor)
    }),
    { numRuns: RUNS },
  )
}

const isKnown = (world: World, name: string): boolean => world.classes.id(name) !== undefined

test('every tree lacks what plain code finds, and the nearest ones are those with the least', async () => {
  let looked = 0
  await forAll(async (world, request) => {
    const missesOf = missesByTree(world, request)
    const roots = [...world.providers.all()].filter(one => world.providers.rootOf(one) === one)
    for (const root of roots) expect(missesOf(root)).toEqual(plainMisses(world, request, root))
    const nearest = await nearestMisses(world, request, () => false, 2, turn)
    const rank = (misses: readonly Miss[]) =>
      misses.length + misses.reduce((sum, miss) => sum + shortfall(miss), 0) / (misses.length + 1)
    const ranks = roots.map(root => rank(plainMisses(world, request, root))).toSorted((a, b) => a - b)
    expect(nearest.map(({ misses }) => rank(misses))).toEqual(ranks.slice(0, 2))
    looked += roots.length
  })
  expect(looked).toBeGreaterThan(RUNS)
})

/** The roots only: a cloud without nested and sharing providers. */
const flat = ({ providers }: Cloud): Cloud => ({
  providers: providers
    .filter(({ parent }) => parent === null)
    .map(one => ({ ...one, traits: one.traits.filter(name => name !== SHARING_TRAIT) })),
})

test('in a flat cloud the trees that serve are those with a candidate', async () => {
  let served = 0
  await forAll(async (world, request, minor) => {
    const behaviour = behaviourOf(minor)
    const bounds = workBounds(20_000)
    const limits = { candidatesMax: 1_000, stepsMax: 20_000, randomSeed: null, bounds }
    const found = findCandidates(world, { ...request, limit: null }, behaviour, {
      strategy: 'depth-first',
      ...limits,
    })
    const candidates = found.kind === 'found' ? found.candidates.length : 0
    const seen: ProviderSlot[] = []
    const { trees, providers } = await census(world, request, behaviour, 20_000, turn, root =>
      seen.push(root),
    )
    expect([trees, providers, seen.length]).toEqual([candidates, candidates, candidates])
    served += trees
  }, flat)
  expect(served).toBeGreaterThan(RUNS / 10)
})
