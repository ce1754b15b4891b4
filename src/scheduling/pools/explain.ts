import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import {
  FilterPipeline,
  type FilterRefusal,
  type FunnelStep,
  type HistogramBar,
  makeHistogram,
} from '../framework/pipeline.ts'
import { type Contribution, weighHosts } from '../framework/weighing.ts'
import { findNoPoolReason, makeShareRequest, type NoPool } from './choose.ts'
import { listBindingHints } from './hints.ts'
import { POOL_SETTINGS, type PoolView, type ShareRequest } from './pool-view.ts'
import { listPoolsOf } from './pools.ts'
import { POOL_FILTERS, POOL_WEIGHERS } from './registry.ts'

export interface PoolReport {
  readonly pool: PoolView
  /** Of every filter that refuses, not only the first. */
  readonly refusals: readonly FilterRefusal[]
  /** Null for those that do not pass. */
  readonly weight: number | null
  readonly contributions: readonly Contribution[]
}

export interface ShareExplanation {
  /** The pool that the share would get now; null if there is none. */
  readonly choice: string | null
  /** The filter that left no pool, and its reason. */
  readonly because: NoPool | null
  readonly funnel: readonly FunnelStep[]
  readonly histogram: readonly HistogramBar[]
  /** Those that pass first, best first. */
  readonly pools: readonly PoolReport[]
}

/**
 * Which pools would accept a share now, and why the others would not. Runs every filter on every pool of Berth, or of the cloud whose
 * Manila would place the share.
 * `heldGb` is what the share itself holds in each pool; it counts as free.
 */
export function explainShare(
  world: World,
  request: ShareRequest,
  cloud: string | null,
  heldGb: ReadonlyMap<number, number> = new Map(),
): ShareExplanation {
  const pipeline = new FilterPipeline<PoolView, ShareRequest, typeof POOL_SETTINGS>(
    POOL_FILTERS,
    request,
    POOL_SETTINGS,
  )
  const pools = listPoolsOf(world, cloud).map(pool => ({
    ...pool,
    usedGb: pool.usedGb - (heldGb.get(pool.id) ?? 0),
  }))
  const explained = pools.map(pool => pipeline.explain(pool))
  const { passed, funnel } = pipeline.runFilters(pools)
  const weighing = weighHosts(POOL_WEIGHERS, request, passed, POOL_SETTINGS)
  const ranked = weighing.ranking.map(
    (at): PoolReport => ({
      pool: passed[at] as PoolView,
      refusals: [],
      weight: weighing.weights[at] as number,
      contributions: weighing.listContributions(at),
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
    histogram: makeHistogram(explained),
    pools: [...ranked, ...others],
  }
}

/** The request of an existing share, as if it were placed again. */
export function makeRequestAgain(world: World, share: ShareRow, nowMs: number): ShareRequest {
  const { shares } = world
  const snapshot = share.snapshot === null ? null : (shares.snapshots.find(share.snapshot) ?? null)
  return makeShareRequest(world, {
    operation: 'create',
    sizeGb: share.size,
    extraSpecs: shares.getSpecs(share.type_id),
    zone: null,
    onlyHost: null,
    snapshot,
    hints: listBindingHints(world, share),
    nowMs,
  })
}

/** Null if one of them has no pool. */
export function isBeside({ shares }: World, one: ShareRow, other: ShareRow): boolean | null {
  const [here, there] = [shares.findBackend(one.pool_id), shares.findBackend(other.pool_id)]
  return here === null || there === null ? null : here === there
}
