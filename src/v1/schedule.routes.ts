import type { SourceKeeper } from '../compute/schedule/claim.ts'
import { hostsOfServer, specOfServer } from '../compute/schedule/known-server.ts'
import { type Scheduled, type ScheduleRefusal, scheduleServers } from '../compute/schedule/schedule.ts'
import type { ServerAsk } from '../compute/schedule/server-spec.ts'
import type { Clock } from '../kernel/clock.ts'
import { normalizeUuid } from '../kernel/uuid.ts'
import type { SchedulingSetup } from '../scheduling/setup.ts'
import type { Outcome } from '../store/sequencer.ts'
import type { World } from '../world/world.ts'
import { type DecisionKind, decisionRow, type KeptCommand } from './decisions.ts'
import type { Once, Reply, Written } from './idempotency.ts'
import { Problem } from './problem.ts'
import { type V1Route, v1Write } from './route.ts'
import { flavorWarning, scheduleProblem, selectionsOf, toldChoice } from './schedule-answers.ts'
import { askIn, changedSpec, hintWarnings, hostIn, type Warning } from './server-asks.ts'
import {
  ALTERNATES_MAX,
  askFields,
  COUNT_MAX,
  choiceShape,
  placedShape,
  selectionShape,
  specFields,
  warningShape,
} from './server-shapes.ts'
import { list, object, orNull, text, uuid, whole, yesOrNo } from './shape.ts'

export interface ScheduleContext {
  readonly world: World
  readonly setup: () => SchedulingSetup
  readonly clock: Clock
  readonly newUuid: () => string
  readonly newSeed: () => number
}

const SEED_MAX = 2 ** 32 - 1
const ALTERNATES = 2

const wayFields = {
  alternates: whole('How many further hosts to name for each server; 2 unless said otherwise.', {
    minimum: 0,
    maximum: ALTERNATES_MAX,
  }),
  dry_run: yesOrNo('Do everything but the claim.'),
  seed: whole('Where chance comes from; a new one unless said otherwise.', { minimum: 0, maximum: SEED_MAX }),
}

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
    summary: 'Find places for servers, and claim them',
    description: `${ONE_CALL} A target \`host\` is asked for as \`in_tree\`, and no limit can lose it.`,
    body: object(
      'What is asked for: a flavor, or groups.',
      {},
      {
        ...askFields,
        ...wayFields,
        count: whole(`How many servers; 1 unless said otherwise, at most ${COUNT_MAX}.`, {
          minimum: 1,
          maximum: COUNT_MAX,
        }),
        instances: list(
          uuid('A consumer.'),
          'Their uuids, as many as `count`; new ones unless said otherwise.',
        ),
      },
    ),
    answer: { description: 'The places; claimed, unless it was a dry run.', shape: answerShape },
    problems: PROBLEMS,
    async write({ body, credentials, once }) {
      const { world, newUuid } = context
      const ask = askIn(world, body, credentials)
      const instances = instancesIn(body.instances, body.count, newUuid)
      const way = { ...body, warnings: hintWarnings(world, body.hints, context.setup()), keeper: null }
      return decide(context, once, { ...ask, instances, operation: 'create' }, way)
    },
  })
}

function instancesIn(
  given: readonly string[] | undefined,
  count: number | undefined,
  newUuid: () => string,
): string[] {
  if (given === undefined) return Array.from({ length: count ?? 1 }, newUuid)
  const uuids = given.map(uuid => normalizeUuid(uuid) ?? uuid)
  const wrong = (detail: string) => new Problem(400, 'request.invalid', detail, { field: 'instances' })
  if (uuids.length !== (count ?? uuids.length))
    throw wrong(`instances: ${uuids.length} are named, but count is ${count}.`)
  if (uuids.length === 0 || uuids.length > COUNT_MAX)
    throw wrong(`instances: 1 to ${COUNT_MAX} can be named, not ${uuids.length}.`)
  if (new Set(uuids).size < uuids.length) throw wrong('instances: one is named twice.')
  return uuids
}

