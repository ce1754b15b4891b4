import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import { SHARING_TRAIT } from '../candidates/plan.ts'
import type { CandidateRequest, RequestGroup } from '../candidates/request.ts'
import { type Pause, TREES_PER_TURN } from './census.ts'
import { groupMisses, hasTrait, type Miss, rootMisses, shortfall } from './misses.ts'

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

/** What each tree lacks, for trees that cannot serve the request. */
export function missesByTree(world: World, request: CandidateRequest): (root: ProviderSlot) => Miss[] {
  const sharingProviders = lendersByAggregate(world)
  return root => treeMisses(world, request, root, lendersTo(world, root, sharingProviders))
}

/** For each part of the request, the provider that lacks least, and what it lacks. */
function treeMisses(
  world: World,
  request: CandidateRequest,
  root: ProviderSlot,
  sharingProviders: readonly ProviderSlot[],
): Miss[] {
  const members = [...world.providers.listSubtree(root), ...sharingProviders]
  const misses = [
    ...rootMisses(world, request, root),
    ...request.groups.flatMap(group => missesOfGroup(world, group, members, root)),
  ]
  return misses.length > 0 ? misses : [{ kind: 'not-together', provider: root }]
}

function missesOfGroup(
  world: World,
  group: RequestGroup,
  members: readonly ProviderSlot[],
  root: ProviderSlot,
): Miss[] {
  if (group.suffix !== '') return findLeastMisses(world, group, [...group.resources], members, root)
  const perClass = dropDuplicates(
    [...group.resources].flatMap(resource => findLeastMisses(world, group, [resource], members, root)),
  )
  const traits = group.required
    .filter(anyOf => !members.some(member => anyOf.some(trait => hasTrait(world, member, trait))))
    .map(anyOf => ({ kind: 'trait-missing', group: '', provider: root, anyOf }) as const)
  return [...perClass, ...traits]
}

/** A provider that serves two classes misses the same aggregate only once. */
function dropDuplicates(misses: readonly Miss[]): Miss[] {
  return [...new Map(misses.map(miss => [JSON.stringify(miss), miss])).values()]
}

function findLeastMisses(
  world: World,
  group: RequestGroup,
  resources: readonly (readonly [string, number])[],
  members: readonly ProviderSlot[],
  root: ProviderSlot,
): Miss[] {
  let least: Miss[] | null = null
  let leastRank = Number.POSITIVE_INFINITY
  for (const member of members) {
    const misses = groupMisses(world, group, resources, member, root)
    const rank = misses.reduce((sum, miss) => sum + 1 + shortfall(miss), 0)
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

function lendersTo(world: World, root: ProviderSlot, sharingProviders: Lenders): ProviderSlot[] {
  if (sharingProviders.size === 0) return []
  const found = new Set<ProviderSlot>()
  for (const member of world.providers.listSubtree(root))
    for (const aggregate of world.providerAggregates.list(member))
      for (const lender of sharingProviders.get(aggregate) ?? [])
        if (world.providers.rootOf(lender) !== root) found.add(lender)
  return [...found]
}
