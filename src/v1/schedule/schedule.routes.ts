import { LIST_BODY_BYTES } from '../../http/api.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import {
  type Choice,
  type Scheduled,
  type ScheduleRefusal,
  scheduleServers,
} from '../../scheduling/hosts/schedule.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import type { Outcome } from '../../store/sequencer/sequencer.ts'
import type { World } from '../../world/world.ts'
import type { IdempotentWrite, Reply, WriteResponse } from '../api/idempotency.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Write } from '../api/route.ts'
import { list, object, orNull, uuid, yesOrNo } from '../api/shape.ts'
import { type DecisionKind, decisionRows, type KeptCommand } from './decisions.ts'
import { choiceBody, flavorWarning, scheduleProblem, selectionsOf } from './schedule-answers.ts'
import { askIn, hintWarnings, instancesIn, moveIn, moveWarnings, type Warning } from './server-asks.ts'
import {
  askFields,
  choiceShape,
  countFields,
  moveFields,
  placedShape,
  selectionShape,
  warningShape,
  wayFields,
} from './server-shapes.ts'

/** What is told about decisions, for metrics. */
export interface ScheduleObserver {
  decided(kind: DecisionKind, outcome: 'placed' | 'refused'): void
  /** What was chosen no longer held when it came to the claim, so that it is chosen anew. */
  overtaken(): void
  /** A filter removed so many hosts, and in the end there was none. */
  refusedBy(filter: string, hosts: number): void
}

export interface ScheduleContext {
  readonly world: World
  readonly setup: () => SchedulingSetup
  readonly clock: Clock
  readonly newUuid: () => string
  readonly newSeed: () => number
  readonly observer: ScheduleObserver
}

const ALTERNATES = 2
/** How often a choice is made anew that no longer held when it came to the claim. The last time, in the claim itself. */
const TRIES_MAX = 4

const answerShape = object('Where the servers are.', {
  decision: uuid('The decision, to be asked for at `/v1/decisions/{id}`.'),
  dry_run: yesOrNo('Nothing was claimed.'),
  placed: list(placedShape, 'The servers, in the order in which they were named or made.'),
  choice: orNull(choiceShape),
  selections: list(
    list(selectionShape, 'The place, then the alternates.'),
    'The same in the shape of Nova’s `select_destinations`, one list for each server.',
  ),
  warnings: list(warningShape, 'What was asked for and does nothing, and the like.'),
  source_kept_by: orNull(uuid('Of a move: the consumer that still holds the old place.')),
})

const PROBLEMS = {
  400: 'The request is malformed, or cannot be asked of Placement.',
  404: 'There is no such flavor, host, server group or server.',
  409: 'No host will do, or the server exists already; nothing was claimed.',
}

const ONE_CALL =
  'Placement’s candidates, then the filters, then the weighers, then the claim: in one call, all or nothing. The claim ' +
  'looks at everything again that could have changed meanwhile, capacity, state, aggregates, groups and hints, and ' +
  'falls back to the next host; so that parallel requests can break no rule.'

export function scheduleRoutes(context: ScheduleContext): V1Route[] {
  return [scheduleRoute(context), moveRoute(context)]
}

function scheduleRoute(context: ScheduleContext): V1Route {
  return v1Write({
    method: 'POST',
    path: '/schedule',
    operation: 'berth:schedule',
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Find places for servers, and claim them',
    description: `${ONE_CALL} A target \`host\` is asked for as \`in_tree\`, and no limit can lose it.`,
    body: object(
      'What is asked for: a flavor, or groups.',
      {},
      { ...askFields, ...wayFields, ...countFields },
    ),
    answer: { description: 'The places; claimed, unless it was a dry run.', shape: answerShape },
    problems: PROBLEMS,
    async write({ body, credentials, once }) {
      const { world, newUuid } = context
      const instances = instancesIn(body.instances, body.count, newUuid)
      const warnings = hintWarnings(world, body.hints, context.setup())
      const ask = () => ({ ...askIn(world, body, credentials), instances })
      return decide(context, once, ask, { ...body, warnings, sourceHolder: null })
    },
  })
}

function moveRoute(context: ScheduleContext): V1Route {
  return v1Write({
    method: 'POST',
    path: '/move',
    operation: 'berth:schedule',
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Move a server to another host',
    description:
      'Asks again for what was asked for the server, or, if it was not scheduled here, for as much as it holds; ' +
      'fields of the body say what is to be otherwise. The new place is claimed in the commit that gives up the old ' +
      'one, so that it never has none. With `keep_source` the old place stays held, by a consumer of type MIGRATION ' +
      'that the answer names, until that consumer’s allocations are deleted.',
    body: object(
      'Which server, and what is to be otherwise.',
      { instance: uuid('The server.') },
      { ...moveFields, ...wayFields },
    ),
    answer: { description: 'The new place; claimed, unless it was a dry run.', shape: answerShape },
    problems: PROBLEMS,
    async write({ body, once }) {
      const { world, newUuid } = context
      const sourceHolder = body.keep_source === true ? newUuid() : null
      const warnings = [...hintWarnings(world, body.hints, context.setup()), ...moveWarnings(world, body)]
      return decide(context, once, () => moveIn(world, body), { ...body, sourceHolder, warnings })
    },
  })
}

