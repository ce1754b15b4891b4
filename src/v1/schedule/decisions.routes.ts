import type { Clock } from '../../kernel/clock.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { replayDecision } from '../../scheduling/decisions/replay.ts'
import type { DecisionRow, DecisionSummary } from '../../scheduling/decisions/rows.ts'
import { replayShareDecision } from '../../shares/share/replay.ts'
import type { PastWorld } from '../../store/past-world.ts'
import type { Store } from '../../store/store.ts'
import {
  decisionFields,
  decisionShape,
  type ListedDecision,
  listedDecisionShape,
  replayedShape,
} from '../../wire/decisions.ts'
import { list, object, text, uuid, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { describeAsk, describeNoPlace, renderRefusal } from './decision-words.ts'
import { choiceBody } from './schedule-answers.ts'
import type { WorldCopyPool } from './world-copies.ts'

interface DecisionContext {
  readonly world: World
  readonly store: () => Store
  readonly clock: Clock
  readonly privateWorld: WorldCopyPool
}

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1_000

export function decisionRoutes(context: DecisionContext): V1Route[] {
  return [listRoute(context), showRoute(context), replayRoute(context)]
}

function listRoute({ world, store, clock }: DecisionContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/decisions',
    operation: 'berth:decisions',
    summary: 'List decisions of the scheduler',
    description: 'The newest first. They are kept for 14 days.',
    query: object(
      'Which.',
      {},
      {
        kind: decisionFields.kind,
        outcome: decisionFields.outcome,
        project_id: text('Of this project.'),
        request_id: text('Made for this request of another service.'),
        global_request_id: text('Made for requests with this global id.'),
        instance: uuid('All about this server or share, placed or refused.'),
        share: uuid('Those about this share, whether it is still there or not.'),
        limit: whole(`How many at most; default: ${LIMIT_DEFAULT}.`, {
          minimum: 1,
          maximum: LIMIT_MAX,
        }),
        marker: uuid('Those after this one.'),
      },
    ),
    answer: {
      description: 'The decisions.',
      shape: object('A page.', { decisions: list(listedDecisionShape, 'Decisions.') }),
    },
    problems: { 404: 'There is no decision with the id of the marker.' },
    async handle({ query }) {
      const nowMs = clock.nowMs()
      const { limit = LIMIT_DEFAULT, marker, instance, ...given } = query
      const asked = instance === undefined ? undefined : (normalizeUuid(instance) ?? instance)
      const after = marker === undefined ? null : await findDecisionOr404(store(), marker, nowMs)
      const { share, ...columns } = given
      const about = share === undefined ? {} : { share: normalizeUuid(share) ?? share }
      const filters = Object.entries(columns).filter(([, value]) => value !== undefined)
      const where = { ...Object.fromEntries(filters), ...about }
      const page = { where, limit, ...(after === null ? {} : { after: [after.at_ms, after.id] }) }
      const rows =
        asked === undefined
          ? await store().plainRows('decisions', page, nowMs)
          : await findDecisionsAbout(store(), asked, page, nowMs)
      return { decisions: rows.map(row => decisionBody(world, row)) }
    },
  })
}

interface Page {
  readonly where: Readonly<Record<string, string | number>>
  readonly limit: number
  readonly after?: readonly (string | number)[]
}

/** Decisions about a server or a share, newest first. The servers of a decision are in rows of another table. */
async function findDecisionsAbout(
  store: Store,
  instance: string,
  { where, limit, after }: Page,
  nowMs: number,
): Promise<DecisionRow[]> {
  const shares = await store.plainRows(
    'decisions',
    { where: { ...where, share: instance }, limit, ...(after === undefined ? {} : { after }) },
    nowMs,
  )
  if (shares.length > 0) return shares
  const found: DecisionRow[] = []
  let from = after === undefined ? undefined : [after[0] as number, instance, after[1] as string]
  while (found.length < limit) {
    const servers = await store.plainRows(
      'decision_servers',
      { where: { instance }, limit, ...(from === undefined ? {} : { after: from }) },
      nowMs,
    )
    for (const { decision } of servers) {
      const row = await store.plainRow('decisions', [decision], nowMs)
      const isAsked =
        row !== null && Object.entries(where).every(([key, value]) => row[key as 'kind'] === value)
      if (isAsked && found.length < limit) found.push(row)
    }
    const last = servers.at(-1)
    if (last === undefined || servers.length < limit) break
    from = [last.at_ms, last.instance, last.decision]
  }
  return found
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
    summary: 'Decide a decision again',
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

async function findDecisionOr404(store: Store, given: string, nowMs: number): Promise<DecisionRow> {
  const id = normalizeUuid(given) ?? given
  const row = await store.plainRow('decisions', [id], nowMs)
  if (row !== null) return row
  throw new Problem(404, 'decisions.missing', `There is no decision ${id}; they are kept for 14 days.`, {
    id,
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

const decisionBody = (world: World, row: DecisionRow) => ({
  id: row.id,
  kind: row.kind as ListedDecision['kind'],
  outcome: row.outcome as ListedDecision['outcome'],
  request_id: row.request_id,
  global_request_id: row.global_request_id,
  project_id: row.project_id,
  at: new Date(row.at_ms).toISOString(),
  revision: row.revision,
  decided_revision: row.decided_revision,
  placed: (JSON.parse(row.summary) as DecisionSummary).placed,
  asked: describeAsk(world, row),
  reason: describeNoPlace(row),
})

function summaryBody(row: DecisionRow) {
  const { choice, refusal } = JSON.parse(row.summary) as DecisionSummary
  return { choice: choice === null ? null : choiceBody(choice), refusal }
}
