import { providerSlot } from '../../kernel/ids.ts'
import { FilterPipeline, type FunnelStep } from '../../scheduling/framework/pipeline.ts'
import { weighHosts } from '../../scheduling/framework/weighing.ts'
import {
  type HintedShare,
  POOL_SETTINGS,
  type PoolFilter,
  type PoolView,
  type ShareRequest,
} from '../../scheduling/pools/pool-view.ts'
import { HINT_FILTERS, POOL_FILTERS, POOL_WEIGHERS } from '../../scheduling/pools/registry.ts'
import type { ShareRow, SnapshotRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { allPools, placeName, poolView } from '../backends/pool-views.ts'
import type { NoPool } from '../refusals.ts'
import type { NamedShares } from './hints.ts'

/** What is asked for a share, before the world is looked at. */
export interface Asked {
  readonly operation: ShareRequest['operation']
  readonly sizeGb: number
  readonly extraSpecs: ReadonlyMap<string, string>
  readonly zone: string | null
  readonly onlyHost: string | null
  readonly snapshot: SnapshotRow | null
  readonly hints: NamedShares
}

export function requestOf(world: World, asked: Asked): ShareRequest {
  const { snapshot, hints, ...others } = asked
  return {
    ...others,
    snapshot: snapshot === null ? null : snapshotView(world, snapshot),
    sameHost: hints.same_host.flatMap(uuid => hinted(world, uuid)),
    differentHost: hints.different_host.flatMap(uuid => hinted(world, uuid)),
  }
}

/** A share that is no more binds nobody. */
function hinted(world: World, uuid: string): HintedShare[] {
  const row = world.shares.shares.find(uuid)
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

/** Its hints were asked for the last time: the second half is under way, or somebody said that they do not count. */
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

const panelOf = (request: ShareRequest, filters: readonly PoolFilter[] = POOL_FILTERS) =>
  new FilterPipeline<PoolView, ShareRequest, typeof POOL_SETTINGS>(filters, request, POOL_SETTINGS)

/** With `force`, hints are not asked. */
export const filtersFor = (force: boolean): readonly PoolFilter[] =>
  force ? POOL_FILTERS.filter(filter => !HINT_FILTERS.includes(filter)) : POOL_FILTERS

/** What a decision keeps of how a pool was chosen. */
export interface PoolChoice {
  readonly candidates: number
  readonly truncated: boolean
  readonly searchExhausted: boolean
  readonly funnel: readonly FunnelStep[]
  /** The best pools that passed. */
  readonly top: readonly { readonly host: string; readonly provider: string; readonly weight: number }[]
}

const TOP_MAX = 20

/** Looks at pools, and ranks those that pass. */
export function rankPools(
  world: World,
  request: ShareRequest,
  pools: readonly PoolView[] = allPools(world),
  filters: readonly PoolFilter[] = POOL_FILTERS,
): { readonly ranked: readonly number[]; readonly choice: PoolChoice } {
  const { passed, funnel } = panelOf(request, filters).runFilters(pools)
  const { ranking, weights } = weighHosts(POOL_WEIGHERS, request, passed, POOL_SETTINGS)
  const at = (place: number) => passed[place] as PoolView
  const top = ranking.slice(0, TOP_MAX).map(place => ({
    host: at(place).name,
    provider: world.providers.uuid(providerSlot(at(place).id)),
    weight: weights[place] as number,
  }))
  const choice = { candidates: pools.length, truncated: false, searchExhausted: false, funnel, top }
  return { ranked: ranking.map(place => at(place).id), choice }
}

/** The pools that would do just now, the best first. Others may be faster: whoever claims one looks again. */
const rankedPools = (world: World, request: ShareRequest): readonly number[] =>
  rankPools(world, request).ranked

export type Choice =
  | { readonly kind: 'pool'; readonly pool: PoolView }
  | { readonly kind: 'none'; readonly because: NoPool }

/**
 * The first of the ranked pools that still does. Where none of them does any more, all are looked at: nobody is turned
 * away for what was true a moment ago.
 */
export function choosePool(world: World, request: ShareRequest, ranked: readonly number[]): Choice {
  const panel = panelOf(request)
  for (const id of ranked) {
    const row = world.shares.pools.get(id)
    if (row === undefined) continue
    const pool = poolView(world, row)
    if (panel.firstRefusal(pool) === null) return { kind: 'pool', pool }
  }
  const pools = allPools(world)
  const [best] = rankedPools(world, request)
  const pool = pools.find(one => one.id === best)
  if (pool !== undefined) return { kind: 'pool', pool }
  return { kind: 'none', because: whyNone(panel, pools) }
}

/** Whether one pool will do, and why not. */
export function judgePool(
  request: ShareRequest,
  pool: PoolView,
  filters: readonly PoolFilter[] = POOL_FILTERS,
): NoPool | null {
  const refusal = panelOf(request, filters).firstRefusal(pool)
  return refusal === null ? null : { filter: refusal.filter, reason: refusal.reasons[0] }
}

type Panel = ReturnType<typeof panelOf>

/** The filter that removed the last pools, and what it said of the first of them. */
export function whyNone(panel: Panel, pools: readonly PoolView[]): NoPool {
  const { funnel } = panel.runFilters(pools)
  const last = lastStep(funnel)
  for (const pool of pools) {
    const refusal = panel.firstRefusal(pool)
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
