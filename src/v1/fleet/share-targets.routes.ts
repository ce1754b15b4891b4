import { normalizeUuid } from '../../kernel/uuid.ts'
import { makeShareRequest } from '../../scheduling/pools/choose.ts'
import { explainShare, type PoolReport } from '../../scheduling/pools/explain.ts'
import { listBindingHints } from '../../scheduling/pools/hints.ts'
import { HINT_FILTERS } from '../../scheduling/pools/registry.ts'
import { findType } from '../../shares/share-types/share-types.ts'
import { object, text } from '../../wire/shape.ts'
import { shareTargetsShape } from '../../wire/share-explanation.ts'
import { cloudOf } from '../../world/cloud-owned.ts'
import type { ShareRow } from '../../world/shares.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { type ExplainShareContext, poolReportBody, requireVisible } from '../explain/explain-share.routes.ts'

const HINTED = new Set(HINT_FILTERS.map(({ name }) => name))

/** Targets for a move, before it begins. */
export function shareTargetRoutes(context: ExplainShareContext): V1Route[] {
  const { world } = context
  return [
    v1Route({
      method: 'GET',
      path: '/explain/share/{id}/migration',
      operation: 'share:migration_start',
      summary: 'List the pools that a share could move to, and why not the others',
      description:
        'Runs every filter on every pool, as `migration_start` does; nothing is changed. Needs the right to ' +
        'move shares.',
      params: { id: 'The share.' },
      query: object(
        'What the move changes.',
        {},
        { share_type: text('The name or id of the new type; default: its present type.') },
      ),
      answer: { description: 'The pools.', shape: shareTargetsShape },
      problems: { 404: 'There is no such share or type.' },
      handle({ params, query, credentials }) {
        const share = requireVisible(context, credentials, params.id as string)
        const pools = explainTargets(context, share, query.share_type)
        return {
          share: share.uuid,
          snapshots: world.shares.listSnapshots(share.id).length,
          pools: pools.map(one => ({
            ...poolReportBody(one),
            is_here: one.pool.id === share.pool_id,
            force_helps: one.refusals.length > 0 && one.refusals.every(({ filter }) => HINTED.has(filter)),
          })),
        }
      },
    }),
  ]
}

function explainTargets(
  { world, clock }: ExplainShareContext,
  share: ShareRow,
  typeName: string | undefined,
): readonly PoolReport[] {
  const type = typeName === undefined ? undefined : findType(world, normalizeUuid(typeName) ?? typeName)
  if (typeName !== undefined && type === undefined)
    throw new Problem(404, 'shares.type-missing', `There is no share type ${typeName}.`)
  const request = makeShareRequest(world, {
    operation: 'migrate',
    sizeGb: share.size,
    zone: null,
    onlyHost: null,
    snapshot: null,
    extraSpecs: world.shares.getSpecs(type?.id ?? share.type_id),
    hints: listBindingHints(world, share),
    nowMs: clock.nowMs(),
  })
  const cloud = cloudOf(share.applied_by)
  // A share that stays in its pool, for example when only its type changes, needs no more space there.
  const staying = explainShare(world, { ...request, sizeGb: 0 }, cloud).pools
  const here = staying.find(({ pool }) => pool.id === share.pool_id)
  return explainShare(world, request, cloud).pools.map(one => (one.pool.id === here?.pool.id ? here : one))
}
