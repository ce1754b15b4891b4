import type { ProviderSlot } from '../../kernel/ids.ts'
import type { ExpandedCandidate } from '../../placement/candidates/candidates.ts'
import type { CandidateBehaviour, CandidateRefusal } from '../../placement/candidates/request.ts'
import type { World } from '../../world/world.ts'
import { FilterPipeline } from '../framework/pipeline.ts'
import { partsOf, type SchedulingSetup } from '../framework/setup.ts'
import { rankHosts } from '../framework/weighing.ts'
import { isHost } from './hosts.ts'
import type { ListedHosts } from './known-hosts.ts'
import { getKnownQueries, type KnownQuery } from './known-queries.ts'
import { ClaimChoice } from './packing/claim-choice.ts'
import type { HardwareFault } from './query/hardware-specs.ts'
import {
  findQueryFaults,
  type PlacementQuery,
  type QueryFault,
  toCandidateRequest,
} from './query/placement-query.ts'
import { type Prefiltered, prefilterCloud } from './query/prefilters.ts'
import type { FlavorWarning } from './query/query-draft.ts'
import { makeRequestQuery } from './query/request-query.ts'
import { listTraitWishes } from './query/trait-wishes.ts'
import { type JudgedHosts, RankedHosts } from './ranked-hosts.ts'
import type { SchedulingRequest } from './request-view.ts'
import { makeRawQuery, makeRequest, type ServerAsk } from './server-spec.ts'
import { WatchedRequest } from './watched-request.ts'
import { WishedSearch } from './wished-search.ts'
import { HostColumns, WorldHost } from './world-host.ts'

/** As in the newest Placement: a host may use sharing providers, even if the request names only that host. */
export const BEHAVIOUR: CandidateBehaviour = { nested: true, inTreeTouches: true }
/** Search limits per tree, and in total with an extra per provider. */
export const STEPS_PER_TREE_MAX = 200_000
const STEPS_PER_PROVIDER = 50

/** Why a request has no query. */
export type AskRefusal =
  | { readonly kind: 'flavor-faults'; readonly faults: readonly HardwareFault[] }
  | { readonly kind: 'nothing-asked' }
  | { readonly kind: 'no-aggregate-for-project'; readonly project: string | null }
  | { readonly kind: 'query-refused'; readonly faults: readonly QueryFault[] }
  | { readonly kind: 'unknown-name'; readonly refusal: CandidateRefusal }
  | { readonly kind: 'host-missing'; readonly host: string }
  | { readonly kind: 'group-missing'; readonly group: string }

/** The Placement query for one server, and the request for filters. */
export interface ServerQuery {
  readonly request: SchedulingRequest
  readonly placement: PlacementQuery
  readonly prefilters: Prefiltered['applied']
  readonly warnings: readonly FlavorWarning[]
}

/** Makes the query for one server, on the current world. */
export const buildQuery = (
  world: World,
  ask: ServerAsk,
  instance: string,
  setup: SchedulingSetup,
): ServerQuery | AskRefusal =>
  findMissing(world, ask) ?? buildQueryFor(world, ask, makeRequest(world, ask, instance), setup)

function findMissing(world: World, { host, group }: ServerAsk): AskRefusal | null {
  if (group !== null && world.compute.groups.find(group) === undefined)
    return { kind: 'group-missing', group }
  return host !== null && findTarget(world, host) === undefined ? { kind: 'host-missing', host } : null
}

function buildQueryFor(
  world: World,
  { spec, project }: ServerAsk,
  request: SchedulingRequest,
  { settings }: SchedulingSetup,
): ServerQuery | AskRefusal {
  const raw =
    spec.groups === null ? null : makeRawQuery(spec.groups, spec.group_policy, settings.candidatesMax)
  const made = makeRequestQuery(request, prefilterCloud(world), settings, raw)
  if (!made.ok) return { kind: 'flavor-faults', faults: made.faults }
  const { query, warnings, applied, isPossible } = made
  if (!isPossible) return { kind: 'no-aggregate-for-project', project }
  if (query.groups.every(({ resources }) => resources.size === 0)) return { kind: 'nothing-asked' }
  const faults = findQueryFaults(query, settings.requestGroupsMax)
  if (faults.length > 0) return { kind: 'query-refused', faults }
  return { request, placement: query, warnings, prefilters: applied }
}

