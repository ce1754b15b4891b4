import { providerSlot } from '../../kernel/ids.ts'
import { cloudOf } from '../../world/cloud-owned.ts'
import type { ShareRow, SnapshotRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { type ChoiceSummary, PARTS_MAX, roundPart, TOP_MAX } from '../framework/choice-summary.ts'
import { FilterPipeline, type FunnelStep } from '../framework/pipeline.ts'
import { type Reason, reason } from '../framework/refusal.ts'
import { weighHosts } from '../framework/weighing.ts'
import { backEndFilter, backendDisabled } from './filters/back-end.ts'
import type { HintedUuids } from './hints.ts'
import {
  type HintedShare,
  POOL_SETTINGS,
  type PoolFilter,
  type PoolView,
  type ShareRequest,
} from './pool-view.ts'
import { findBackendByName, listPoolsOf, makePoolView, nameOrEmpty } from './pools.ts'
import { HINT_FILTERS, POOL_FILTERS, POOL_WEIGHERS } from './registry.ts'

interface ShareAsk {
  readonly operation: ShareRequest['operation']
  readonly sizeGb: number
  readonly extraSpecs: ReadonlyMap<string, string>
  readonly zone: string | null
  readonly onlyHost: string | null
  readonly snapshot: SnapshotRow | null
  readonly hints: HintedUuids
  /** Reservations of Manila's plug-in end at their time. */
  readonly nowMs: number
}

/** The ask as filters and weighers of pools see it, on the current world. */
export function makeShareRequest(world: World, ask: ShareAsk): ShareRequest {
  const { snapshot, hints, nowMs, ...others } = ask
  const findShares = (uuids: readonly string[]) => uuids.flatMap(uuid => findHinted(world, uuid, nowMs))
  return {
    ...others,
    snapshot: snapshot === null ? null : makeSnapshotView(world, snapshot),
    sameHost: findShares(hints.same_host),
    differentHost: findShares(hints.different_host),
  }
}

/** A deleted share binds no other. */
function findHinted(world: World, uuid: string, nowMs: number): HintedShare[] {
  const row = world.shares.findShare(uuid)
  if (row === undefined) return []
  const backendId = world.shares.findBackend(row.pool_id) ?? findReserved(world, row, nowMs)
  return [
    {
      uuid,
      backendId,
      backend: backendId === null ? null : nameOrEmpty(world, backendId),
      nextBackendId: world.shares.findBackend(row.target_pool_id),
      isLeaving: isLeaving(world, row),
    },
  ]
}

/** The back end that was reserved for a share of Manila, until Manila shows it. */
function findReserved(world: World, { uuid, status, applied_by }: ShareRow, nowMs: number): number | null {
  if (status === 'error' || cloudOf(applied_by) === null) return null
  const claim = world.manilaClaims.find(uuid)
  if (claim === undefined || claim.backend === null || claim.expires_at <= nowMs) return null
  return findBackendByName(world, claim.backend)?.provider_id ?? null
}

/**
 * True if the hints are not checked again, because the move is being completed or is forced. Manila never checks them
 * again.
 */
function isLeaving(
  { shares }: World,
  { uuid, target_pool_id, is_move_forced, applied_by }: ShareRow,
): boolean {
  if (target_pool_id === null) return false
  if (cloudOf(applied_by) !== null) return true
  const kinds = shares.listStepsAbout(uuid).map(({ kind }) => kind)
  return kinds.includes('switch') || (is_move_forced === 1 && !kinds.includes('drop-copy'))
}

function makeSnapshotView(world: World, { uuid, share_id }: SnapshotRow): ShareRequest['snapshot'] {
  const { shares } = world
  const parent = shares.shares.row(share_id)
  const backendId = shares.findBackend(parent.pool_id) ?? -1
  return {
    uuid,
    backendId,
    backend: backendId < 0 ? '' : nameOrEmpty(world, backendId),
    pool: nameOrEmpty(world, parent.pool_id),
    zone: parent.availability_zone ?? '',
  }
}

type PoolPipeline = FilterPipeline<PoolView, ShareRequest, typeof POOL_SETTINGS>

const makePipeline = (request: ShareRequest, filters: readonly PoolFilter[] = POOL_FILTERS): PoolPipeline =>
  new FilterPipeline(filters, request, POOL_SETTINGS)

/** With `force`, hints are ignored. */
export const choosePoolFilters = (force: boolean): readonly PoolFilter[] =>
  force ? POOL_FILTERS.filter(filter => !HINT_FILTERS.includes(filter)) : POOL_FILTERS

/** The pools that pass, best first, and the funnel. Only reads: others may be faster, so the claim checks again. */
export function rankPools(
  world: World,
  request: ShareRequest,
  pools: readonly PoolView[] = listPoolsOf(world, null),
  filters: readonly PoolFilter[] = POOL_FILTERS,
): { readonly rankedPools: readonly number[]; readonly choice: ChoiceSummary } {
  const { passed, funnel } = makePipeline(request, filters).runFilters(pools)
  const weighing = weighHosts(POOL_WEIGHERS, request, passed, POOL_SETTINGS)
  const { ranking, weights } = weighing
  const getPool = (place: number) => passed[place] as PoolView
  const top = ranking.slice(0, TOP_MAX).map((place, at) => ({
    host: getPool(place).name,
    provider: world.providers.uuid(providerSlot(getPool(place).id)),
    weight: weights[place] as number,
    ...(at < PARTS_MAX && {
      parts: weighing.listContributions(place).map(({ weight }) => roundPart(weight)),
    }),
  }))
  const [best] = ranking
  const weighers = best === undefined ? [] : weighing.listContributions(best).map(({ weigher }) => weigher)
  const choice = { candidates: pools.length, truncated: false, searchExhausted: false, funnel, weighers, top }
  return { rankedPools: ranking.map(place => getPool(place).id), choice }
}

/** The filter that left no pool, and one of its reasons. */
export interface NoPool {
  readonly filter: string
  readonly reason: Reason
}

type PoolPick =
  | { readonly kind: 'pool'; readonly pool: PoolView }
  | { readonly kind: 'none'; readonly because: NoPool }

/**
 * Picks the pool to claim: the first of the ranked pools that still passes. If none does, checks all of Berth's own pools,
 * so that an outdated ranking never causes a refusal.
 */
export function pickPool(world: World, request: ShareRequest, rankedPools: readonly number[]): PoolPick {
  const pipeline = makePipeline(request)
  for (const id of rankedPools) {
    const row = world.shares.pools.get(id)
    if (row === undefined) continue
    const pool = makePoolView(world, row)
    if (pipeline.findFirstRefusal(pool) === null) return { kind: 'pool', pool }
  }
  const pools = listPoolsOf(world, null)
  const [best] = rankPools(world, request, pools).rankedPools
  const pool = pools.find(one => one.id === best)
  if (pool !== undefined) return { kind: 'pool', pool }
  return { kind: 'none', because: findNoPoolReason(pipeline, pools) }
}

export function judgePool(
  request: ShareRequest,
  pool: PoolView,
  filters: readonly PoolFilter[] = POOL_FILTERS,
): NoPool | null {
  const refusal = makePipeline(request, filters).findFirstRefusal(pool)
  return refusal === null ? null : { filter: refusal.filter, reason: refusal.reasons[0] }
}

/** The filter that removed the last pools, and its reason for the first of them. */
export function findNoPoolReason(pipeline: PoolPipeline, pools: readonly PoolView[]): NoPool {
  const { funnel } = pipeline.runFilters(pools)
  const last = findLastStep(funnel)
  for (const pool of pools) {
    const refusal = pipeline.findFirstRefusal(pool)
    if (refusal !== null && refusal.filter === last?.filter)
      return { filter: refusal.filter, reason: refusal.reasons[0] }
  }
  return { filter: backEndFilter.name, reason: reason(backendDisabled, { backend: '', reason: null }) }
}

const findLastStep = (funnel: readonly FunnelStep[]): FunnelStep | undefined =>
  funnel.findLast(({ before, after }) => before > after)
