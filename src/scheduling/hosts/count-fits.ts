import { assert } from '../../kernel/assert.ts'
import { Bitset } from '../../kernel/bitset.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import type { ExpandedCandidate } from '../../placement/candidates/candidates.ts'
import { SHARING_TRAIT } from '../../placement/candidates/plan.ts'
import type { CandidateRequest } from '../../placement/candidates/request.ts'
import { TreeSearch } from '../../placement/candidates/trees.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import { missesByTree } from '../../placement/explain/nearest.ts'
import { type Change, insert } from '../../world/change.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import { FilterPipeline, type FilterRefusal } from '../framework/pipeline.ts'
import { partsOf, type SchedulingSetup } from '../framework/setup.ts'
import { allHosts } from '../hosts/hosts.ts'
import { chooseAndClaim } from './claim.ts'
import { bookCandidate, hostCandidate } from './host-candidate.ts'
import { type AskRefusal, BEHAVIOUR, buildQuery, STEPS_PER_TREE_MAX } from './host-selection.ts'
import { candidateRequestOf } from './query/placement-query.ts'
import { requestOf, type ServerAsk } from './server-spec.ts'
import { WatchedHost } from './watched-host.ts'
import type { WorldHost } from './world-host.ts'

/** Why a host takes no more. */
export type FitsEnd =
  /** What is missing for one more; a class of resources is named where there is one. */
  | { readonly kind: 'no-room'; readonly misses: readonly Miss[] }
  | { readonly kind: 'refused'; readonly refusals: readonly FilterRefusal[] }
  /** The ledger would not book what the search found. */
  | { readonly kind: 'not-booked' }
  | { readonly kind: 'left-out' }
  /** It may take more: no more was tried. */
  | { readonly kind: 'cut' }

interface HostFits {
  readonly slot: ProviderSlot
  readonly fits: number
  readonly end: FitsEnd
}

export interface Fits {
  readonly kind: 'fits'
  /** Of all hosts, in the order of slots. */
  readonly hosts: readonly HostFits[]
  /** As many were claimed as were allowed to be, so that more may fit. */
  readonly truncated: boolean
  /** Some host was too hard to search, and may have had room. */
  readonly searchExhausted: boolean
}

export interface CountingWay {
  /** How many may be claimed one by one, on hosts where it cannot be reckoned. */
  readonly claimsMax: number
  readonly newUuid: () => string
  readonly seed: number
  readonly nowMs: number
  readonly pause: () => Promise<void>
}

/** How many hosts are looked at, or claims made, in one go. */
const STEPS_PER_TURN = 200

/**
 * How many more servers of an ask a cloud takes: as many as could be claimed one after the other until no host takes another.
 * Claims are made on the copy, and taken back before this resolves.
 *
 * Hosts that share nothing are counted each by itself, as no claim on one changes what another takes. Where no filter looks at
 * what is used, nothing but room can end it, and what one server takes is taken as often as there is room for it at once;
 * everywhere else servers are claimed one by one. Hosts that may use what others lend take one each in turn.
 */
