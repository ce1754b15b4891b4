import { Semaphore } from '../../kernel/semaphore.ts'
import { missText } from '../../placement/explain/words.ts'
import type { DecisionRow } from '../../scheduling/decisions/rows.ts'
import { reasonText } from '../../scheduling/framework/refusal-text.ts'
import { explainSchedule, type HostReport, prepareChange } from '../../scheduling/hosts/explain.ts'
import type { ScheduleOrder } from '../../scheduling/hosts/place-servers.ts'
import type { PastWorld } from '../../store/past-world.ts'
import type { Store } from '../../store/store.ts'
import { type ComparedDecision, comparedDecisionShape, HOSTS_COMPARED_MAX } from '../../wire/decisions.ts'
import { scheduleExplanationShape } from '../../wire/schedule-explanation.ts'
import { object, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { pauseInTurns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { findDecisionOr404 } from '../schedule/decision-bodies.ts'
import { askProblem } from '../schedule/schedule-answers.ts'
import { type ExplainContext, HOSTS_DEFAULT, HOSTS_MAX } from './explain-schedule.routes.ts'
import { explainBusy } from './explanation.ts'
import { explainOn, explainOne, findVerdict } from './schedule-explanation.ts'

const AT_ONCE_MAX = 2

interface Context extends ExplainContext {
  readonly store: () => Store
}

/** Past decisions about servers, explained on the present state and compared with it. */
export const explainDecisionRoutes = (context: Context): V1Route[] => [
  explainRoute(context),
  compareRoute(context),
]

const PARAMS = { id: 'The id that the scheduler answered.' }
const PROBLEMS = {
  404: 'There is no such decision, or it is no longer kept; or a host or server group of the request is gone.',
  409: 'It is not about servers that Berth places, or the server is gone.',
}

function explainRoute(context: Context): V1Route {
  const permits = new Semaphore(AT_ONCE_MAX)
  return v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/decisions/{id}/explain',
    operation: 'berth:explain:hosts',
    summary: 'Explain a past request on the present state',
    description:
      'Exactly the request of the decision, with its image, hints and server group, and the present filters and weighers. Answers what ' +
      '`POST /v1/explain/schedule` answers.',
    params: PARAMS,
    body: object(
      'How much.',
      {},
      {
        hosts_max: whole(`How many hosts to report; default: ${HOSTS_DEFAULT}.`, {
          minimum: 0,
          maximum: HOSTS_MAX,
        }),
      },
    ),
    answer: { description: 'The explanation.', shape: scheduleExplanationShape },
    problems: { ...PROBLEMS, 503: 'Too many explanations are running: try again.' },
    async handle({ params, body }) {
      const row = await findDecisionOr404(context.store(), params.id as string, context.clock.nowMs())
      const order = requireOrder(row)
      const options = { asksAnew: true, warnings: [], reportsMax: body.hosts_max ?? HOSTS_DEFAULT }
      return permits.run(() => explainNow(context, order, options), explainBusy)
    },
  })
}

async function explainNow(
  context: Context,
  order: ScheduleOrder,
  options: Parameters<typeof explainOn>[3],
): ReturnType<typeof explainOn> {
  const { newUuid, setup } = context
  const { ask } = order
  if (ask.operation === 'create') {
    // The servers may exist by now: another one like them is explained.
    const another = { ...ask, instances: [newUuid()] }
    return explainOne(context, another, options)
  }
  return context.privateWorld.lend(async past => {
    prepareMove(past, order)
    return explainOn(past.world, ask, setup(), { ...options, asksAnew: false })
  })
}

function compareRoute(context: Context): V1Route {
  return v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/decisions/{id}/compare',
    operation: 'berth:decisions',
    summary: 'Show what changed since a decision, host by host',
    description:
      'Explains the request on the state that was chosen from, and on the present one, and lists the hosts of which something else ' +
      'is said now. Of several servers, the first is compared. Nothing is written. One replay, comparison or simulation at a time.',
    params: PARAMS,
    answer: { description: 'The differences.', shape: comparedDecisionShape },
    problems: {
      ...PROBLEMS,
      410: 'The changes since then are no longer kept.',
      503: 'Another replay or simulation is running: try again.',
    },
    async handle({ params }) {
      const row = await findDecisionOr404(context.store(), params.id as string, context.clock.nowMs())
      const order = requireOrder(row)
      return context.privateWorld.lend(past => compare(context, row, order, past))
    },
  })
}

