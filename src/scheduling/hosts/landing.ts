import { type ConsumerSlot, type ProviderSlot, providerSlot } from '../../kernel/ids.ts'
import type { CandidateRequest } from '../../placement/candidates/request.ts'
import { hasTrait, isMember, type Miss } from '../../placement/explain/misses.ts'
import { missesByTree } from '../../placement/explain/nearest.ts'
import type { FlavorRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'
import type { Filter } from '../framework/filter.ts'
import { FilterPipeline } from '../framework/pipeline.ts'
import type { Reason } from '../framework/refusal.ts'
import type { SchedulingSettings } from '../framework/settings.ts'
import { partsOf, type SchedulingSetup } from '../framework/setup.ts'
import { type AskRefusal, buildQuery, HostSelection } from './host-selection.ts'
import type { AggregateView, HostView } from './host-view.ts'
import { EMPTY_SPEC, makeMoveAsk } from './known-server.ts'
import { toCandidateRequest } from './query/placement-query.ts'
import type { SchedulingRequest } from './request-view.ts'
import { toFlavorSpec } from './server-spec.ts'
import { WatchedHost } from './watched-host.ts'
import { HostColumns } from './world-host.ts'

/**
 * A reason against a host. A lasting one, such as a rule or the size of the host, remains however empty the
 * host gets.
 */
export type Ground =
  | {
      readonly by: 'filter'
      readonly filter: string
      readonly reason: Reason
      readonly isLasting: boolean
    }
  | { readonly by: 'placement'; readonly miss: Miss; readonly isLasting: boolean }

/** Runs each filter alone, to see whether its refusal depends on usage. */
class SingleFilters {
  readonly #pipelines: readonly { readonly filter: Filter; readonly pipeline: FilterPipeline }[]

  constructor(filters: readonly Filter[], request: SchedulingRequest, settings: SchedulingSettings) {
    this.#pipelines = filters.map(filter => ({
      filter,
      pipeline: new FilterPipeline([filter], request, settings),
    }))
  }

  findOnHost(host: WatchedHost): Ground[] {
    return this.#pipelines.flatMap(({ filter, pipeline }) => {
      host.readsUsage = false
      const refusal = pipeline.findFirstRefusal(host)
      const isLasting = filter.momentary !== true && !host.readsUsage
      return makeGrounds(filter.name, refusal?.reasons ?? [], isLasting)
    })
  }

  /** Judges a host that is only in this aggregate. Runs only filters that read nothing else. */
  findInAggregate(aggregate: AggregateView): Ground[] {
    const host = { aggregates: [aggregate] } as Partial<HostView> as HostView
    return this.#pipelines
      .filter(({ filter }) => filter.byAggregates === true)
      .flatMap(({ filter, pipeline }) =>
        makeGrounds(filter.name, pipeline.findFirstRefusal(host)?.reasons ?? [], true),
      )
  }
}

const makeGrounds = (filter: string, reasons: readonly Reason[], isLasting: boolean): Ground[] =>
  reasons.map(reason => ({ by: 'filter', filter, reason, isLasting }))

/** Whether a miss would remain if the host were empty. */
function isLastingMiss(miss: Miss): boolean {
  if (miss.kind === 'short') return miss.need > miss.capacity
  return miss.kind !== 'not-together'
}

/** Where a new server of a flavor may go, without image, zone and hints, on the current world. */
export class FlavorJudge {
  readonly #world: World
  readonly #selection: HostSelection
  readonly #columns: HostColumns
  readonly #filters: SingleFilters
  readonly #missesOf: (root: ProviderSlot) => readonly Miss[]

  private constructor(world: World, selection: HostSelection, setup: SchedulingSetup) {
    this.#world = world
    this.#selection = selection
    this.#columns = new HostColumns(world)
    this.#filters = new SingleFilters(partsOf(setup).filters, selection.query.request, setup.settings)
    this.#missesOf = missesByTree(world, toCandidateRequest(selection.query.placement))
  }