export async function countFits(
  copy: WorldCopy,
  ask: ServerAsk,
  setup: SchedulingSetup,
  way: CountingWay,
): Promise<Fits | AskRefusal> {
  const count = Count.of(copy, ask, setup, way)
  return count instanceof Count ? count.run() : count
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
  /** What is asked of Placement does not change while servers are claimed, and room is looked at anew each time. */
  readonly #search: TreeSearch | null
  readonly #missesOf: (root: ProviderSlot) => readonly Miss[]
  readonly #borrowers: Bitset
  /** Kept while no claim can change what the request sees of others: while there is no group that binds. */
  readonly #pipeline: FilterPipeline | null
  /** Claims that stand, to be taken back at the end. */
  readonly #standing: Change[] = []
  #claims = 0
  #steps = 0

  private constructor(
    copy: WorldCopy,
    ask: ServerAsk,
    setup: SchedulingSetup,
    way: CountingWay,
    request: CandidateRequest,
    search: TreeSearch | null,
  ) {
    const { world } = copy
    this.#copy = copy
    this.#world = world
    this.#ask = ask
    this.#setup = setup
    this.#way = way
    this.#search = search
    this.#missesOf = missesByTree(world, request)
    this.#borrowers = borrowersOf(world, request)
    this.#pipeline = bindingPolicy(world, ask) === null ? this.#newPipeline() : null
  }

  static of(copy: WorldCopy, ask: ServerAsk, setup: SchedulingSetup, way: CountingWay): Count | AskRefusal {
    const { world } = copy
    const query = buildQuery(world, ask, way.newUuid(), setup)
    if ('kind' in query) return query
    const request = candidateRequestOf(query.placement)
    const search = TreeSearch.of(world, request, BEHAVIOUR, {
      stepsPerTreeMax: STEPS_PER_TREE_MAX,
      // Each host is asked as often as it takes another server.
      stepsMax: Number.POSITIVE_INFINITY,
    })
    if (search !== null && 'refused' in search) return { kind: 'unknown-name', refusal: search.refused }
    return new Count(copy, ask, setup, way, request, search)
  }

  async run(): Promise<Fits> {
    try {
      const found = new Map<ProviderSlot, { fits: number; end: FitsEnd }>()
      const first = this.#firstOfGroup()
      const together: ProviderSlot[] = []
      for (const slot of allHosts(this.#world)) {
        if (this.#borrows(slot)) together.push(slot)
        else found.set(slot, await this.#alone(slot))
      }
      for (const [slot, one] of await this.#inRounds(together)) found.set(slot, one)
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

  /** Where all of a group follow the first, the first goes where the scheduler would put it. */
  #firstOfGroup(): ProviderSlot | null {
    const { newUuid, seed, nowMs } = this.#way
    const instance = newUuid()
    if (bindingPolicy(this.#world, this.#ask) !== 'affinity') return null
    const { group } = requestOf(this.#world, this.#ask, instance)
    if (group === null || group.membersByHost.size > 0) return null
    const ask = { ...this.#ask, instances: [instance] }
    const order = { ask, setup: this.#setup, seed, alternates: 0, sourceHolder: null }
    const outcome = chooseAndClaim(this.#world, { ...order, decision: newUuid(), rankedHosts: [] }, nowMs)
    if (!outcome.ok) return null
    this.#copy.make(outcome.change)
    this.#standing.push(outcome.change)
    return this.#world.providers.find(outcome.answer.placed[0]?.provider as string) ?? null
  }

  async #alone(slot: ProviderSlot): Promise<{ fits: number; end: FitsEnd }> {
    const claims: Change[] = []
    try {
      for (let fits = 0; ; ) {
        await this.#turn()
        const tried = this.#tryOn(slot, claims, true)
        if (tried.kind === 'ended') return { fits, end: tried.end }
        fits += tried.servers
      }
    } finally {
      takeBack(this.#copy, claims)
    }
  }

  /** One on each host in turn, until none takes another. */
  async #inRounds(
    slots: readonly ProviderSlot[],
  ): Promise<Map<ProviderSlot, { fits: number; end: FitsEnd }>> {
    const ended = new Map<ProviderSlot, { fits: number; end: FitsEnd }>()
    for (let fits = 0, open = slots; open.length > 0; fits++) {
      const still: ProviderSlot[] = []
      for (const slot of open) {
        await this.#turn()
        const tried = this.#tryOn(slot, this.#standing, false)
        if (tried.kind === 'ended') ended.set(slot, { fits, end: tried.end })
        else still.push(slot)
      }
      open = still
    }
    return ended
  }

  /** Takes room for one server, or for as many as take the same if that may be reckoned. */
  #tryOn(slot: ProviderSlot, claims: Change[], mayReckon: boolean): Tried {
    const world = this.#world
    const host = new WatchedHost(world, slot)
    const ended = (end: FitsEnd): Tried => ({ kind: 'ended', end })
    const take = (change: Change) => {
      this.#copy.make(change)
      claims.push(change)
    }
    if (this.#isLeftOut(host)) return ended({ kind: 'left-out' })
    const candidate = this.#search?.candidateIn(slot) ?? null
    if (candidate === null) return ended({ kind: 'no-room', misses: this.#missesOf(slot) })
    const pipeline = this.#pipeline ?? this.#newPipeline()
    if (pipeline.firstRefusal(host) !== null)
      return ended({ kind: 'refused', refusals: pipeline.explain(host).refusals })
    const isSteady = this.#pipeline !== null && !host.readsUsage
    if (mayReckon && isSteady) {
      const servers = timesOf(world, candidate)
      take(heldBy(world, this.#way.newUuid(), candidate, servers))
      return { kind: 'taken', servers }
    }
    if (this.#claims >= this.#way.claimsMax) return ended({ kind: 'cut' })
    const change = this.#claim(host, candidate)
    if (change === null) return ended({ kind: 'not-booked' })
    take(change)
    this.#claims++
    return { kind: 'taken', servers: 1 }
  }

  #claim(host: WorldHost, candidate: ExpandedCandidate): Change | null {
    const { newUuid, nowMs } = this.#way
    const booking = { ask: this.#ask, instance: newUuid(), decision: newUuid(), sourceHolder: null }
    return bookCandidate(this.#world, booking, hostCandidate(this.#world, host, candidate), nowMs)
  }

  #isLeftOut({ uuid }: WorldHost): boolean {
    const { host, not_hosts } = this.#ask
    return not_hosts.includes(uuid) || (host !== null && host !== uuid)
  }

  #borrows(slot: ProviderSlot): boolean {
    return this.#world.providers.subtree(slot).some(one => this.#borrowers.has(one))
  }

  /** For a server that is nowhere yet, on the world as it is. */
  #newPipeline(): FilterPipeline {
    const request = requestOf(this.#world, this.#ask, this.#way.newUuid())
    return new FilterPipeline(partsOf(this.#setup).filters, request, this.#setup.settings)
  }

  async #turn(): Promise<void> {
    if (++this.#steps % STEPS_PER_TURN === 0) await this.#way.pause()
  }
}

function takeBack(copy: WorldCopy, claims: Change[]): void {
  for (const change of claims.reverse()) copy.takeBack(change)
  claims.length = 0
}

/** The policy of the ask's group, if it keeps servers off hosts for the sake of others. */
function bindingPolicy({ compute }: World, { group }: ServerAsk): string | null {
  const policy = group === null ? undefined : compute.groups.find(group)?.policy
  return policy === 'affinity' || policy === 'anti-affinity' ? policy : null
}

/**
 * How often there is room for a candidate, of which one fits. The search finds the same one as long as there is: room only
 * ever gets less, so that what it passed over before it passes over again.
 */
function timesOf({ inventories }: World, { allocations }: ExpandedCandidate): number {
  let least = Number.POSITIVE_INFINITY
  for (const [slot, amounts] of allocations)
    for (const [id, need] of amounts) {
      const columns = inventories.columns(id)
      assert(columns !== undefined, 'what is asked for is there')
      const [capacity, used] = [columns.capacity[slot] as number, columns.used[slot] as number]
      // A quotient may be rounded up to the next whole number.
      const guess = Math.floor((capacity - used) / need)
      least = Math.min(least, used + guess * need > capacity ? guess - 1 : guess)
    }
  assert(least >= 1 && least < Number.POSITIVE_INFINITY, () => `a candidate fits ${least} times`)
  return least
}

/** All that so many servers would hold, held by one: no rule is asked, as it is never written. */
function heldBy(world: World, uuid: string, { allocations }: ExpandedCandidate, servers: number): Change {
  const [id] = world.consumers.free.first(1)
  const owner = { project_id: '', user_id: '', consumer_type: null, generation: 1, updated_at: 0 }
  const consumer_id = id as number
  const ops = [insert('consumers', { id: consumer_id, uuid, ...owner })]
  for (const [provider_id, amounts] of allocations)
    for (const [class_id, need] of amounts)
      ops.push(insert('allocations', { consumer_id, provider_id, class_id, used: need * servers }))
  return { ops }
}

/** The providers that are in an aggregate with one who lends some of what is asked for. */
function borrowersOf(world: World, request: CandidateRequest): Bitset {
  const { traits, classes, inventories, providerTraits, providerAggregates } = world
  const found = new Bitset()
  const sharing = traits.id(SHARING_TRAIT)
  const names = new Set(request.groups.flatMap(({ resources }) => [...resources.keys()]))
  const wanted = [...names].flatMap(name => classes.id(name) ?? [])
  for (const slot of (sharing === undefined ? undefined : providerTraits.members(sharing)) ?? []) {
    const lender = slot as ProviderSlot
    if (!wanted.some(id => inventories.has(lender, id))) continue
    for (const aggregate of providerAggregates.of(lender))
      for (const member of providerAggregates.members(aggregate) ?? []) found.add(member)
  }
  return found
}