async function compare(
  context: Context,
  row: DecisionRow,
  order: ScheduleOrder,
  past: PastWorld,
): Promise<ComparedDecision> {
  const setup = context.setup()
  const now = await judge(past, { ...order, setup })
  if (!(await past.goTo(row.revision)))
    throw new Problem(410, 'decisions.gone', 'The changes since the decision are no longer kept.', {
      id: row.id,
    })
  const before = await judge(past, order)
  const all = new Map([...before.hosts, ...now.hosts].map(([provider, { host }]) => [provider, host]))
  const hosts = [...all]
    .map(([provider, host]) => ({
      host,
      provider,
      before: verdictOf(before.hosts.get(provider)),
      now: verdictOf(now.hosts.get(provider)),
    }))
    .filter(one => JSON.stringify(one.before) !== JSON.stringify(one.now))
    .sort((a, b) => rank(a) - rank(b) || (a.host < b.host ? -1 : 1))
  return {
    decision: row.id,
    before: before.side,
    now: now.side,
    settings_changed: JSON.stringify(order.setup) !== JSON.stringify(setup),
    changed: hosts.length,
    hosts: hosts.slice(0, HOSTS_COMPARED_MAX),
  }
}

type Compared = ComparedDecision['hosts'][number]
type Verdict = { readonly host: string } & NonNullable<Compared['before']>

/** First what passes on one side only. */
const rank = ({ before, now }: Compared): number =>
  (before?.verdict === 'passes') === (now?.verdict === 'passes') ? 1 : 0

const verdictOf = (given: Verdict | undefined): Compared['before'] =>
  given === undefined ? null : { verdict: given.verdict, reasons: given.reasons }

/** What every host says to the first server on the state of the copy, which is as before afterwards. */
async function judge(past: PastWorld, order: ScheduleOrder) {
  const { world } = past
  const change = order.ask.operation === 'move' ? prepareMove(past, order) : null
  const ask = order.ask.operation === 'move' ? order.ask : { ...order.ask, instances: ['another server'] }
  const seen = await explainSchedule(
    world,
    ask,
    order.setup,
    pauseInTurns(),
    Number.POSITIVE_INFINITY,
    found => ({
      side: { revision: found.revision, hosts: found.hosts, with_room: found.withRoom, passed: found.passed },
      hosts: new Map(found.reports.map(report => [report.provider, renderVerdict(world, report)])),
    }),
  )
  if (change !== null) past.takeBack(change)
  if (seen.kind === 'rendered') return seen.rendered
  if (seen.kind === 'restless') throw new Error('nobody else changes a copy')
  throw askProblem(seen)
}

const renderVerdict = (world: World, report: HostReport): Verdict => ({
  host: report.host,
  verdict: findVerdict(report),
  reasons: [
    ...report.misses.map(miss => missText(world, miss)),
    ...report.refusals.flatMap(({ reasons }) => reasons.map(reasonText)),
  ],
})

/** Releases what the server holds, as the move does. */
function prepareMove(past: PastWorld, order: ScheduleOrder) {
  const [instance = ''] = order.ask.instances
  if (past.world.consumers.find(instance) === undefined)
    throw new Problem(409, 'decisions.server-gone', `${instance} has no allocations now.`, { instance })
  const { change } = prepareChange(past.world, order)
  past.make(change)
  return change
}

function requireOrder({ id, kind, request }: DecisionRow): ScheduleOrder {
  if (kind === 'schedule' || kind === 'move' || kind === 'dry-run')
    return JSON.parse(request) as ScheduleOrder
  throw new Problem(
    409,
    'decisions.not-servers',
    `A decision of kind ${kind} cannot be explained again: only schedule, move and dry-run can.`,
    { id, kind },
  )
}