function findTarget(world: World, uuid: string): ProviderSlot | undefined {
  const slot = world.providers.find(uuid)
  return slot !== undefined && isHost(world, slot) ? slot : undefined
}

/** Called at the end of each step of a choice, with the number of remaining hosts; for traces. */
export interface ChoiceSteps {
  ended(step: 'candidates' | 'filters' | 'weighers', hosts: number): void
}

/** A request for one server on the current world, up to the choice of a host. */
export class HostSelection {
  readonly query: ServerQuery
  readonly pipeline: FilterPipeline
  readonly #world: World
  readonly #ask: ServerAsk
  readonly #setup: SchedulingSetup
  /** Null if some part of the query allows nothing. */
  readonly #search: WishedSearch | null
  readonly #claims: ClaimChoice | null
  /** Null if nothing is known of requests of this kind. */
  readonly #known: KnownQuery | null

  private constructor(
    world: World,
    ask: ServerAsk,
    setup: SchedulingSetup,
    query: ServerQuery,
    search: WishedSearch | null,
    known: KnownQuery | null,
  ) {
    this.#known = known
    this.#world = world
    this.#ask = ask
    this.#setup = setup
    this.query = query
    this.#search = search
    const { filters, weighers } = partsOf(setup)
    this.pipeline = new FilterPipeline(filters, query.request, setup.settings)
    this.#claims =
      search === null ? null : ClaimChoice.of(world, search, query.request, setup.settings, weighers)
  }

  static of(
    world: World,
    ask: ServerAsk,
    instance: string,
    setup: SchedulingSetup,
  ): HostSelection | AskRefusal {
    const missing = findMissing(world, ask)
    if (missing !== null) return missing
    const plain = makeRequest(world, ask, instance)
    const queries = getKnownQueries(world)
    const before = queries.find(ask, setup)
    if (before !== null) {
      // Texts of flavor and image were parsed before.
      const { flavor, image } = before.query.request
      const query = { ...before.query, request: { ...plain, flavor, image } }
      return new HostSelection(world, ask, setup, query, before.newSearch(), before)
    }
    const watched = new WatchedRequest(plain)
    const query = buildQueryFor(world, ask, watched.request, setup)
    if ('kind' in query) return query
    const wishes = listTraitWishes(plain)
    const search = WishedSearch.of(world, toCandidateRequest(query.placement), wishes, BEHAVIOUR, {
      stepsPerTreeMax: STEPS_PER_TREE_MAX,
      stepsMax: setup.settings.searchStepsMax + STEPS_PER_PROVIDER * world.providers.size,
    })
    if (search !== null && 'refused' in search) return { kind: 'unknown-name', refusal: search.refused }
    const known = queries.learn(ask, setup, query, search, watched)
    return new HostSelection(world, ask, setup, { ...query, request: plain }, search, known)
  }

