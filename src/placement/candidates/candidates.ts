import { Bitset } from '../../kernel/bitset.ts'
import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import { Random } from '../../kernel/random.ts'
import type { World } from '../../world/world.ts'
import { type Candidate, CandidateList } from './list.ts'
import { makePlan, type Plan } from './plan.ts'
import type { CandidateBehaviour, CandidateRefusal, CandidateRequest, SearchSettings } from './request.ts'
import { Budget } from './search/budget.ts'
import { RootSearch, SearchContext } from './search/root-search.ts'
import { RootSource } from './search/root-source.ts'
import { FlatSearch } from './shortcuts/flat-search.ts'

export interface FoundCandidates {
  readonly kind: 'found'
  /** Null if no provider can meet some part of the request. */
  readonly plan: Plan | null
  readonly candidates: CandidateList
  /** Partial candidates tried. */
  readonly steps: number
  /** The cost of steps beyond one unit each, and of steps that led to no candidate. */
  readonly work: number
  /** The search stopped at `stepsMax`; there may be more candidates. */
  readonly exhausted: boolean
}

export function findCandidates(
  world: World,
  request: CandidateRequest,
  behaviour: CandidateBehaviour,
  settings: SearchSettings,
): FoundCandidates | { readonly kind: 'refused'; readonly refusal: CandidateRefusal } {
  const budget = new Budget(settings.stepsMax, settings.bounds)
  const planned = makePlan(world, request, behaviour)
  if (planned.kind === 'nothing') return makeFound(budget, null, new CandidateList(0, 0))
  if (planned.kind === 'refused')
    return planned.earlier.every(plan => hasCandidate(world, plan, budget))
      ? { kind: 'refused', refusal: planned.refusal }
      : makeFound(budget, null, new CandidateList(0, 0))
  const { plan } = planned
  const limit = Math.min(request.limit ?? Number.POSITIVE_INFINITY, settings.candidatesMax)
  const collector = new Collector(plan, limit)
  const random = settings.randomSeed === null ? null : new Random(settings.randomSeed)
  const flat = random === null ? FlatSearch.of(world, plan) : null
  if (flat !== null) collectFlat(flat, collector, budget)
  else collect(new SearchContext(world, plan, budget, random), collector, settings.strategy)
  if (random !== null) collector.candidates.shuffle(random)
  return makeFound(budget, plan, collector.candidates)
}

function makeFound(budget: Budget, plan: Plan | null, candidates: CandidateList): FoundCandidates {
  const { steps, work, spent } = budget
  return { kind: 'found', plan, candidates, steps, work, exhausted: spent }
}

function hasCandidate(world: World, plan: Plan, budget: Budget): boolean {
  const collector = new Collector(plan, 1)
  collect(new SearchContext(world, plan, budget, null), collector, 'depth-first')
  return collector.full
}

function collectFlat(search: FlatSearch, collector: Collector, budget: Budget): void {
  while (!collector.full) {
    const provider = search.next()
    if (provider < 0 || !budget.step()) return
    collector.candidates.addFlat(provider)
  }
}

/**
 * Depth-first takes all candidates of a tree before the next tree; breadth-first takes one candidate of each
 * tree in turn. One search object serves all trees: mostly the limit is reached before any tree has its
 * second turn, and one object per tree takes twice as long.
 */
function collect(context: SearchContext, collector: Collector, strategy: SearchSettings['strategy']): void {
  const roots = new RootSource(context.world, context.plan, context.random)
  // In random order, a tree's search cannot be repeated, so it must be kept.
  const shared = context.random === null ? new RootSearch(context) : null
  const unfinished: (RootSearch | ProviderSlot)[] = []
  for (let root = roots.next(); root !== null && !collector.full; root = roots.next()) {
    if (context.budget.spent) return
    const search = shared ?? new RootSearch(context)
    if (strategy === 'breadth-first') {
      const found = search.findFirst(root)
      if (found !== 'none') collector.add(search.chosen)
      if (found === 'first') unfinished.push(shared === null ? search : root)
    } else if (search.begin(root)) while (!collector.full && search.next()) collector.add(search.chosen)
  }
  collectInTurns(unfinished, collector, context)
}