function moveRoute(context: ScheduleContext): V1Route {
  return v1Write({
    method: 'POST',
    path: '/move',
    operation: 'berth:schedule',
    summary: 'Move a server to another host',
    description:
      'Asks again for what was asked for the server, or, if it was not scheduled here, for as much as it holds; ' +
      'fields of the body say what is to be otherwise. The new place is claimed in the commit that gives up the old ' +
      'one, so that it never has none. With `keep_source` the old place stays held, by a consumer of type MIGRATION ' +
      'that the answer names, until that consumer’s allocations are deleted.',
    body: object(
      'Which server, and what is to be otherwise.',
      { instance: uuid('The server.') },
      {
        ...specFields,
        ...wayFields,
        host: text('The host that it must move to: name or uuid.', { minLength: 1 }),
        ignore_hosts: list(text('Name or uuid.'), 'Hosts that will not do.'),
        allow_same_host: yesOrNo('It may stay where it is; for another flavor, say.'),
        keep_source: yesOrNo('Keep the old place held.'),
      },
    ),
    answer: { description: 'The new place; claimed, unless it was a dry run.', shape: answerShape },
    problems: PROBLEMS,
    async write({ body, once }) {
      const { world, newUuid } = context
      const instance = normalizeUuid(body.instance) ?? body.instance
      const server = world.consumers.find(instance)
      if (server === undefined) throw scheduleProblem({ kind: 'server-missing', instance }, null)
      const { project_id: project, user_id: user } = world.consumers.row(server)
      const group = world.compute.groupOf(server)
      const here = hostsOfServer(world, server).map(slot => world.providers.uuid(slot))
      const host = body.host === undefined ? null : hostIn(world, body.host)
      if (host !== null && here.includes(host) && body.allow_same_host !== true)
        throw new Problem(409, 'schedule.same-host', `${instance} is on ${body.host} already.`, { instance })
      const ignored = (body.ignore_hosts ?? []).map(one => hostIn(world, one))
      const ask: ServerAsk = {
        ...{ operation: 'move', instances: [instance], project, user, host },
        spec: changedSpec(world, specOfServer(world, server), body),
        not_hosts: body.allow_same_host === true ? ignored : [...ignored, ...here],
        group: group === undefined ? null : world.compute.groups.row(group.group_id).uuid,
      }
      const keeper = body.keep_source === true ? { consumer: newUuid() } : null
      const warnings = hintWarnings(world, body.hints, context.setup())
      if (world.compute.requestOf(server) === undefined && body.flavor === undefined)
        warnings.push({
          code: 'move.request-unknown',
          text: 'It was not scheduled here, so as much as it holds was asked for, and no trait, zone or hint.',
        })
      return decide(context, once, ask, { ...body, keeper, warnings })
    },
  })
}

interface Way {
  readonly seed?: number
  readonly alternates?: number
  readonly dry_run?: boolean
  readonly keeper: SourceKeeper | null
  readonly warnings: readonly Warning[]
}

/** Chooses on the world as it is, without holding anybody up; then claims the choice in its turn. */
async function decide(context: ScheduleContext, once: Once, ask: ServerAsk, way: Way): Promise<Written> {
  const { world, clock } = context
  const id = context.newUuid()
  const command: KeptCommand = {
    ...{ ask, setup: context.setup(), seed: way.seed ?? context.newSeed(), keeper: way.keeper },
    alternates: way.alternates ?? ALTERNATES,
  }
  const { revision } = world
  const chosen = scheduleServers(world, { ...command, decision: id, picks: [] }, clock.nowMs())
  const dryRun = way.dry_run === true
  const first = chosen.ok ? (chosen.answer.choices[0] ?? null) : null
  const kind: DecisionKind = dryRun ? 'dry-run' : ask.operation === 'move' ? 'move' : 'schedule'
  const deciding = { id, kind, command, revision, first }
  const answer = (outcome: Outcome<Scheduled, ScheduleRefusal>): Reply | Problem => {
    if (!outcome.ok) return scheduleProblem(outcome.refusal, id)
    const { placed, choices, warnings } = outcome.answer
    const choice = choices[0] ?? first
    const { defaultAvailabilityZone } = command.setup.settings
    return {
      status: 200,
      body: {
        ...{ decision: id, dry_run: dryRun, placed, choice: choice === null ? null : toldChoice(choice) },
        selections: placed.map(one => selectionsOf(world, defaultAvailabilityZone, one)),
        warnings: [...way.warnings, ...warnings.map(flavorWarning)],
        source_kept_by: dryRun ? null : (way.keeper?.consumer ?? null),
      },
    }
  }
  // What was found to be impossible, or is only tried, needs no turn of its own: only a note of it is kept.
  if (dryRun || !chosen.ok)
    return once.submit(
      { kind: 'compute:note-decision' },
      () => answer(chosen),
      (_, nowMs) => [decisionRow(deciding, chosen, nowMs, revision)],
    )
  return once.submit(
    { kind: 'compute:schedule', ...command, decision: id, picks: picksOf(chosen.answer) },
    answer,
    (outcome, nowMs, decided) => [decisionRow(deciding, outcome, nowMs, decided)],
  )
}

/** Of each server the host that was chosen, then the next best. */
export const picksOf = ({ placed, choices }: Scheduled): string[][] =>
  placed.map(({ provider }, nth) => [
    ...new Set([provider, ...(choices[nth]?.top ?? []).map(one => one.provider)]),
  ])
