import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Credentials, LIST_BODY_BYTES } from '../../http/api.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { missText } from '../../placement/explain/words.ts'
import type { FilterNote } from '../../scheduling/framework/pipeline.ts'
import { noteText } from '../../scheduling/framework/refusal-text.ts'
import { setSpecCommand, unsetSpecCommand } from '../../scheduling/framework/remedy-text.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import {
  changeBeforeExplaining,
  explainSchedule,
  type HostReport,
  type ScheduleExplanation,
} from '../../scheduling/hosts/explain.ts'
import type { RequestRemedy } from '../../scheduling/hosts/request-remedies.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import { scheduleExplanationShape } from '../../wire/schedule-explanation.ts'
import {
  type AskBody,
  askFields,
  countFields,
  type MoveBody,
  moveFields,
  wayFields,
} from '../../wire/scheduling.ts'
import { object, uuid, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { admissions } from '../api/admissions.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import type { ScheduleContext } from '../schedule/schedule.routes.ts'
import { askProblem, flavorWarning, refusalBodies } from '../schedule/schedule-answers.ts'
import { askIn, hintWarnings, instancesIn, moveIn, type Warning } from '../schedule/server-asks.ts'
import type { WorldCopyPool } from '../schedule/world-copies.ts'
import { explainBusy, explanationBody } from './explanation.ts'

/** Limits how much of the server's time explanations take from other requests. */
const AT_ONCE_MAX = 2
const HOSTS_DEFAULT = 20
const HOSTS_MAX = 10_000
/** How many hosts are looked at for advice about them. */
const ADVISED_MAX = 200

interface ExplainContext extends ScheduleContext {
  readonly privateWorld: WorldCopyPool
}

export function explainScheduleRoutes(context: ExplainContext): V1Route[] {
  const permits = new Semaphore(AT_ONCE_MAX)
  return [
    v1Route({
      method: 'POST',
      changesNothing: true,
      path: '/explain/schedule',
      operation: 'berth:explain:hosts',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Say why a server would go where it would go, or nowhere',
      description:
        'Takes what `POST /v1/schedule` takes, or what `POST /v1/move` takes. A histogram of the reasons comes first; then ' +
        'the funnels of filters and of Placement; then the smallest changes that would help; then host by host every ' +
        'filter that says no, with key, requirement, values and the aggregate that gave them. Of a count, the first ' +
        'server without a place is explained, with the others in theirs.',
      body: object(
        'What is asked for: a flavor, or groups; or the move of a server.',
        {},
        {
          ...askFields,
          ...countFields,
          ...wayFields,
          ...moveFields,
          instance: uuid('The server that is to move.'),
          hosts_max: whole(`How many hosts to report; default: ${HOSTS_DEFAULT}.`, {
            minimum: 0,
            maximum: HOSTS_MAX,
          }),
        },
      ),
      answer: { description: 'The explanation.', shape: scheduleExplanationShape },
      problems: {
        400: 'The request is malformed, or cannot be asked of Placement.',
        404: 'There is no such flavor, host, server group or server.',
        503: 'Too many explanations are under way, or the cloud does not stand still: try again.',
      },
      async handle({ body, credentials }) {
        return permits.run(() => explained(context, body, credentials), explainBusy)
      },
    }),
  ]
}

type Body = AskBody &
  Partial<MoveBody> & { count?: number; instances?: readonly string[]; hosts_max?: number; seed?: number }

async function explained(context: ExplainContext, body: Body, credentials: Credentials): Promise<unknown> {
  const { world, newUuid, newSeed, setup } = context
  const { instance } = body
  const ask: ServerAsk =
    instance === undefined
      ? { ...askIn(world, body, credentials), instances: instancesIn(body.instances, body.count, newUuid) }
      : moveIn(world, { ...body, instance })
  if (ask.operation === 'create' && ask.instances.length === 1) return explainedOn(world, ask, setup(), body)
  const sourceHolder = body.keep_source === true ? '' : null
  const command = { ask, sourceHolder, setup: setup(), seed: body.seed ?? newSeed() }
  // What is only supposed nobody else may see.
  return context.privateWorld.lend(async past => {
    const { change, instance: first } = changeBeforeExplaining(past.world, command)
    past.make(change)
    return explainedOn(past.world, { ...ask, instances: [first] }, command.setup, body)
  })
}

async function explainedOn(
  world: World,
  ask: ServerAsk,
  setup: SchedulingSetup,
  { hints, flavor: named, hosts_max: reportsMax = HOSTS_DEFAULT }: Body,
): Promise<unknown> {
  // A server that moves keeps the flavor as it was when it was asked for: changing the stored one helps only who names it.
  const asksAnew = ask.operation === 'create' || named !== undefined
  const warnings = hintWarnings(world, hints, setup)
  const seenMax = Math.max(reportsMax, ADVISED_MAX)
  const answer = await explainSchedule(world, ask, setup, nextTurn, seenMax, seen =>
    scheduleExplanationBody(world, seen, {
      ask,
      setup,
      warnings,
      reportsMax,
      flavor: asksAnew ? storedFlavor(world, ask) : null,
    }),
  )
  if (answer.kind === 'told') return answer.told
  if (answer.kind === 'restless')
    throw new Problem(503, 'explain.restless', 'The cloud changed each time before all of it was looked at.')
  throw askProblem(answer)
}

function scheduleExplanationBody(
  world: World,
  explained: ScheduleExplanation,
  telling: {
    readonly ask: ServerAsk
    readonly setup: SchedulingSetup
    readonly warnings: readonly Warning[]
    readonly reportsMax: number
    readonly flavor: string | null
  },
) {
  const { ask, setup, warnings, reportsMax, flavor } = telling
  const { revision, hosts, withRoom, passed, histogram, funnel, prefilters } = explained
  const reports = explained.reports.slice(0, reportsMax)
  return {
    revision,
    hosts,
    with_room: withRoom,
    passed,
    funnel,
    prefilters,
    histogram: histogram.map(({ onlyReason, ...bar }) => ({ ...bar, only_reason: onlyReason })),
    query: explained.parameters.map(([key, value]) => `${key}=${value}`).join('&'),
    placement: explanationBody(world, explained.placement),
    changes: [
      ...explained.changes.map(one => changeBody(one, flavor)),
      ...(passed > 0 ? [] : admissions(world, explained.reports, { ask, setup, flavor })),
    ],
    reports: reports.map(one => hostReportBody(world, one)),
    reports_left_out: hosts - reports.length,
    warnings: [...warnings, ...explained.warnings.map(flavorWarning)],
  }
}

function hostReportBody(world: World, { isLeftOut, misses, ...one }: HostReport) {
  const { refusals, notes, weight, contributions } = one
  return {
    host: one.host,
    provider: one.provider,
    weight,
    verdict: isLeftOut
      ? 'left-out'
      : misses.length > 0
        ? 'no-room'
        : refusals.length > 0
          ? 'refused'
          : 'passes',
    misses: misses.map(miss => missText(world, miss)),
    refusals: refusalBodies(refusals),
    notes: notes.map(noteBody),
    contributions: contributions.map(({ notes: _, ...contribution }) => contribution),
  }
}

const noteBody = ({ filter, note: { code, facts } }: FilterNote) => ({
  filter,
  code,
  facts,
  text: noteText({ code, facts } as FilterNote['note']),
})

const changeBody = (remedy: RequestRemedy, flavor: string | null) => ({
  ...remedy,
  text: `${changeText(remedy)}.`,
  command: flavor === null ? null : changeCommand(remedy, flavor),
})

function changeCommand(remedy: RequestRemedy, flavor: string): string | null {
  if (remedy.kind === 'set-extra-spec') return setSpecCommand(flavor, remedy.key, remedy.value)
  return remedy.kind === 'drop-extra-spec' ? unsetSpecCommand(flavor, remedy.key) : null
}

/** The name of the flavor, where it is one that can be changed. */
function storedFlavor({ compute }: World, { spec }: ServerAsk): string | null {
  const { name } = spec.flavor
  return spec.groups === null && compute.flavorNamed(name) !== undefined ? name : null
}

function changeText(remedy: RequestRemedy): string {
  const then = `: then ${remedy.hosts === 1 ? '1 host' : `${remedy.hosts} hosts`} would do`
  switch (remedy.kind) {
    case 'set-extra-spec':
      return `Set ${remedy.key} = ${JSON.stringify(remedy.value)} in the flavor${then}`
    case 'drop-extra-spec':
      return `Do without ${remedy.key} = ${JSON.stringify(remedy.value)} in the flavor${then}`
    case 'drop-zone':
      return `Do without the zone ${remedy.zone}${then}`
    case 'drop-hint':
      return `Do without the hint ${remedy.hint}${then}`
    case 'drop-image-property':
      return `Do without ${remedy.property} of the image${then}`
    case 'drop-server-group':
      return `Do without the server group ${remedy.group}${then}`
    case 'drop-host':
      return `Let it be any host${then}`
    default:
      return remedy satisfies never
  }
}
