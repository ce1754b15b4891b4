import { LIST_BODY_BYTES } from '../../http/api.ts'
import type { Clock } from '../../kernel/clock.ts'
import { findServerName } from '../../scheduling/hosts/known-server.ts'
import {
  type DecisionWriter,
  type ScheduleResult,
  type SchedulerParts,
  schedule,
} from '../../scheduling/schedule.ts'
import {
  askFields,
  countFields,
  moveFields,
  type Scheduled,
  scheduledShape,
  wayFields,
} from '../../wire/scheduling.ts'
import { object, uuid } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import type { IdempotentWrite, Reply, WriteResponse } from '../api/idempotency.ts'
import type { Problem } from '../api/problem.ts'
import { type V1Route, v1Write } from '../api/route.ts'
import { choiceBody, flavorWarning, renderSelections, scheduleProblem } from './schedule-answers.ts'
import {
  listHintWarnings,
  listMoveWarnings,
  parseAsk,
  parseMove,
  parseServers,
  requireOwnServer,
  type Warning,
} from './server-asks.ts'

export interface ScheduleContext extends SchedulerParts {
  readonly clock: Clock
}

const PROBLEMS = {
  400: 'The request is malformed, or cannot be translated for Placement.',
  404: 'There is no such flavor, host, server group or server.',
  409: 'No host fits, or the server exists already; nothing was claimed.',
}

const ONE_CALL =
  'Placement’s candidates, then the filters, then the weighers, then the claim: in one call, all or nothing. The claim ' +
  'checks again everything that could have changed meanwhile (capacity, state, aggregates, groups and hints), and ' +
  'falls back to the next host, so parallel requests cannot break a rule.'

export function scheduleRoutes(context: ScheduleContext): V1Route[] {
  return [scheduleRoute(context), moveRoute(context)]
}

function scheduleRoute(context: ScheduleContext): V1Route {
  return v1Write({
    method: 'POST',
    path: '/schedule',
    operation: 'berth:schedule',
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Choose hosts for servers, and claim them',
    description: `${ONE_CALL} A target \`host\` becomes \`in_tree\` of the query, so that no limit hides it.`,
    body: object('The request: a flavor, or groups.', {}, { ...askFields, ...wayFields, ...countFields }),
    answer: { description: 'The chosen hosts; claimed, unless it was a dry run.', shape: scheduledShape },
    problems: PROBLEMS,
    async write({ body, credentials, once }) {
      const { world, newUuid } = context
      const servers = parseServers(body, newUuid)
      const warnings = listHintWarnings(world, body.hints, context.setup())
      const request = {
        readAsk: () => ({ ...parseAsk(world, body, credentials), ...servers }),
        seed: body.seed,
        alternates: body.alternates,
        isDryRun: body.dry_run === true,
        sourceHolder: null,
      }
      return schedule(context, request, makeDecisionWriter(context, once, warnings))
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
      'Repeats the request of the server, or, if it was not scheduled here, requests what it holds now; ' +
      'fields of the body override parts of it. The new host is claimed in the commit that releases the old ' +
      'one. With `keep_source` the old allocations stay, held by a consumer of type MIGRATION ' +
      'that the answer names, until that consumer’s allocations are deleted.',
    body: object(
      'The server, and what changes in its request.',
      { instance: uuid('The server.') },
      { ...moveFields, ...wayFields },
    ),
    answer: { description: 'The new host; claimed, unless it was a dry run.', shape: scheduledShape },
    problems: PROBLEMS,
    async write({ body, once }) {
      const { world, newUuid } = context
      if (body.dry_run !== true) requireOwnServer(world, body.instance)
      const sourceHolder = body.keep_source === true ? newUuid() : null
      const warnings = [
        ...listHintWarnings(world, body.hints, context.setup()),
        ...listMoveWarnings(world, body),
      ]
      const request = {
        readAsk: () => parseMove(world, body),
        seed: body.seed,
        alternates: body.alternates,
        isDryRun: body.dry_run === true,
        sourceHolder,
      }
      return schedule(context, request, makeDecisionWriter(context, once, warnings))
    },
  })
}

/** Answers are rendered within the command, since they are stored in its commit. */
function makeDecisionWriter(
  { world }: ScheduleContext,
  once: IdempotentWrite<Scheduled>,
  warnings: readonly Warning[],
): DecisionWriter<WriteResponse> {
  const render = (result: ScheduleResult) => renderSchedule(world, result, warnings)
  return {
    claim: (command, conclude, rows) =>
      once.trySubmit(
        command,
        outcome => {
          const result = conclude(outcome)
          return result === null ? null : render(result)
        },
        rows,
      ),
    note: (result, rows) =>
      once.submit(
        { kind: 'scheduling:note-decision' },
        () => render(result),
        (_, nowMs) => rows(nowMs),
      ),
  }
}

function renderSchedule(
  world: World,
  { decision, order, isDryRun, choice, outcome }: ScheduleResult,
  warnings: readonly Warning[],
): Reply<Scheduled> | Problem {
  if (!outcome.ok) return scheduleProblem(outcome.refusal, decision)
  const { placed, warnings: flavorWarnings } = outcome.answer
  const { defaultAvailabilityZone } = order.setup.settings
  return {
    status: 200,
    body: {
      decision,
      dry_run: isDryRun,
      placed: placed.map((one, nth) => ({
        ...one,
        name: order.ask.names?.[nth] ?? findServerName(world, one.instance),
      })),
      choice: choice === null ? null : choiceBody(choice),
      selections: placed.map(one => renderSelections(world, defaultAvailabilityZone, one)),
      warnings: [...warnings, ...flavorWarnings.map(flavorWarning)],
      source_kept_by: isDryRun ? null : order.sourceHolder,
    },
  }
}
