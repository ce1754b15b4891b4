import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import {
  FilterPipeline,
  type FilterRefusal,
  type FunnelStep,
  type HistogramBar,
  histogramOf,
} from '../framework/pipeline.ts'
import { type Contribution, weighHosts } from '../framework/weighing.ts'
import { findNoPoolReason, type NoPool, shareRequest } from './choose.ts'
import { bindingHintsOf } from './hints.ts'
import { POOL_SETTINGS, type PoolView, type ShareRequest } from './pool-view.ts'
import { allPools } from './pools.ts'
import { POOL_FILTERS, POOL_WEIGHERS } from './registry.ts'

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
 * Which pools would do for a share just now, and why the others would not. It asks every filter about every pool. `heldGb` is
 * what the share itself holds, by the number of the pool: that counts as free.
 */
export function explainShare(
  world: World,
  request: ShareRequest,
  heldGb: ReadonlyMap<number, number> = new Map(),
): ShareExplanation {
  const pipeline = new FilterPipeline<PoolView, ShareRequest, typeof POOL_SETTINGS>(
    POOL_FILTERS,
    request,
    POOL_SETTINGS,
  )
  const pools = allPools(world).map(pool => ({ ...pool, usedGb: pool.usedGb - (heldGb.get(pool.id) ?? 0) }))
  const explained = pools.map(pool => pipeline.explain(pool))
  const { passed, funnel } = pipeline.runFilters(pools)
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
    because: best === undefined ? findNoPoolReason(pipeline, pools) : null,
    funnel,
    histogram: histogramOf(explained),
    pools: [...ranked, ...others],
  }
}

/** What would be asked for a share that is there, if it were to be placed anew. */
export function requestAgain(world: World, share: ShareRow): ShareRequest {
  const { shares } = world
  const snapshot = share.snapshot === null ? null : (shares.snapshots.find(share.snapshot) ?? null)
  return shareRequest(world, {
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
