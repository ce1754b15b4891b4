import type { Clock } from '../../kernel/clock.ts'
import { replayDecision } from '../../scheduling/decisions/replay.ts'
import type { DecisionRow, DecisionSummary } from '../../scheduling/decisions/rows.ts'
import { replayShareDecision } from '../../shares/share/replay.ts'
import type { PastWorld } from '../../store/past-world.ts'
import type { Store } from '../../store/store.ts'
import { decisionShape, replayedShape } from '../../wire/decisions.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { decisionBody, findDecisionOr404, summaryBody } from './decision-bodies.ts'
import { decisionListRoute } from './decision-list.routes.ts'
import { renderRefusal } from './decision-request.ts'
import { choiceBody } from './schedule-answers.ts'
import type { WorldCopyPool } from './world-copies.ts'

export interface DecisionContext {
  readonly world: World
  readonly store: () => Store
  readonly clock: Clock
  readonly privateWorld: WorldCopyPool
}

export function decisionRoutes(context: DecisionContext): V1Route[] {
  return [decisionListRoute(context), showRoute(context), replayRoute(context)]
}

function showRoute({ world, store, clock }: DecisionContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/decisions/{id}',
    operation: 'berth:decisions',
    summary: 'Show a decision of the scheduler',
    description: 'The request, the choice, and how many hosts each filter left.',
    params: { id: 'The id that the scheduler answered.' },
    answer: { description: 'The decision.', shape: decisionShape },
    problems: { 404: 'There is no such decision, or it is no longer kept.' },
    async handle({ params }) {
      const row = await findDecisionOr404(store(), params.id as string, clock.nowMs())
      return {
        ...decisionBody(world, row),
        ...summaryBody(row),
        seed: row.seed,
        request: JSON.parse(row.request),
      }
    },
  })
}

function replayRoute({ store, clock, privateWorld }: DecisionContext): V1Route {
  return v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/decisions/{id}/replay',
    operation: 'berth:decisions',
    summary: 'Replay a decision',
    description:
      'On the state at that time, which is the present state with every later change undone. Nothing is ' +
      'written. One replay or simulation at a time.',
    params: { id: 'The id that the scheduler answered.' },
    answer: { description: 'The result of the replay.', shape: replayedShape },
    problems: {
      404: 'There is no such decision, or it is no longer kept.',
      409: 'It was about hosts of another service, which are not kept, or another service decided.',
      410: 'The changes since then are no longer kept; the problem has the summary of the decision.',
      503: 'Another replay or simulation is running: try again.',
    },
    async handle({ params }) {
      const row = await findDecisionOr404(store(), params.id as string, clock.nowMs())
      return privateWorld.lend(past => replay(row, past))
    },
  })
}

async function replay(row: DecisionRow, past: PastWorld) {
  if (['nova-filter', 'manila-filter', 'manila-place'].includes(row.kind))
    throw new Problem(
      409,
      'decisions.hosts-not-kept',
      'The hosts came with the request and are not kept, so it cannot be decided again.',
      { id: row.id },
    )
  if (row.kind === 'candidates' || row.kind === 'claim')
    throw new Problem(
      409,
      'decisions.not-ours',
      'Another service asked Placement; `berth explain` with its request id says what it would find now.',
      { id: row.id },
    )
  const again = await replayOn(row, past)
  if (again === null)
    throw new Problem(410, 'decisions.gone', 'The changes since the decision are no longer kept.', {
      ...decisionBody(past.world, row),
      ...summaryBody(row),
    })
  const before = JSON.parse(row.summary) as DecisionSummary
  const outcome = again.refusal === null ? ('placed' as const) : ('refused' as const)
  return {
    decision: row.id,
    same: outcome === row.outcome && renderHosts(again) === renderHosts(before),
    outcome,
    placed: again.placed,
    choice: again.choice && choiceBody(again.choice),
    refusal: again.refusal,
    reason: renderRefusal(row.kind, again),
  }
}

async function replayOn(row: DecisionRow, past: PastWorld): Promise<DecisionSummary | null> {
  if (row.kind !== 'share' && row.kind !== 'share-move') return replayDecision(row, past)
  return (await past.goTo(row.decided_revision)) ? replayShareDecision(row, past.world) : null
}

const renderHosts = ({ placed }: DecisionSummary): string =>
  placed.map(({ instance, provider }) => `${instance} ${provider}`).join('\n')
