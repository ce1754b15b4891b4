import {
  FilterPipeline,
  type FilterRefusal,
  type FunnelStep,
  type HistogramBar,
  histogramOf,
} from '../../scheduling/framework/pipeline.ts'
import { type Contribution, weighHosts } from '../../scheduling/framework/weighing.ts'
import { POOL_SETTINGS, type PoolView, type ShareRequest } from '../../scheduling/pools/pool-view.ts'
import { POOL_FILTERS, POOL_WEIGHERS } from '../../scheduling/pools/registry.ts'
import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { allPools } from '../backends/pool-views.ts'
import type { NoPool } from '../refusals.ts'
import { bindingHintsOf } from '../share/hints.ts'
import { holdingsOf } from '../share/holding.ts'
import { requestOf, whyNone } from '../share/placing.ts'

export interface PoolReport {
  readonly pool: PoolView
  /** Of every filter that says no, not only of the first. */
  readonly refusals: readonly FilterRefusal[]
  /** Null for those that do not pass. */
  readonly weight: number | null
  readonly contributions: readonly Contribution[]
}

export interface ShareExplanation {
  /** The pool that it would get just now; null for none. */
  readonly choice: string | null
  /** The filter that leaves nothing, and what it says. */
  readonly because: NoPool | null
  readonly funnel: readonly FunnelStep[]
  readonly histogram: readonly HistogramBar[]
  /** Those that pass first, the best of them before the others. */
  readonly pools: readonly PoolReport[]
}

/**
 * Which pools would do for a share just now, and why the others would not. It asks every filter about every pool. What a
 * share that is there holds already does not stand in its own way.
 */
export function explainShare(
  world: World,
  request: ShareRequest,
  share: ShareRow | null = null,
): ShareExplanation {
  const panel = new FilterPipeline<PoolView, ShareRequest, typeof POOL_SETTINGS>(
    POOL_FILTERS,
    request,
    POOL_SETTINGS,
  )
  const own = share === null ? new Map<number, number>() : holdingsOf(share)
  const pools = allPools(world).map(pool => ({ ...pool, usedGb: pool.usedGb - (own.get(pool.id) ?? 0) }))
  const explained = pools.map(pool => panel.explain(pool))
  const { passed, funnel } = panel.runFilters(pools)
  const weighing = weighHosts(POOL_WEIGHERS, request, passed, POOL_SETTINGS)
  const ranked = weighing.ranking.map(
    (at): PoolReport => ({
      pool: passed[at] as PoolView,
      refusals: [],
      weight: weighing.weights[at] as number,
      contributions: weighing.contributions(at),
    }),
  )
  const others = explained
    .filter(({ refusals }) => refusals.length > 0)
    .sort((a, b) => a.refusals.length - b.refusals.length)
    .map(({ host, refusals }): PoolReport => ({ pool: host, refusals, weight: null, contributions: [] }))
  const [best] = ranked
  return {
    choice: best?.pool.name ?? null,
    because: best === undefined ? whyNone(panel, pools) : null,
    funnel,
    histogram: histogramOf(explained),
    pools: [...ranked, ...others],
  }
}

/** What would be asked for a share that is there, if it were to be placed anew. */
export function requestAgain(world: World, share: ShareRow): ShareRequest {
  const { shares } = world
  const snapshot = share.snapshot === null ? null : (shares.snapshots.find(share.snapshot) ?? null)
  return requestOf(world, {
    operation: 'create',
    sizeGb: share.size,
    extraSpecs: shares.specsOf(share.type_id),
    zone: null,
    onlyHost: null,
    snapshot,
    hints: bindingHintsOf(world, share),
  })
}

/** Null where one of them is nowhere. */
export function isBeside({ shares }: World, one: ShareRow, other: ShareRow): boolean | null {
  const [here, there] = [shares.backendOf(one.pool_id), shares.backendOf(other.pool_id)]
  return here === null || there === null ? null : here === there
}
