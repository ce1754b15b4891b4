import { providerSlot } from '../../kernel/ids.ts'
import type { ShareRow, SnapshotRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { type ChoiceSummary, TOP_MAX } from '../framework/choice-summary.ts'
import { FilterPipeline, type FunnelStep } from '../framework/pipeline.ts'
import type { Reason } from '../framework/refusal.ts'
import { weighHosts } from '../framework/weighing.ts'
import type { HintedUuids } from './hints.ts'
import {
  type HintedShare,
  POOL_SETTINGS,
  type PoolFilter,
  type PoolView,
  type ShareRequest,
} from './pool-view.ts'
import { allPools, placeName, poolView } from './pools.ts'
import { HINT_FILTERS, POOL_FILTERS, POOL_WEIGHERS } from './registry.ts'

/** What is asked for a share, by the names of the world. */
interface ShareAsk {
  readonly operation: ShareRequest['operation']
  readonly sizeGb: number
  readonly extraSpecs: ReadonlyMap<string, string>
  readonly zone: string | null
  readonly onlyHost: string | null
  readonly snapshot: SnapshotRow | null
  readonly hints: HintedUuids
}

/** What filters and weighers of pools see of an ask, on the world as it is. */
export function shareRequest(world: World, ask: ShareAsk): ShareRequest {
  const { snapshot, hints, ...others } = ask
  return {
    ...others,
    snapshot: snapshot === null ? null : snapshotView(world, snapshot),
    sameHost: hints.same_host.flatMap(uuid => hintedShare(world, uuid)),
    differentHost: hints.different_host.flatMap(uuid => hintedShare(world, uuid)),
  }
}

/** A share that is gone binds no other. */
function hintedShare(world: World, uuid: string): HintedShare[] {
  const row = world.shares.findShare(uuid)
  if (row === undefined) return []
  const backendId = world.shares.backendOf(row.pool_id)
  return [
    {
      uuid,
      backendId,
      backend: backendId === null ? null : placeName(world, backendId),
      nextBackendId: world.shares.backendOf(row.target_pool_id),
      isLeaving: isLeaving(world, row),
    },
  ]
}

/** Its hints are not checked again: its move is being completed, or is forced. */
function isLeaving({ shares }: World, { uuid, target_pool_id, is_move_forced }: ShareRow): boolean {
  if (target_pool_id === null) return false
  const kinds = shares.stepsAbout(uuid).map(({ kind }) => kind)
  return kinds.includes('switch') || (is_move_forced === 1 && !kinds.includes('drop-copy'))
}

function snapshotView(world: World, { uuid, share_id }: SnapshotRow): ShareRequest['snapshot'] {
  const { shares } = world
  const parent = shares.shares.row(share_id)
  const backendId = shares.backendOf(parent.pool_id) ?? -1
  return {
    uuid,
    backendId,
    backend: backendId < 0 ? '' : placeName(world, backendId),
    pool: placeName(world, parent.pool_id),
    zone: parent.availability_zone ?? '',
  }
}

type PoolPipeline = FilterPipeline<PoolView, ShareRequest, typeof POOL_SETTINGS>

const poolPipeline = (request: ShareRequest, filters: readonly PoolFilter[] = POOL_FILTERS): PoolPipeline =>
  new FilterPipeline(filters, request, POOL_SETTINGS)

/** With `force`, hints do not count. */
export const filtersFor = (force: boolean): readonly PoolFilter[] =>
  force ? POOL_FILTERS.filter(filter => !HINT_FILTERS.includes(filter)) : POOL_FILTERS

/** The pools that pass, best first, and how that came about. It only reads: others may be faster, so whoever claims one looks again. */
export function rankPools(
  world: World,
  request: ShareRequest,
  pools: readonly PoolView[] = allPools(world),
  filters: readonly PoolFilter[] = POOL_FILTERS,
): { readonly rankedPools: readonly number[]; readonly choice: ChoiceSummary } {
  const { passed, funnel } = poolPipeline(request, filters).runFilters(pools)
  const { ranking, weights } = weighHosts(POOL_WEIGHERS, request, passed, POOL_SETTINGS)
  const at = (place: number) => passed[place] as PoolView
  const top = ranking.slice(0, TOP_MAX).map(place => ({
    host: at(place).name,
    provider: world.providers.uuid(providerSlot(at(place).id)),
    weight: weights[place] as number,
  }))
  const choice = { candidates: pools.length, truncated: false, searchExhausted: false, funnel, top }
  return { rankedPools: ranking.map(place => at(place).id), choice }
}

/** A filter that left no pool, and what it said of one of them. */
export interface NoPool {
  readonly filter: string
  readonly reason: Reason
}

type PoolPick =
  | { readonly kind: 'pool'; readonly pool: PoolView }
  | { readonly kind: 'none'; readonly because: NoPool }

/**
 * For the rule that claims: the first of the ranked pools that still will do. Where none does any more, all are looked at, so
 * that nothing is refused for what was true a moment ago.
 */
export function pickPool(world: World, request: ShareRequest, rankedPools: readonly number[]): PoolPick {
  const pipeline = poolPipeline(request)
  for (const id of rankedPools) {
    const row = world.shares.pools.get(id)
    if (row === undefined) continue
    const pool = poolView(world, row)
    if (pipeline.firstRefusal(pool) === null) return { kind: 'pool', pool }
  }
  const pools = allPools(world)
  const [best] = rankPools(world, request, pools).rankedPools
  const pool = pools.find(one => one.id === best)
  if (pool !== undefined) return { kind: 'pool', pool }
  return { kind: 'none', because: findNoPoolReason(pipeline, pools) }
}

/** Whether one pool will do, and why not. */
export function judgePool(
  request: ShareRequest,
  pool: PoolView,
  filters: readonly PoolFilter[] = POOL_FILTERS,
): NoPool | null {
  const refusal = poolPipeline(request, filters).firstRefusal(pool)
  return refusal === null ? null : { filter: refusal.filter, reason: refusal.reasons[0] }
}

/** The filter that removed the last pools, and what it said of the first of them. */
export function findNoPoolReason(pipeline: PoolPipeline, pools: readonly PoolView[]): NoPool {
  const { funnel } = pipeline.runFilters(pools)
  const last = lastStep(funnel)
  for (const pool of pools) {
    const refusal = pipeline.firstRefusal(pool)
    if (refusal !== null && refusal.filter === last?.filter)
      return { filter: refusal.filter, reason: refusal.reasons[0] }
  }
  return {
    filter: 'BackEndFilter',
    reason: { code: 'backend.disabled', facts: { backend: '', reason: null } },
  }
}

const lastStep = (funnel: readonly FunnelStep[]): FunnelStep | undefined =>
  funnel.findLast(({ before, after }) => before > after)
