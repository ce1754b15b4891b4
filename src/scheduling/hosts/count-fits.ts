import { assert } from '../../kernel/assert.ts'
import { Bitset } from '../../kernel/bitset.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import type { ExpandedCandidate } from '../../placement/candidates/candidates.ts'
import { SHARING_TRAIT } from '../../placement/candidates/plan.ts'
import type { CandidateRequest } from '../../placement/candidates/request.ts'
import { countTimes } from '../../placement/candidates/shortcuts/flat-search.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import { missesByTree } from '../../placement/explain/nearest.ts'
import { type Change, insert } from '../../world/change.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import { FilterPipeline, type FilterRefusal } from '../framework/pipeline.ts'
import { partsOf, type SchedulingSetup } from '../framework/setup.ts'
import { listAllHosts } from '../hosts/hosts.ts'
import { OwnPlaces } from '../reservations/own-places.ts'
import { chooseAndClaim } from './claim.ts'
import { bookCandidate, makeHostCandidate } from './host-candidate.ts'
import { type AskRefusal, BEHAVIOUR, buildQuery, STEPS_PER_TREE_MAX } from './host-selection.ts'
import { toCandidateRequest } from './query/placement-query.ts'
import { listTraitWishes } from './query/trait-wishes.ts'
import { makeRequest, type ServerAsk } from './server-spec.ts'
import { WatchedHost } from './watched-host.ts'
import { WishedSearch } from './wished-search.ts'
import { HostColumns, type WorldHost } from './world-host.ts'

/** Why a host takes no more servers. */
export type FitsEnd =
  /** What is missing for one more server; names the resource class if there is one. */
  | { readonly kind: 'no-room'; readonly misses: readonly Miss[] }
  | { readonly kind: 'refused'; readonly refusals: readonly FilterRefusal[] }
  /** The ledger refused the candidate that the search found. */
  | { readonly kind: 'not-booked' }
  | { readonly kind: 'left-out' }
  /** No more was tried, so the host may take more. */
  | { readonly kind: 'cut' }

interface HostFits {
  readonly slot: ProviderSlot
  readonly fits: number
  readonly end: FitsEnd
}

export interface Fits {
  readonly kind: 'fits'
  /** Of all hosts, in order of slots. */
  readonly hosts: readonly HostFits[]
  /** The maximum was claimed, so more may fit. */
  readonly truncated: boolean
  /** The search gave up on some host, which may have space. */
  readonly searchExhausted: boolean
}

export interface CountingWay {
  /** The maximum of single claims, on hosts where the number cannot be computed. */
  readonly claimsMax: number
  readonly newUuid: () => string
  readonly seed: number
  readonly nowMs: number
  readonly pause: () => Promise<void>
}

/** Hosts or claims between two calls of `pause`. */
const STEPS_PER_TURN = 50

/**
 * How many more servers of an ask fit into a cloud: as many as can be claimed one after the other until no
 * host takes another. Claims go to the copy, and are undone before this resolves. Hosts that share nothing
 * are counted separately, because a claim on one does not change another. If no filter reads usage, only
 * capacity is a limit, and the number is computed, without any claim where a host is one provider; otherwise
 * servers are claimed one by one. Hosts that may use sharing providers take one server each in turn. What
 * reservations keep for servers like these is room for them.
 */
export async function countFits(
  copy: WorldCopy,
  ask: ServerAsk,
  setup: SchedulingSetup,
  way: CountingWay,
): Promise<Fits | AskRefusal> {
  // Each server would use one place, which has its size: all of them may be free for the count.
  const places = { ops: OwnPlaces.of(copy.world, ask, '').listReleases() }
  copy.make(places)
  try {
    const count = Count.begin(copy, ask, setup, way)
    return count instanceof Count ? await count.run() : count
  } finally {
    copy.takeBack(places)
  }
}

type Tried =
  | { readonly kind: 'taken'; readonly servers: number }
  | { readonly kind: 'ended'; readonly end: FitsEnd }

class Count {
  readonly #copy: WorldCopy
  readonly #world: World
  readonly #ask: ServerAsk
  readonly #setup: SchedulingSetup
  readonly #way: CountingWay
  /** The query stays the same while servers are claimed; capacity is read each time. */
  readonly #search: WishedSearch | null
  readonly #missesOf: ReturnType<typeof missesByTree>
  readonly #columns: HostColumns
  readonly #borrowers: Bitset
  /** Reused as long as no claim changes the request: null if a server group binds it. */
  readonly #pipeline: FilterPipeline | null
  /** Claims to undo at the end. */
  readonly #standing: Change[] = []
  #claims = 0
  #steps = 0

  private constructor(
    copy: WorldCopy,
    ask: ServerAsk,
    setup: SchedulingSetup,
    way: CountingWay,
    request: CandidateRequest,
    search: WishedSearch | null,
  ) {
    const { world } = copy
    this.#copy = copy
    this.#world = world
    this.#ask = ask
    this.#setup = setup
    this.#way = way
    this.#search = search
    this.#missesOf = missesByTree(world, request)
    this.#columns = new HostColumns(world)
    this.#borrowers = findBorrowers(world, request)
    this.#pipeline = findBindingPolicy(world, ask) === null ? this.#makePipeline() : null
  }

