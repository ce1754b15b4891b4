import { LIST_BODY_BYTES } from '../../http/api.ts'
import { type BrokenMove, checkPlan, type MoveToCheck } from '../../scheduling/plans/check-plan.ts'
import { checkedPlanShape, checkPlanBody } from '../../wire/plan.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { describeWhy } from './plan.routes.ts'
import type { ScheduleContext } from './schedule.routes.ts'
import { findHost } from './server-asks.ts'
import { pauseUntilGone } from './stop-when-gone.ts'
import type { WorldCopyPool } from './world-copies.ts'

export function checkPlanRoutes(context: ScheduleContext, privateWorld: WorldCopyPool): V1Route[] {
  const { world, setup, newUuid, clock } = context
  return [
    v1Route({
      method: 'POST',
      changesNothing: true,
      path: '/plan/check',
      operation: 'berth:simulate',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Check whether a plan still holds',
      description:
        'Tries the moves one after the other on a copy of the state: each must be possible from the host where it begins, and break no ' +
        'group policy, hint or rule, those of other servers among them. Nothing is written. Only one replay, simulation or plan runs at ' +
        'a time.',
      body: checkPlanBody,
      answer: { description: 'Whether it holds.', shape: checkedPlanShape },
      problems: {
        400: 'The request is malformed.',
        404: 'There is no such host.',
        503: 'Another replay, simulation or plan is running: try again.',
      },
      async handle({ body, onClose }) {
        const { revision } = world
        if (body.held_at === revision) return { holds: true, revision, at: null, text: null }
        const moves = body.moves.map(
          ({ instance, from, to }): MoveToCheck => ({
            instance,
            from: findHost(world, from),
            to: findHost(world, to),
          }),
        )
        const way = { newUuid, seed: 0, nowMs: clock.nowMs(), pause: pauseUntilGone(onClose) }
        return privateWorld.lend(async copy => {
          const broken = await checkPlan(copy, moves, setup(), way)
          return {
            holds: broken === null,
            revision: copy.world.revision,
            at: broken?.at ?? null,
            text: broken === null ? null : describeBroken(broken),
          }
        })
      },
    }),
  ]
}

const describeBroken = ({ why }: BrokenMove): string =>
  why.kind === 'elsewhere' ? 'The server is not on the host where the move begins.' : describeWhy(why)