function collectInTurns(
  unfinished: readonly (RootSearch | ProviderSlot)[],
  collector: Collector,
  context: SearchContext,
): void {
  let waiting = unfinished
  while (waiting.length > 0 && !collector.full) {
    const still: RootSearch[] = []
    for (const one of waiting) {
      if (collector.full) return
      const search = typeof one === 'number' ? new RootSearch(context) : one
      if (typeof one === 'number') search.beginAgain(one)
      if (!search.next()) continue
      collector.add(search.chosen)
      still.push(search)
    }
    waiting = still
  }
}

/** A limit up to this is mostly reached, so memory for that many candidates is reserved at the start. */
const EXPECTED_MAX = 1_000

class Collector {
  readonly candidates: CandidateList
  readonly #limit: number
  readonly #sharing = new Bitset()
  readonly #seen = new Set<string>()

  constructor(plan: Plan, limit: number) {
    this.#limit = limit
    this.candidates = new CandidateList(plan.asks.length, limit <= EXPECTED_MAX ? limit : 0)
    for (const provider of plan.sharing) this.#sharing.add(provider)
  }

  get full(): boolean {
    return this.candidates.length >= this.#limit
  }

  /** Only a candidate that consists of sharing providers can be found twice, for different trees. */
  add(chosen: Int32Array): void {
    if (this.#sharing.size > 0 && this.#isAllShared(chosen)) {
      const key = chosen.join(' ')
      if (this.#seen.has(key)) return
      this.#seen.add(key)
    }
    this.candidates.add(chosen)
  }

  #isAllShared(chosen: Int32Array): boolean {
    for (let at = 0; at < chosen.length; at++) if (!this.#sharing.has(chosen[at] as number)) return false
    return true
  }
}

export interface ExpandedCandidate {
  readonly allocations: ReadonlyMap<ProviderSlot, ReadonlyMap<ClassId, number>>
  /** By suffix, every group listed. */
  readonly mappings: ReadonlyMap<string, readonly ProviderSlot[]>
}

/** A candidate as the API shows it: amounts of one provider and class added up. */
export function expandCandidate(plan: Plan, candidate: Candidate): ExpandedCandidate {
  const allocations = new Map<ProviderSlot, Map<ClassId, number>>()
  const mappings = new Map<string, ProviderSlot[]>()
  plan.asks.forEach((ask, at) => {
    const provider = candidate[at] as ProviderSlot
    const mapped = mappings.get(ask.suffix)
    if (mapped === undefined) mappings.set(ask.suffix, [provider])
    else if (!mapped.includes(provider)) mapped.push(provider)
    ask.classes.forEach((id, nth) => {
      let amounts = allocations.get(provider)
      if (amounts === undefined) {
        amounts = new Map()
        allocations.set(provider, amounts)
      }
      amounts.set(id, (amounts.get(id) ?? 0) + (ask.amounts[nth] as number))
    })
  })
  return { allocations, mappings }
}

/** The providers that the candidates use, each once. */
export function usedProviders(world: World, found: FoundCandidates): ProviderSlot[] {
  return listOnce(world, found, provider => provider)
}

/** The roots of the trees that the candidates use, each once. */
export function usedTrees(world: World, found: FoundCandidates): ProviderSlot[] {
  const { root } = world.providers
  return listOnce(world, found, provider => root[provider] as ProviderSlot)
}

const FEW = 8

function listOnce(
  world: World,
  { plan, candidates }: FoundCandidates,
  of: (provider: ProviderSlot) => ProviderSlot,
): ProviderSlot[] {
  const listed: ProviderSlot[] = []
  if (plan === null) return listed
  // For few candidates, a bitset of all providers would cost more than the rest.
  const seen = candidates.length <= FEW ? null : new Bitset(world.providers.slots)
  const serves = plan.asks.map(ask => ask.classes.length > 0)
  const { slots, asks, length } = candidates
  for (let nth = 0; nth < length; nth++) {
    let last = -1
    for (let ask = 0; ask < asks; ask++) {
      const provider = slots[nth * asks + ask] as ProviderSlot
      if (provider === last || serves[ask] === false) continue
      last = provider
      const one = of(provider)
      if (seen === null ? !listed.includes(one) : seen.add(one)) listed.push(one)
    }
  }
  return listed
}