interface Way {
  readonly seed?: number
  readonly alternates?: number
  readonly dry_run?: boolean
  readonly sourceHolder: string | null
  readonly warnings: readonly Warning[]
}

type Decided = Outcome<Scheduled, ScheduleRefusal>

/** What was chosen no longer held when it came to the claim: it is worth choosing again. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof Problem && ['schedule.picks-stale', 'schedule.server-changed'].includes(error.code)

/** Chooses on the world as it is, without holding anybody up; then claims the choice in its turn. */
async function decide(
  context: ScheduleContext,
  once: IdempotentWrite,
  askNow: () => ServerAsk,
  way: Way,
): Promise<WriteResponse> {
  const id = context.newUuid()
  const seed = way.seed ?? context.newSeed()
  for (let tries = 1; ; tries++) {
    const command: KeptCommand = {
      ask: askNow(),
      setup: context.setup(),
      seed,
      sourceHolder: way.sourceHolder,
      alternates: way.alternates ?? ALTERNATES,
    }
    try {
      return await decideOnce(context, once, { id, command, way, allowFullSearch: tries === TRIES_MAX })
    } catch (error) {
      if (tries === TRIES_MAX || !isOvertaken(error)) throw error
    }
  }
}

interface Attempted {
  readonly id: string
  readonly command: KeptCommand
  readonly way: Way
  readonly allowFullSearch: boolean
}

async function decideOnce(
  context: ScheduleContext,
  once: IdempotentWrite,
  { id, command, way, allowFullSearch }: Attempted,
): Promise<WriteResponse> {
  const { world, clock, observer } = context
  const { revision } = world
  const isDry = way.dry_run === true
  // Alternates are looked for once it is known what is taken.
  const trial = {
    ...command,
    decision: id,
    picks: null,
    allowFullSearch: true,
    ...(isDry ? {} : { alternates: 0 }),
  }
  const chosen = scheduleServers(world, trial, clock.nowMs())
  const first = chosen.ok ? chosen.answer.choice : null
  const kind: DecisionKind = isDry ? 'dry-run' : command.ask.operation === 'move' ? 'move' : 'schedule'
  const deciding = { id, kind, command, revision, first }
  const answer = (outcome: Decided) => answered(world, { id, command, way, allowFullSearch }, first, outcome)
  // What was found to be impossible, or is only tried, needs no turn of its own: only a note of it is kept.
  if (isDry || !chosen.ok) {
    tell(observer, kind, chosen)
    return once.submit(
      { kind: 'compute:note-decision' },
      () => answer(chosen),
      (_, nowMs) => decisionRows(deciding, chosen, nowMs, revision),
    )
  }
  let last: Decided = chosen
  try {
    return await once.submit(
      { kind: 'compute:schedule', ...command, decision: id, picks: chosen.answer.picks, allowFullSearch },
      outcome => {
        last = outcome
        return answer(outcome)
      },
      (outcome, nowMs, decided) =>
        isUndecided(outcome) ? [] : decisionRows(deciding, outcome, nowMs, decided),
    )
  } finally {
    tell(observer, kind, last)
  }
}

/** Overtaken by others: it will be decided again. */
const isUndecided = (outcome: Decided): boolean =>
  !outcome.ok && (outcome.refusal.kind === 'picks-stale' || outcome.refusal.kind === 'server-changed')

function answered(
  world: World,
  { id, command, way }: Attempted,
  first: Choice | null,
  outcome: Decided,
): Reply | Problem {
  if (!outcome.ok) return scheduleProblem(outcome.refusal, id)
  const { placed, warnings } = outcome.answer
  const choice = outcome.answer.choice ?? first
  const { defaultAvailabilityZone } = command.setup.settings
  const isDry = way.dry_run === true
  return {
    status: 200,
    body: {
      decision: id,
      dry_run: isDry,
      placed,
      choice: choice === null ? null : choiceBody(choice),
      selections: placed.map(one => selectionsOf(world, defaultAvailabilityZone, one)),
      warnings: [...way.warnings, ...warnings.map(flavorWarning)],
      source_kept_by: isDry ? null : way.sourceHolder,
    },
  }
}

function tell(observer: ScheduleObserver, kind: DecisionKind, outcome: Decided): void {
  if (isUndecided(outcome)) {
    observer.overtaken()
    return
  }
  observer.decided(kind, outcome.ok ? 'placed' : 'refused')
  if (!outcome.ok && outcome.refusal.kind === 'no-host')
    for (const { filter, before, after } of outcome.refusal.choice.funnel)
      observer.refusedBy(filter, before - after)
}
