import type { Credentials } from '../../http/api.ts'
import type { Policy } from '../../http/policy.ts'
import { traceStep } from '../../http/tracing/span.ts'
import type { Clock } from '../../kernel/clock.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { reasonText } from '../../scheduling/framework/refusal-text.ts'
import { makeShareRequest } from '../../scheduling/pools/choose.ts'
import {
  explainShare,
  isBeside,
  makeRequestAgain,
  type PoolReport,
  type ShareExplanation,
} from '../../scheduling/pools/explain.ts'
import { listHints } from '../../scheduling/pools/hints.ts'
import { computeFreeGb } from '../../scheduling/pools/pool-view.ts'
import { noPoolMessage } from '../../shares/messages/messages.ts'
import { listHintWarnings, READ_HINTS } from '../../shares/share/hints.body.ts'
import { computeHoldings } from '../../shares/share/holding.ts'
import { obeysHints } from '../../shares/share/migrate.ts'
import { findDefaultType, findType, mayUseType } from '../../shares/share-types/share-types.ts'
import { MINOR_MAX, versions } from '../../shares/versions.ts'
import {
  besideShape,
  explainedShareShape,
  newShareExplanationShape,
  type ShareAsk,
  shareAskShape,
} from '../../wire/share-explanation.ts'
import { cloudOf } from '../../world/cloud-owned.ts'
import { HINT_KINDS, type ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'

export interface ExplainShareContext {
  readonly world: World
  readonly policy: Policy
  readonly clock: Clock
}

export function explainShareRoutes(context: ExplainShareContext): V1Route[] {
  const { world, clock } = context
  return [
    v1Route({
      method: 'POST',
      changesNothing: true,
      path: '/explain/share',
      operation: 'berth:explain',
      summary: 'Explain where a share would go, and why not elsewhere',
      description:
        'A dry run: nothing is created. Every filter runs on every pool. Members see how far each filter ' +
        'narrowed the choice and what prevents it; only admins see the pools.',
      body: shareAskShape,
      answer: { description: 'The explanation.', shape: newShareExplanationShape },
      problems: {
        400: 'Other scheduler hints; same_host, different_host and only_host are fields of the body.',
        404: 'A share, snapshot or type in the request does not exist, or the caller may not see it.',
      },
      handle: ({ body, credentials }) => ({
        ...shareExplanationBody(
          context,
          credentials,
          traceStep('explain', () => explainAsk(context, credentials, body)),
        ),
        warnings: warnOfHints(body),
      }),
    }),
    v1Route({
      method: 'GET',
      path: '/explain/share/{id}',
      operation: 'berth:explain',
      summary: 'Explain whether a share meets its hints, and where it could be',
      description: 'As if it were placed now; nothing is changed.',
      params: { id: 'The share.' },
      answer: { description: 'The explanation.', shape: explainedShareShape },
      problems: { 404: 'There is no such share, or the caller may not see it.' },
      handle({ params, credentials }) {
        const share = requireVisible(context, credentials, params.id as string)
        return {
          share: share.uuid,
          status: share.status,
          moved_against_hints: isAgainstHints(context, share),
          hints: hintBodies(world, share),
          explanation: shareExplanationBody(
            context,
            credentials,
            traceStep('explain', () =>
              explainShare(
                world,
                makeRequestAgain(world, share, clock.nowMs()),
                cloudOf(share.applied_by),
                computeHoldings(share),
              ),
            ),
          ),
        }
      },
    }),
    besideRoute(context),
  ]
}

function besideRoute(context: ExplainShareContext): V1Route {
  const { world } = context
  return v1Route({
    method: 'GET',
    path: '/shares/{id}/beside/{other}',
    operation: 'berth:explain',
    summary: 'Check whether two shares are on one back end',
    description: 'For all who may see both shares. The answer does not name the back end.',
    params: { id: 'A share.', other: 'Another share.' },
    answer: {
      description: 'Yes or no.',
      shape: besideShape,
    },
    problems: { 404: 'There is no such share, or the caller may not see it.' },
    handle({ params, credentials }) {
      const one = requireVisible(context, credentials, params.id as string)
      const other = requireVisible(context, credentials, params.other as string)
      return { same_back_end: isBeside(world, one, other) }
    },
  })
}

const isAdmin = ({ policy }: ExplainShareContext, credentials: Credentials): boolean =>
  policy.allows('context_is_admin', credentials, { project_id: credentials.projectId })

/** Callers see shares of their own project; admins see all. */
export function requireVisible(
  context: ExplainShareContext,
  credentials: Credentials,
  given: string,
): ShareRow {
  const row = context.world.shares.findShare(normalizeUuid(given) ?? given)
  if (row === undefined || !(row.project_id === credentials.projectId || isAdmin(context, credentials)))
    throw new Problem(404, 'shares.missing', `There is no share ${given}.`, { share: given })
  return row
}

function explainAsk(
  context: ExplainShareContext,
  credentials: Credentials,
  body: ShareAsk,
): ShareExplanation {
  const { world, clock } = context
  const resolveNames = (given: readonly string[] | undefined) =>
    [...new Set(given)].map(one => requireVisible(context, credentials, one).uuid)
  const type = body.share_type === undefined ? findDefaultType(world) : findType(world, body.share_type)
  const isUsable =
    type !== undefined && (isAdmin(context, credentials) || mayUseType(world, type, credentials.projectId))
  if (!isUsable)
    throw new Problem(
      404,
      'shares.type-missing',
      `There is no share type ${body.share_type ?? 'by default'}.`,
    )
  const snapshot = body.snapshot_id === undefined ? null : world.shares.snapshots.find(body.snapshot_id)
  const isOwn = (project: string) => project === credentials.projectId || isAdmin(context, credentials)
  if (snapshot === undefined || (snapshot !== null && !isOwn(snapshot.project_id)))
    throw new Problem(404, 'shares.snapshot-missing', `There is no snapshot ${body.snapshot_id}.`)
  const target = { project_id: credentials.projectId }
  if (body.only_host !== undefined && !context.policy.allows('share:create:only_host', credentials, target))
    throw new Problem(403, 'policy.forbidden', 'Only admins may use only_host, because only they see pools.')
  const request = makeShareRequest(world, {
    operation: 'create',
    sizeGb: body.size,
    extraSpecs: world.shares.getSpecs(type.id),
    snapshot,
    zone: body.availability_zone ?? null,
    onlyHost: body.only_host ?? null,
    hints: { same_host: resolveNames(body.same_host), different_host: resolveNames(body.different_host) },
    nowMs: clock.nowMs(),
  })
  // A type of a cloud is for its Manila.
  return explainShare(world, request, cloudOf(type.applied_by))
}

/** Hints that a filter reads have their own fields; here they would be ignored. */
function warnOfHints({ hints = {} }: ShareAsk) {
  const own = Object.keys(hints).find(hint => READ_HINTS.includes(hint))
  if (own !== undefined)
    throw new Problem(400, 'shares.bad-hint', `${own} is a field of the body, not of hints.`, { hint: own })
  return listHintWarnings(hints, versions.featuresOf(MINOR_MAX)).map(text => ({ code: 'hint.unread', text }))
}

/** Hints that were removed since the share was forced do not count. */
const isAgainstHints = ({ world, clock }: ExplainShareContext, share: ShareRow): boolean =>
  share.is_forced === 1 && share.pool_id !== null && !obeysHints(world, share, share.pool_id, clock.nowMs())

function hintBodies(world: World, share: ShareRow) {
  const hints = listHints(world, share.id)
  return HINT_KINDS.flatMap(kind =>
    hints[kind].map(other => {
      const row = world.shares.findShare(other)
      return { kind, share: other, same_back_end: row === undefined ? null : isBeside(world, share, row) }
    }),
  )
}

function shareExplanationBody(
  context: ExplainShareContext,
  credentials: Credentials,
  found: ShareExplanation,
) {
  const admin = isAdmin(context, credentials)
  const about = { project: '', share: '', action: 'allocate-host' } as const
  return {
    fits: found.choice !== null,
    reason: found.because === null ? null : noPoolMessage(about, found.because).text,
    funnel: found.funnel.map(({ filter, before, after }) => ({ filter, before, after })),
    pool: admin ? found.choice : null,
    pools: admin ? found.pools.map(poolReportBody) : [],
  }
}

export const poolReportBody = ({ pool, refusals, weight }: PoolReport) => ({
  pool: pool.name,
  passes: refusals.length === 0,
  weight,
  free_gb: computeFreeGb(pool, false),
  refusals: refusals.map(({ filter, reasons }) => ({
    filter,
    reasons: reasons.map(one => ({ code: one.code, facts: one.facts, text: reasonText(one) })),
  })),
})
