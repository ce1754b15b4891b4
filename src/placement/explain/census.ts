import { Bitset } from '../../kernel/bitset.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import { findCandidates } from '../candidates/candidates.ts'
import { makePlan } from '../candidates/plan.ts'
import { type CandidateBehaviour, type CandidateRequest, workBounds } from '../candidates/request.ts'
import { Budget } from '../candidates/search/budget.ts'
import { RootSearch, SearchContext } from '../candidates/search/root-search.ts'
import { RootSource } from '../candidates/search/root-source.ts'
import { FlatSearch } from '../candidates/shortcuts/flat-search.ts'

/** How many trees can serve a request, and how many providers they can use for it. */
export interface Census {
  readonly trees: number
  readonly providers: number
}

/** Includes the providers themselves. */
export interface FullCensus extends Census {
  readonly used: Bitset
}

export function everything(world: World): FullCensus {
  let trees = 0
  const used = new Bitset()
  for (const slot of world.providers.all()) {
    used.add(slot)
    if (world.providers.rootOf(slot) === slot) trees++
  }
  return { trees, providers: used.size, used }
}

/** Lets other requests run after this much work. Rejects if the world has changed meanwhile. */
export type Pause = (work?: number) => Promise<void>

/** Trees between two pauses for other requests. */
export const TREES_PER_TURN = 1_000

/** Search cost between two pauses for other requests. */
const WORK_PER_TURN = 20_000

/** Counts with the search itself, so that it cannot contradict the explained answer. */
export async function census(
  world: World,
  request: CandidateRequest,
  behaviour: CandidateBehaviour,
  stepsMax: number,
  pause: Pause,
  onTree: (root: ProviderSlot) => void = () => undefined,
): Promise<FullCensus> {
  if (request.groups.length === 0) return everything(world)
  const planned = makePlan(world, request, behaviour)
  if (planned.kind !== 'plan') return { trees: 0, providers: 0, used: new Bitset() }
  const flat = FlatSearch.of(world, planned.plan)
  if (flat !== null) return flatCensus(flat, pause, onTree)
  // Every tree has the whole budget, so that one which is hard to search does not hide the others.
  const budget = new Budget(stepsMax, workBounds(stepsMax))
  const context = new SearchContext(world, planned.plan, budget, null)
  const search = new RootSearch(context)
  const roots = new RootSource(world, planned.plan, null)
  const used = new Bitset()
  let trees = 0
  let looked = 0
  let work = 0
  for (let root = roots.next(); root !== null; root = roots.next()) {
    work += budget.work
    budget.refill()
    if (++looked % TREES_PER_TURN === 0 || work > WORK_PER_TURN) {
      const done = work
      work = 0
      await pause(done)
    }
    if (!search.begin(root) || !search.next()) continue
    trees++
    onTree(root)
    search.complete()
    for (const domain of search.domains) for (const provider of domain.slots) used.add(provider)
  }
  return { trees, providers: used.size, used }
}

/** Where a tree is one provider. */
async function flatCensus(
  flat: FlatSearch,
  pause: Pause,
  onTree: (root: ProviderSlot) => void,
): Promise<FullCensus> {
  const used = new Bitset()
  for (let slot = flat.next(); slot >= 0; slot = flat.next()) {
    used.add(slot)
    onTree(slot as ProviderSlot)
    if (used.size % TREES_PER_TURN === 0) await pause(TREES_PER_TURN)
  }
  return { trees: used.size, providers: used.size, used }
}

/** Whether there is any candidate. */
export function isServable(
  world: World,
  request: CandidateRequest,
  behaviour: CandidateBehaviour,
  stepsMax: number,
): boolean {
  if (request.groups.length === 0) return world.providers.size > 0
  const found = findCandidates(world, { ...request, limit: 1 }, behaviour, {
    strategy: 'depth-first',
    randomSeed: null,
    candidatesMax: 1,
    stepsMax,
    bounds: workBounds(stepsMax),
  })
  return found.kind === 'found' && found.candidates.length > 0
}