  static of(
    world: World,
    flavor: FlavorRow,
    asker: { readonly project: string; readonly user: string },
    setup: SchedulingSetup,
  ): FlavorJudge | AskRefusal {
    const spec = { ...EMPTY_SPEC, flavor: toFlavorSpec(flavor, world.compute.getExtraSpecs(flavor.id)) }
    const ask = { ...asker, spec, instances: [''], generation: null, host: null, not_hosts: [], group: null }
    const selection = HostSelection.of(world, { ...ask, operation: 'create' }, '', setup)
    return selection instanceof HostSelection ? new FlavorJudge(world, selection, setup) : selection
  }

  /** Empty if the flavor fits now. Reasons of filters come first, then those of Placement. */
  findOnHost(slot: ProviderSlot): Ground[] {
    const host = new WatchedHost(this.#world, slot, this.#columns)
    const grounds = this.#filters.findOnHost(host)
    if (this.#selection.findCandidate(host) !== null) return grounds
    const misses = this.#missesOf(slot).map(
      (miss): Ground => ({ by: 'placement', miss, isLasting: isLastingMiss(miss) }),
    )
    return [...grounds, ...misses]
  }

  /** Judges by the metadata of an aggregate alone. */
  findInAggregate(aggregate: AggregateView): Ground[] {
    return this.#filters.findInAggregate(aggregate)
  }
}

/** A host whose counts leave out the judged server. */
class HostWithoutOne extends WatchedHost {
  override get instanceCount(): number {
    const { readsUsage } = this
    const count = super.instanceCount - 1
    this.readsUsage = readsUsage
    return count
  }
}

/**
 * The rules of its host that a server breaks, by its stored request and the present host. Usage, and whether
 * the host is enabled, are not rules.
 */
export function findBrokenRules(
  world: World,
  server: ConsumerSlot,
  slot: ProviderSlot,
  setup: SchedulingSetup,
): readonly Ground[] | AskRefusal {
  const ask = makeMoveAsk(world, server)
  const query = buildQuery(world, ask, world.consumers.row(server).uuid, setup)
  if ('kind' in query) return query
  const filters = new SingleFilters(partsOf(setup).filters, query.request, setup.settings)
  const misses = findBrokenTraits(world, server, slot, toCandidateRequest(query.placement))
  return [
    ...filters.findOnHost(new HostWithoutOne(world, slot)).filter(({ isLasting }) => isLasting),
    ...misses.map((miss): Ground => ({ by: 'placement', miss, isLasting: true })),
  ]
}

/**
 * Searches required traits and aggregates on the providers that the server has allocations on. It is no
 * longer known which provider serves which group, so any of them counts.
 */
function findBrokenTraits(
  world: World,
  server: ConsumerSlot,
  root: ProviderSlot,
  { groups, rootRequired, rootForbidden }: CandidateRequest,
): Miss[] {
  const held = [...new Set(world.consumers.holdings(server).map(({ provider }) => providerSlot(provider)))]
  const has = (trait: string) => held.some(provider => hasTrait(world, provider, trait))
  const isIn = (uuid: string) => [root, ...held].some(provider => isMember(world, provider, uuid))
  return [
    ...rootRequired
      .filter(anyOf => !anyOf.some(trait => hasTrait(world, root, trait)))
      .map((anyOf): Miss => ({ kind: 'root-trait-missing', provider: root, anyOf })),
    ...rootForbidden
      .filter(trait => hasTrait(world, root, trait))
      .map((trait): Miss => ({ kind: 'root-trait-forbidden', provider: root, trait })),
    ...groups.flatMap(({ suffix: group, required, forbidden, memberOf, forbiddenAggregates }): Miss[] => [
      ...required
        .filter(anyOf => !anyOf.some(has))
        .map((anyOf): Miss => ({ kind: 'trait-missing', group, provider: root, anyOf })),
      // With several groups, the trait may be forbidden for another provider only.
      ...(groups.length > 1 ? [] : forbidden)
        .filter(has)
        .map((trait): Miss => ({ kind: 'trait-forbidden', group, provider: root, trait })),
      ...memberOf
        .filter(anyOf => !anyOf.some(isIn))
        .map((anyOf): Miss => ({ kind: 'not-in-aggregate', group, provider: root, anyOf })),
      ...forbiddenAggregates
        .filter(isIn)
        .map((aggregate): Miss => ({ kind: 'in-forbidden-aggregate', group, provider: root, aggregate })),
    ]),
  ]
}