  /** The hosts with space in Placement, in its order. */
  *listHosts(): Generator<WorldHost> {
    const { host, not_hosts } = this.#ask
    const no = new Set(not_hosts)
    const roots = host === null ? this.#search?.roots() : this.#findTarget(host)
    const columns = new HostColumns(this.#world)
    for (const root of roots ?? [])
      if (isHost(this.#world, root) && (no.size === 0 || !no.has(this.#world.providers.uuid(root))))
        yield this.viewHost(root, columns)
  }

  /** The host with the providers that would serve this request. */
  viewHost(slot: ProviderSlot, columns?: HostColumns): WorldHost {
    return new WorldHost(
      this.#world,
      slot,
      columns,
      root => this.#search?.candidateIn(root)?.mappings ?? null,
    )
  }

  #takeHosts(limit: number): WorldHost[] {
    const some: WorldHost[] = []
    if (limit === 0) return some
    for (const host of this.listHosts()) {
      some.push(host)
      if (some.length >= limit) break
    }
    return some
  }

  /** Whether a claim fits on a host. */
  hasSpace(slot: ProviderSlot): boolean {
    return this.#search?.canServe(slot) ?? false
  }

  /** What a claim on a host would allocate; null if it has no space. */
  findCandidate(host: WorldHost): ExpandedCandidate | null {
    if (this.#claims !== null) return this.#claims.withBestClaim(host)?.claim?.choice.expand() ?? null
    return this.#search?.candidateIn(host.slot) ?? null
  }

  /** The hosts as they are weighed: with the best of their candidates, if a weigher compares candidates. */
  withClaims(hosts: readonly WorldHost[]): readonly WorldHost[] {
    const claims = this.#claims
    return claims === null ? hosts : hosts.map(host => claims.withBestClaim(host) ?? host)
  }

  /** How many claims fit on a host; null if that takes a search. */
  countSpace(slot: ProviderSlot): number | null {
    return this.#search === null ? 0 : this.#search.countIn(slot)
  }

  /** The hosts that pass all filters, best first. */
  rank(seed: number, steps: ChoiceSteps | null = null): RankedHosts {
    const judged = this.#judgeKnown(steps) ?? this.#judgeAll(steps)
    const ranked = new RankedHosts(
      judged,
      this.#setup.settings,
      seed,
      host => this.#claims?.withBestClaim(host) ?? host,
    )
    steps?.ended('weighers', ranked.size)
    return ranked
  }

  /** Judges each host anew. This is what is known of hosts is compared with. */
  #judgeAll(steps: ChoiceSteps | null): JudgedHosts {
    const limit = this.#setup.settings.candidatesMax
    let looked = this.#takeHosts(limit + 1)
    let truncated = looked.length > limit
    if (truncated) looked.pop()
    steps?.ended('candidates', looked.length)
    let sifted = this.pipeline.runFilters(looked)
    if (truncated && sifted.passed.length === 0) {
      // A limit must not hide the only host that passes.
      looked = this.#takeHosts(Number.POSITIVE_INFINITY)
      sifted = this.pipeline.runFilters(looked)
      truncated = false
    }
    const found = sifted.passed as readonly WorldHost[]
    const claims = this.#claims
    const passed = claims === null ? found : found.map(host => claims.withLikeClaim(host) ?? host)
    steps?.ended('filters', passed.length)
    const { weighers } = partsOf(this.#setup)
    return {
      passed,
      weighing: rankHosts(weighers, this.query.request, passed, this.#setup.settings),
      candidates: looked.length,
      truncated,
      searchExhausted: this.#search?.searchExhausted ?? false,
      funnel: sifted.funnel,
    }
  }

  /**
   * The same with what is known of hosts. Null if that is nothing, or if more counts than the hosts: members of a server
   * group move without the host that is judged.
   */
  #judgeKnown(steps: ChoiceSteps | null): JudgedHosts | null {
    const { host, group, not_hosts } = this.#ask
    if (host !== null || group !== null) return null
    const known = this.#known
    const hosts = known?.hostsFor(this.query.request) ?? null
    if (known === null || hosts === null) return null
    const { providers } = this.#world
    const no = new Set(not_hosts)
    let columns: HostColumns | undefined
    const view = (root: ProviderSlot): WorldHost => {
      columns ??= new HostColumns(this.#world)
      return this.viewHost(root, columns)
    }
    const forWeighers = (one: WorldHost): WorldHost | null =>
      this.#claims === null ? one : this.#claims.withLikeClaim(one)
    const isLeftOut = no.size === 0 ? null : (root: ProviderSlot): boolean => no.has(providers.uuid(root))
    const list = (limit: number): ListedHosts | null =>
      hosts.list(known.newSearch(), limit, isLeftOut, { view, forWeighers })
    let listed = list(this.#setup.settings.candidatesMax)
    if (listed?.truncated === true && listed.passed.length === 0) listed = list(Number.POSITIVE_INFINITY)
    if (listed === null) return null
    const { candidates, truncated, funnel, passed, weighing } = listed
    steps?.ended('candidates', candidates)
    steps?.ended('filters', passed.length)
    return {
      passed: {
        length: passed.length,
        at: nth => (nth < passed.length ? view(passed[nth] as ProviderSlot) : undefined),
      },
      weighing,
      candidates,
      truncated,
      searchExhausted: false,
      funnel,
    }
  }

  *#findTarget(uuid: string): Generator<ProviderSlot> {
    const slot = findTarget(this.#world, uuid)
    if (slot !== undefined && this.#search?.candidateIn(slot)) yield slot
  }
}
