import type { Log } from '../../http/ops/log.ts'
import { assert } from '../../kernel/assert.ts'
import { type ManilaDecision, makeManilaRows } from '../../scheduling/decisions/manila.rows.ts'
import { type FilterRefusal, makeFunnelOf } from '../../scheduling/framework/pipeline.ts'
import { judgeManilaPools, MANILA_FILTERS, ManilaShares } from '../../scheduling/pools/manila-hints.ts'
import type { ManilaRequest } from '../../scheduling/pools/manila-request.ts'
import type { TypeOf } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { requireAtMost } from '../api/item-count.ts'
import { type V1Route, v1Write } from '../api/route.ts'
import {
  manilaFilteredShape,
  manilaForgetShape,
  manilaForgottenShape,
  manilaPlacedShape,
  manilaRequestShape,
  POOLS_MAX,
} from './manila-shapes.ts'
import { listReasons, renderVerdicts, reportMissedCalls, summarizeReasons } from './verdicts.ts'

interface ManilaContext {
  readonly world: World
  readonly nowMs: () => number
  /** How long a chosen pool stays reserved until Manila's database shows it. */
  readonly claimMs: () => number
  readonly newUuid: () => string
  readonly log: () => Pick<Log, 'warn'>
}

type Body = TypeOf<typeof manilaRequestShape>

/** A decision stores at most this many hints. */
const HINTS_KEPT = 1_000

const PROBLEMS = {
  400: 'The body is malformed; `field` names what in it.',
  413: `More than ${POOLS_MAX} pools at once.`,
}

export const manilaRoutes = (context: ManilaContext): V1Route[] => [
  filterRoute(context),
  placeRoute(context),
  forgetRoute(),
]

const filterRoute = (context: ManilaContext): V1Route =>
  v1Write({
    method: 'POST',
    path: '/manila/filter',
    operation: 'berth:schedule',
    bodyLimit: 'max_body_bytes',
    summary: 'Filter pools for Manila’s scheduler',
    description:
      'Checks the hints `same_host` and `different_host` of a share, and those of others that name it, on the pools of the ' +
      'request. Shares are where Manila has them or, until Manila shows it, where `POST /v1/manila/place` has put them. The ' +
      'decision is kept under Manila’s request id and the share.',
    body: manilaRequestShape,
    answer: { description: 'Who passes, and why the others do not.', shape: manilaFilteredShape },
    problems: PROBLEMS,
    async write({ body, once }) {
      const request = readRequest(context, body)
      const shares = new ManilaShares(context.world, request, context.nowMs())
      const needs = shares.listUnasked()
      if (needs.length > 0)
        return once.submit({ kind: 'scheduling:note-decision' }, () => ({
          status: 200,
          body: { ...askFor(needs), passes: [] },
        }))
      const refusals = judgeManilaPools(shares, request)
      const id = context.newUuid()
      const decision = makeDecision(id, 'manila-filter', body, refusals, null, context.world.revision)
      return once.submit(
        { kind: 'scheduling:note-decision' },
        () => ({ status: 200, body: { ...renderAnswer(id, refusals), ...renderVerdicts(refusals) } }),
        (_, nowMs) => makeManilaRows(decision, nowMs),
      )
    },
  })

const placeRoute = (context: ManilaContext): V1Route =>
  v1Write({
    method: 'POST',
    path: '/manila/place',
    operation: 'berth:schedule',
    bodyLimit: 'max_body_bytes',
    summary: 'Place a share of Manila',
    description:
      'Takes the pool with the highest weight that keeps all hints, and reserves its back end for the share in the same step: ' +
      'shares that avoid each other never get one back end, however many are placed at once. The reservation counts ' +
      'until Manila’s database shows the share there, at most `manila_claim_seconds`.',
    body: manilaRequestShape,
    answer: { description: 'The pool, and why others do not pass.', shape: manilaPlacedShape },
    problems: PROBLEMS,
    async write({ body, once }) {
      const request = readRequest(context, body)
      const { world } = context
      const needs = new ManilaShares(world, request, context.nowMs()).listUnasked()
      if (needs.length > 0)
        return once.submit({ kind: 'scheduling:note-decision' }, () => ({
          status: 200,
          body: { ...askFor(needs), pool: null },
        }))
      const id = context.newUuid()
      return once.submit(
        { kind: 'scheduling:place-manila-share', request, keepMs: context.claimMs() },
        outcome => {
          const { refusals } = outcome.ok ? outcome.answer : outcome.refusal
          const { refused } = renderVerdicts(refusals)
          const pool = outcome.ok ? outcome.answer.pool : null
          return { status: 200, body: { ...renderAnswer(id, refusals), refused, pool } }
        },
        (outcome, nowMs, revision) => {
          const { refusals } = outcome.ok ? outcome.answer : outcome.refusal
          const pool = outcome.ok ? (body.pools[outcome.answer.pool]?.host ?? null) : null
          return makeManilaRows(makeDecision(id, 'manila-place', body, refusals, pool, revision), nowMs)
        },
      )
    },
  })

const forgetRoute = (): V1Route =>
  v1Write({
    method: 'POST',
    path: '/manila/forget',
    operation: 'berth:schedule',
    summary: 'Forget a share of Manila',
    description:
      'For a share that is deleted: drops its reservation and its hints. The answer names the shares in whose metadata ' +
      'Manila should look for it; Manila’s own lists are cut at 27 shares.',
    body: manilaForgetShape,
    answer: { description: 'The shares that it was tied to.', shape: manilaForgottenShape },
    write: ({ body, once }) =>
      once.submit({ kind: 'scheduling:forget-manila-share', share: body.share }, outcome => {
        assert(outcome.ok, 'nothing refuses it')
        return { status: 200, body: outcome.answer }
      }),
  })

function readRequest(context: ManilaContext, body: Body): ManilaRequest {
  reportMissedCalls(context.log(), 'Manila', body)
  requireAtMost(POOLS_MAX, 'manila', 'pools', body.pools.length)
  const { operation, share, hints, shares, missing, pools, force = false } = body
  return { operation, share, hints, shares, missing, pools, force }
}

const askFor = (needs: string[]) => ({ needs, decision: null, refused: [], summary: 'Nothing was decided.' })

const countPassed = (refusals: readonly (FilterRefusal | null)[]): number =>
  refusals.filter(one => one === null).length

const renderAnswer = (decision: string, refusals: readonly (FilterRefusal | null)[]) => ({
  needs: [],
  decision,
  summary: summarizeReasons('pools', refusals.length, countPassed(refusals), listReasons(refusals)),
})

function makeDecision(
  id: string,
  kind: ManilaDecision['kind'],
  body: Body,
  refusals: readonly (FilterRefusal | null)[],
  pool: string | null,
  revision: number,
): ManilaDecision {
  const { operation, share, hints, force = false, size = null, type = null, zone = null } = body
  return {
    id,
    kind,
    request: {
      operation,
      share: share.uuid,
      size,
      type,
      zone,
      force,
      hints: {
        same_host: hints.same_host.slice(0, HINTS_KEPT),
        different_host: hints.different_host.slice(0, HINTS_KEPT),
      },
    },
    requestId: body.request_id ?? null,
    globalRequestId: body.global_request_id ?? null,
    project: body.project ?? null,
    revision,
    pools: refusals.length,
    passed: countPassed(refusals),
    pool,
    funnel: makeFunnelOf(MANILA_FILTERS, refusals),
    reasons: listReasons(refusals),
  }
}
