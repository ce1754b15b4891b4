import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import { SHARING_TRAIT } from '../candidates/plan.ts'
import type { CandidateRequest } from '../candidates/request.ts'
import { type Pause, TREES_PER_TURN } from './census.ts'
import {
  type Miss,
  placeMisses,
  type ResolvedGroup,
  type ResolvedResource,
  resolveGroup,
  resolveRoots,
  resourceMiss,
  rootMisses,
  shortfall,
} from './misses.ts'

/** A tree that cannot serve the request, and the smallest set of reasons for that. */
export interface NearMiss {
  readonly root: ProviderSlot
  readonly misses: readonly Miss[]
}

/** The trees that come nearest to serving the request, best first. `serves` is true for trees that can serve it. */
export async function nearestMisses(
  world: World,
  request: CandidateRequest,
  serves: (root: ProviderSlot) => boolean,
  count: number,
  pause: Pause,
): Promise<NearMiss[]> {
  const best: { near: NearMiss; rank: number }[] = []
  const missesOf = missesByTree(world, request)
  let looked = 0
  for (const root of world.providers.all()) {
    if (++looked % TREES_PER_TURN === 0) await pause()
    if (world.providers.rootOf(root) !== root || serves(root)) continue
    const misses = missesOf(root)
    const rank = misses.length + misses.reduce((sum, miss) => sum + shortfall(miss), 0) / (misses.length + 1)
    if (best.length === count && rank >= (best.at(-1)?.rank as number)) continue
    const at = best.findIndex(other => other.rank > rank)
    best.splice(at < 0 ? best.length : at, 0, { near: { root, misses }, rank })
    if (best.length > count) best.pop()
  }
  return best.map(({ near }) => near)
}

/** What a tree lacks; also, if it is one provider, once it has served the request a number of times. */
type MissesOf = (root: ProviderSlot, times?: number) => Miss[]

/** What each tree lacks, for trees that cannot serve the request. Valid as long as only usage changes. */
export function missesByTree(world: World, request: CandidateRequest): MissesOf {
  const sharingProviders = lendersByAggregate(world)
  const roots = resolveRoots(world, request)
  const groups = request.groups.map(group => distinctIfPlain(resolveGroup(world, group, request.groups)))
  return (root, times = 0) => {
    const members = world.providers.listSubtree(root)
    const lenders = lendersTo(world, root, sharingProviders)
    if (lenders.length > 0) members.push(...lenders)
    const misses = rootMisses(roots, root)
    for (const group of groups) misses.push(...missesOfGroup(world, group, members, times))
    return misses.length > 0 ? misses : [{ kind: 'not-together', provider: root }]
  }
}

/** A provider that serves two classes of the unsuffixed group misses the same thing only once. */
function distinctIfPlain(group: ResolvedGroup): ResolvedGroup {
  if (group.suffix !== '') return group
  return {
    ...group,
    forbidden: distinct(group.forbidden, ({ trait }) => trait),
    memberOf: distinct(group.memberOf, ({ anyOf }) => JSON.stringify(anyOf)),
    forbiddenAggregates: distinct(group.forbiddenAggregates, ({ aggregate }) => aggregate),
  }
}

const distinct = <T>(all: readonly T[], keyOf: (one: T) => string): T[] => {
  const keys = all.map(keyOf)
  return all.filter((_, at) => keys.indexOf(keys[at] as string) === at)
}

/** For each part of the request, the provider that lacks least, and what it lacks. */
function missesOfGroup(
  world: World,
  group: ResolvedGroup,
  members: readonly ProviderSlot[],
  times: number,
): Iterable<Miss> {
  const { suffix, resources, required } = group
  const root = members[0] as ProviderSlot
  // Each member has one list, so what it misses for two classes is the same object.
  const known: (readonly Miss[])[] = []
  const placeOf = (at: number): readonly Miss[] => {
    known[at] ??= placeMisses(world, group, members[at] as ProviderSlot, root)
    return known[at]
  }
  if (suffix !== '') return findLeastMisses(suffix, resources, members, placeOf, times)
  const misses = new Set<Miss>()
  for (const resource of resources)
    for (const miss of findLeastMisses(suffix, [resource], members, placeOf, times)) misses.add(miss)
  for (const { anyOf, sets } of required)
    if (!members.some(member => sets.some(set => set.has(member))))
      misses.add({ kind: 'trait-missing', group: '', provider: root, anyOf })
  return misses
}

function findLeastMisses(
  group: string,
  resources: readonly ResolvedResource[],
  members: readonly ProviderSlot[],
  placeOf: (at: number) => readonly Miss[],
  times: number,
): Miss[] {
  let least: Miss[] | null = null
  let leastRank = Number.POSITIVE_INFINITY
  for (const [at, member] of members.entries()) {
    const misses: Miss[] = []
    for (const resource of resources) {
      const miss = resourceMiss(group, resource, member, times * resource.needTogether)
      if (miss !== null) misses.push(miss)
    }
    misses.push(...placeOf(at))
    let rank = 0
    for (const miss of misses) rank += 1 + shortfall(miss)
    if (rank >= leastRank) continue
    least = misses
    leastRank = rank
    if (rank === 0) break
  }
  return least ?? []
}

type Lenders = ReadonlyMap<number, readonly ProviderSlot[]>

function lendersByAggregate(world: World): Lenders {
  const id = world.traits.id(SHARING_TRAIT)
  const sharing = (id === undefined ? [] : [...(world.providerTraits.members(id) ?? [])]) as ProviderSlot[]
  const pairs = sharing.flatMap(provider =>
    world.providerAggregates.list(provider).map(aggregate => ({ aggregate, provider })),
  )
  const grouped = Map.groupBy(pairs, pair => pair.aggregate as number)
  return new Map([...grouped].map(([aggregate, found]) => [aggregate, found.map(one => one.provider)]))
}

/** In the order of the providers, so that of two that lack the same the same one is always named. */
function lendersTo(world: World, root: ProviderSlot, sharingProviders: Lenders): ProviderSlot[] {
  if (sharingProviders.size === 0) return []
  const found = new Set<ProviderSlot>()
  for (const member of world.providers.listSubtree(root))
    for (const aggregate of world.providerAggregates.list(member))
      for (const lender of sharingProviders.get(aggregate) ?? [])
        if (world.providers.rootOf(lender) !== root) found.add(lender)
  return [...found].sort((a, b) => a - b)
}
