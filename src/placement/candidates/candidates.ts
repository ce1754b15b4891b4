import { Bitset } from '../../kernel/bitset.ts'
import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import { Random } from '../../kernel/random.ts'
import type { World } from '../../world/world.ts'
import { type Candidate, CandidateList } from './list.ts'
import { makePlan, type Plan } from './plan.ts'
import type { CandidateBehaviour, CandidateRefusal, CandidateRequest, SearchSettings } from './request.ts'
import { AnchorSearch, Budget, SearchContext } from './search/root-search.ts'
import { RootSource } from './search/root-source.ts'
import { FlatSearch } from './shortcuts/flat-search.ts'

export interface FoundCandidates {
  readonly kind: 'found'
  /** Null when some part of the request already allowed nothing. */
  readonly plan: Plan | null
  readonly candidates: CandidateList
  /** Partial combinations looked at. */
  readonly steps: number
  /** What was looked at in vain, and what steps cost beyond one each. */
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
  const planned = makePlan(world, request, behaviour, plan => isServable(world, plan, budget))
  if (planned.kind === 'refused') return planned
  if (planned.kind === 'nothing')
    return {
      kind: 'found',
      plan: null,
      candidates: new CandidateList(0, 0),
      steps: budget.steps,
      work: budget.work,
      exhausted: budget.spent,
    }
  const limit = Math.min(request.limit ?? Number.POSITIVE_INFINITY, settings.candidatesMax)
  const collector = new Collector(planned.plan, limit)
  const random = settings.randomSeed === null ? null : new Random(settings.randomSeed)
  const lone = random === null ? FlatSearch.of(world, planned.plan) : null
  if (lone !== null) collectLone(lone, collector, budget)
  else {
    const bench = new SearchContext(world, planned.plan, budget, random)
    collect(new RootSource(world, planned.plan, random), collector, settings.strategy, bench)
  }
  if (random !== null) collector.candidates.shuffle(random)
  return {
    kind: 'found',
    plan: planned.plan,
    candidates: collector.candidates,
    steps: budget.steps,
    work: budget.work,
    exhausted: budget.spent,
  }
}

function isServable(world: World, plan: Plan, budget: Budget): boolean {
  const collector = new Collector(plan, 1)
  const bench = new SearchContext(world, plan, budget, null)
  collect(new RootSource(world, plan, null), collector, 'depth-first', bench)
  return collector.full
}

function collectLone(search: FlatSearch, collector: Collector, budget: Budget): void {
  while (!collector.full) {
    const provider = search.next()
    if (provider < 0 || !budget.step()) return
    collector.candidates.addLone(provider)
  }
}

/** Depth-first empties one tree before the next; breadth-first takes one candidate of each tree in turn. */
function collect(
  anchors: RootSource,
  collector: Collector,
  strategy: SearchSettings['strategy'],
  bench: SearchContext,
): void {
  // By chance, a tree comes out otherwise the next time; so its search has to be kept.
  const scout = bench.random === null ? new AnchorSearch(bench) : null
  const unfinished: (AnchorSearch | ProviderSlot)[] = []
  for (let anchor = anchors.next(); anchor !== null && !collector.full; anchor = anchors.next()) {
    if (bench.budget.spent) return
    const search = scout ?? new AnchorSearch(bench)
    if (strategy === 'breadth-first') {
      const found = search.first(anchor)
      if (found !== 'none') collector.add(search.chosen)
      // Mostly the limit is reached before anybody has a second turn: what that needs is made again then.
      if (found === 'first') unfinished.push(scout === null ? search : anchor)
    } else if (search.begin(anchor)) while (!collector.full && search.next()) collector.add(search.chosen)
  }
  takeTurns(unfinished, collector, bench)
}

function takeTurns(
  unfinished: readonly (AnchorSearch | ProviderSlot)[],
  collector: Collector,
  bench: SearchContext,
): void {
  let waiting = unfinished
  while (waiting.length > 0 && !collector.full) {
    const still: AnchorSearch[] = []
    for (const one of waiting) {
      if (collector.full) return
      const search = typeof one === 'number' ? new AnchorSearch(bench) : one
      if (typeof one === 'number') search.beginAgain(one)
      if (!search.next()) continue
      collector.add(search.chosen)
      still.push(search)
    }
    waiting = still
  }
}

/** A limit up to this is mostly reached, so there is room for as many at once. */
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

  /** Only what sharing providers serve alone can turn up again, for another tree. */
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

/** A candidate as the API tells it: amounts of one provider and class added up. */
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

/** The providers that the candidates take from, each once. */
export function usedProviders(world: World, found: FoundCandidates): ProviderSlot[] {
  return eachOnce(world, found, provider => provider)
}

/** The roots of the trees that the candidates take from, each once. */
export function usedTrees(world: World, found: FoundCandidates): ProviderSlot[] {
  const { root } = world.providers
  return eachOnce(world, found, provider => root[provider] as ProviderSlot)
}

const FEW = 8

function eachOnce(
  world: World,
  { plan, candidates }: FoundCandidates,
  of: (provider: ProviderSlot) => ProviderSlot,
): ProviderSlot[] {
  const listed: ProviderSlot[] = []
  if (plan === null) return listed
  // A set of all providers is large beside an answer of few.
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