  static begin(
    copy: WorldCopy,
    ask: ServerAsk,
    setup: SchedulingSetup,
    way: CountingWay,
  ): Count | AskRefusal {
    const { world } = copy
    const query = buildQuery(world, ask, way.newUuid(), setup)
    if ('kind' in query) return query
    const request = toCandidateRequest(query.placement)
    const search = WishedSearch.of(world, request, listTraitWishes(query.request), BEHAVIOUR, {
      stepsPerTreeMax: STEPS_PER_TREE_MAX,
      // Searches a host again for each server that it takes.
      stepsMax: Number.POSITIVE_INFINITY,
    })
    if (search !== null && 'refused' in search) return { kind: 'unknown-name', refusal: search.refused }
    return new Count(copy, ask, setup, way, request, search)
  }

  async run(): Promise<Fits> {
    try {
      const found = new Map<ProviderSlot, { fits: number; end: FitsEnd }>()
      const first = this.#placeFirst()
      const together: ProviderSlot[] = []
      for (const slot of listAllHosts(this.#world)) {
        await this.#pause()
        if (this.#borrows(slot)) together.push(slot)
        else found.set(slot, this.#compute(slot) ?? (await this.#countAlone(slot)))
      }
      for (const [slot, one] of await this.#countInRounds(together)) found.set(slot, one)
      await this.#way.pause()
      const hosts = [...found].map(([slot, { fits, end }]) => ({
        slot,
        end,
        fits: fits + (slot === first ? 1 : 0),
      }))
      return {
        kind: 'fits',
        hosts: hosts.sort((a, b) => a.slot - b.slot),
        truncated: hosts.some(({ end }) => end.kind === 'cut'),
        searchExhausted: this.#search?.searchExhausted ?? false,
      }
    } finally {
      takeBack(this.#copy, this.#standing)
    }
  }

  /** If all members of a group must follow the first, places the first where the scheduler would. */
  #placeFirst(): ProviderSlot | null {
    const { newUuid, seed, nowMs } = this.#way
    const instance = newUuid()
    if (findBindingPolicy(this.#world, this.#ask) !== 'affinity') return null
    const { group } = makeRequest(this.#world, this.#ask, instance)
    if (group === null || group.membersByHost.size > 0) return null
    const ask = { ...this.#ask, instances: [instance] }
    const order = { ask, setup: this.#setup, seed, alternates: 0, sourceHolder: null }
    const outcome = chooseAndClaim(this.#world, { ...order, decision: newUuid(), rankedHosts: [] }, nowMs)
    if (!outcome.ok) return null
    this.#copy.make(outcome.change)
    this.#standing.push(outcome.change)
    return this.#world.providers.find(outcome.answer.placed[0]?.provider as string) ?? null
  }

  /** Null if the host must be counted by claims. */
  #compute(slot: ProviderSlot): { fits: number; end: FitsEnd } | null {
    const fits = this.#search?.countIn(slot) ?? null
    if (fits === null || this.#pipeline === null) return null
    const host = new WatchedHost(this.#world, slot, this.#columns)
    if (this.#isLeftOut(host)) return { fits: 0, end: { kind: 'left-out' } }
    if (fits > 0) {
      const { refusals } = this.#pipeline.judge(host)
      if (refusals.length > 0) return { fits: 0, end: { kind: 'refused', refusals } }
      if (host.readsUsage) return null
    }
    return { fits, end: { kind: 'no-room', misses: this.#missesOf(slot, fits) } }
  }

  async #countAlone(slot: ProviderSlot): Promise<{ fits: number; end: FitsEnd }> {
    const claims: Change[] = []
    try {
      for (let fits = 0; ; ) {
        await this.#pause()
        const tried = this.#tryOn(slot, claims, true)
        if (tried.kind === 'ended') return { fits, end: tried.end }
        fits += tried.servers
      }
    } finally {
      takeBack(this.#copy, claims)
    }
  }

  /** Claims one on each host in turn, until no host takes another. */
  async #countInRounds(
    slots: readonly ProviderSlot[],
  ): Promise<Map<ProviderSlot, { fits: number; end: FitsEnd }>> {
    const ended = new Map<ProviderSlot, { fits: number; end: FitsEnd }>()
    for (let fits = 0, open = slots; open.length > 0; fits++) {
      const still: ProviderSlot[] = []
      for (const slot of open) {
        await this.#pause()
        const tried = this.#tryOn(slot, this.#standing, false)
        if (tried.kind === 'ended') ended.set(slot, { fits, end: tried.end })
        else still.push(slot)
      }
      open = still
    }
    return ended
  }

  /** Claims one server, or as many as fit if that can be computed. */
  #tryOn(slot: ProviderSlot, claims: Change[], mayReckon: boolean): Tried {
    const world = this.#world
    const host = new WatchedHost(world, slot, this.#columns)
    const endWith = (end: FitsEnd): Tried => ({ kind: 'ended', end })
    const take = (change: Change) => {
      this.#copy.make(change)
      claims.push(change)
    }
    if (this.#isLeftOut(host)) return endWith({ kind: 'left-out' })
    const candidate = this.#search?.candidateIn(slot) ?? null
    if (candidate === null) return endWith({ kind: 'no-room', misses: this.#missesOf(slot) })
    const pipeline = this.#pipeline ?? this.#makePipeline()
    if (pipeline.findFirstRefusal(host) !== null)
      return endWith({ kind: 'refused', refusals: pipeline.explain(host).refusals })
    const isSteady = this.#pipeline !== null && !host.readsUsage
    if (mayReckon && isSteady) {
      const servers = countClaims(world, candidate)
      take(makeHolding(world, this.#way.newUuid(), candidate, servers))
      return { kind: 'taken', servers }
    }
    if (this.#claims >= this.#way.claimsMax) return endWith({ kind: 'cut' })
    const change = this.#claim(host, candidate)
    if (change === null) return endWith({ kind: 'not-booked' })
    take(change)
    this.#claims++
    return { kind: 'taken', servers: 1 }
  }

  #claim(host: WorldHost, candidate: ExpandedCandidate): Change | null {
    const { newUuid, nowMs } = this.#way
    const booking = { ask: this.#ask, instance: newUuid(), decision: newUuid(), sourceHolder: null }
    return bookCandidate(this.#world, booking, makeHostCandidate(this.#world, host, candidate), nowMs)
  }

  #isLeftOut(one: WorldHost): boolean {
    const { host, not_hosts } = this.#ask
    if (host === null && not_hosts.length === 0) return false
    return not_hosts.includes(one.uuid) || (host !== null && host !== one.uuid)
  }

  #borrows(slot: ProviderSlot): boolean {
    return (
      this.#borrowers.size > 0 &&
      this.#world.providers.listSubtree(slot).some(one => this.#borrowers.has(one))
    )
  }

  /** For a server without a host, on the current world. */
  #makePipeline(): FilterPipeline {
    const request = makeRequest(this.#world, this.#ask, this.#way.newUuid())
    return new FilterPipeline(partsOf(this.#setup).filters, request, this.#setup.settings)
  }

  async #pause(): Promise<void> {
    if (++this.#steps % STEPS_PER_TURN === 0) await this.#way.pause()
  }
}

function takeBack(copy: WorldCopy, claims: Change[]): void {
  for (const change of claims.reverse()) copy.takeBack(change)
  claims.length = 0
}

/** The policy of the ask's group, if it depends on where other members are. */
function findBindingPolicy({ compute }: World, { group }: ServerAsk): string | null {
  const policy = group === null ? undefined : compute.groups.find(group)?.policy
  return policy === 'affinity' || policy === 'anti-affinity' ? policy : null
}

/**
 * How often a candidate fits. The search would find the same candidate each time: capacity only shrinks, so
 * providers that it skipped stay unsuitable.
 */
export function countClaims({ inventories }: World, { allocations }: ExpandedCandidate): number {
  let least = Number.POSITIVE_INFINITY
  for (const [slot, amounts] of allocations)
    for (const [id, need] of amounts) {
      const columns = inventories.columns(id)
      assert(columns !== undefined, 'what is asked for is there')
      const [capacity, used] = [columns.capacity[slot] as number, columns.used[slot] as number]
      least = Math.min(least, countTimes(capacity, used, need))
    }
  assert(least >= 1 && least < Number.POSITIVE_INFINITY, () => `a candidate fits ${least} times`)
  return least
}

/** The allocations of this many servers, held by one consumer. It is never stored, so no rule checks it. */
export function makeHolding(
  world: World,
  uuid: string,
  { allocations }: ExpandedCandidate,
  servers: number,
): Change {
  const [id] = world.consumers.free.first(1)
  const owner = { project_id: '', user_id: '', consumer_type: null, generation: 1, updated_at: 0 }
  const consumer_id = id as number
  const ops = [insert('consumers', { id: consumer_id, uuid, ...owner })]
  for (const [provider_id, amounts] of allocations)
    for (const [class_id, need] of amounts)
      ops.push(insert('allocations', { consumer_id, provider_id, class_id, used: need * servers }))
  return { ops }
}

/** The providers in an aggregate with a provider that shares one of the requested classes. */
function findBorrowers(world: World, request: CandidateRequest): Bitset {
  const { traits, classes, inventories, providerTraits, providerAggregates } = world
  const found = new Bitset()
  const sharing = traits.id(SHARING_TRAIT)
  const names = new Set(request.groups.flatMap(({ resources }) => [...resources.keys()]))
  const wanted = [...names].flatMap(name => classes.id(name) ?? [])
  for (const slot of (sharing === undefined ? undefined : providerTraits.members(sharing)) ?? []) {
    const lender = slot as ProviderSlot
    if (!wanted.some(id => inventories.has(lender, id))) continue
    for (const aggregate of providerAggregates.list(lender))
      for (const member of providerAggregates.members(aggregate) ?? []) found.add(member)
  }
  return found
}
