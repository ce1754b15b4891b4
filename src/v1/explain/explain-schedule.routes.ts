import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Credentials, LIST_BODY_BYTES } from '../../http/api.ts'
import { traceStep } from '../../http/tracing/span.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { missText } from '../../placement/explain/words.ts'
import { hostsText } from '../../scheduling/framework/refusal-text.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { setSpecCommand, unsetSpecCommand } from '../../scheduling/framework/shell-commands.ts'
import {
  explainSchedule,
  type HostReport,
  prepareChange,
  type ScheduleExplanation,
} from '../../scheduling/hosts/explain.ts'
import type { RequestRemedy } from '../../scheduling/hosts/request-remedies.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import {
  type HostReport as HostReportBody,
  scheduleExplanationShape,
} from '../../wire/schedule-explanation.ts'
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
import { listAdmissions } from '../api/admissions.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import type { ScheduleContext } from '../schedule/schedule.routes.ts'
import { askProblem, flavorWarning, funnelBody, refusalBodies } from '../schedule/schedule-answers.ts'
import {
  listHintWarnings,
  parseAsk,
  parseInstances,
  parseMove,
  type Warning,
} from '../schedule/server-asks.ts'
import type { WorldCopyPool } from '../schedule/world-copies.ts'
import { explainBusy, explanationBody } from './explanation.ts'

/** Limits how much explanations slow down other requests. */
const AT_ONCE_MAX = 2
const HOSTS_DEFAULT = 20
const HOSTS_MAX = 10_000
/** Hosts that get advice. */
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
      summary: 'Explain why a server would go to its host, or finds none',
      description:
        'Takes what `POST /v1/schedule` takes, or what `POST /v1/move` takes. A histogram of the reasons comes first; then ' +
        'the funnels of filters and of Placement; then the smallest changes that would help; then host by host every ' +
        'filter that refuses, with key, requirement, values and the aggregate that they are from. Of a count, the first ' +
        'server without a host is explained, with those before it placed.',
      body: object(
        'The request: a flavor, or groups; or the move of a server.',
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
        400: 'The request is malformed, or cannot be translated for Placement.',
        404: 'There is no such flavor, host, server group or server.',
        503: 'Too many explanations are running, or the cloud changes too fast: try again.',
      },
      async handle({ body, credentials }) {
        return permits.run(() => explainBody(context, body, credentials), explainBusy)
      },
    }),
  ]
}

type Body = AskBody &
  Partial<MoveBody> & { count?: number; instances?: readonly string[]; hosts_max?: number; seed?: number }

async function explainBody(context: ExplainContext, body: Body, credentials: Credentials) {
  const { world, newUuid, newSeed, setup } = context
  const { instance } = body
  const ask: ServerAsk =
    instance === undefined
      ? {
          ...parseAsk(world, body, credentials),
          instances: parseInstances(body.instances, body.count, newUuid),
        }
      : parseMove(world, { ...body, instance })
  if (ask.operation === 'create' && ask.instances.length === 1) return explainOn(world, ask, setup(), body)
  const sourceHolder = body.keep_source === true ? '' : null
  const command = { ask, sourceHolder, setup: setup(), seed: body.seed ?? newSeed() }
  // Assumed changes must not be visible to others.
  return context.privateWorld.lend(async past => {
    const { change, instance: first } = prepareChange(past.world, command)
    past.make(change)
    return explainOn(past.world, { ...ask, instances: [first] }, command.setup, body)
  })
}

async function explainOn(
  world: World,
  ask: ServerAsk,
  setup: SchedulingSetup,
  { hints, flavor: named, hosts_max: reportsMax = HOSTS_DEFAULT }: Body,
) {
  // A server that moves keeps its original flavor. Changing the stored flavor helps only if the request names
  // it.
  const asksAnew = ask.operation === 'create' || named !== undefined
  const warnings = listHintWarnings(world, hints, setup)
  const seenMax = Math.max(reportsMax, ADVISED_MAX)
  const render = (seen: ScheduleExplanation) =>
    scheduleExplanationBody(world, seen, {
      ask,
      setup,
      warnings,
      reportsMax,
      flavor: asksAnew ? findStoredFlavor(world, ask) : null,
    })
  const answer = await traceStep('explain', () =>
    explainSchedule(world, ask, setup, nextTurn, seenMax, render),
  )
  if (answer.kind === 'rendered') return answer.rendered
  if (answer.kind === 'restless')
    throw new Problem(
      503,
      'explain.restless',
      'The cloud changed before the explanation was complete, several times: try again.',
    )
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
    funnel: funnelBody(funnel),
    prefilters,
    histogram: histogram.map(({ onlyReason, ...bar }) => ({
      ...bar,
      only_reason: onlyReason,
      text: hostsText(bar.code, bar.key, bar.hosts),
    })),
    query: explained.parameters.map(([key, value]) => `${key}=${value}`).join('&'),
    placement: explanationBody(world, explained.placement),
    changes: [
      ...explained.changes.map(one => changeBody(one, flavor)),
      ...(passed > 0 ? [] : listAdmissions(world, explained.reports, { ask, setup, flavor })),
    ],
    reports: reports.map(one => hostReportBody(world, one)),
    reports_left_out: hosts - reports.length,
    warnings: [...warnings, ...explained.warnings.map(flavorWarning)],
  }
}

function hostReportBody(world: World, { isLeftOut, misses, ...one }: HostReport): HostReportBody {
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
    notes: notes.map(({ filter, note }) => ({ filter, ...note })),
    contributions: contributions.map(({ notes: _, ...contribution }) => contribution),
  }
}

const changeBody = (remedy: RequestRemedy, flavor: string | null) => ({
  ...remedy,
  text: `${describeChange(remedy)}.`,
  command: flavor === null ? null : renderCommand(remedy, flavor),
})

function renderCommand(remedy: RequestRemedy, flavor: string): string | null {
  if (remedy.kind === 'set-extra-spec') return setSpecCommand(flavor, remedy.key, remedy.value)
  return remedy.kind === 'drop-extra-spec' ? unsetSpecCommand(flavor, remedy.key) : null
}

/** The name of the flavor, if it is stored and so can be changed. */
function findStoredFlavor({ compute }: World, { spec }: ServerAsk): string | null {
  const { name } = spec.flavor
  return spec.groups === null && compute.findFlavorByName(name) !== undefined ? name : null
}

function describeChange(remedy: RequestRemedy): string {
  const then = `: then ${remedy.hosts === 1 ? '1 host' : `${remedy.hosts} hosts`} would fit`
  switch (remedy.kind) {
    case 'set-extra-spec':
      return `Set ${remedy.key} = ${JSON.stringify(remedy.value)} in the flavor${then}`
    case 'drop-extra-spec':
      return `Drop ${remedy.key} = ${JSON.stringify(remedy.value)} from the flavor${then}`
    case 'drop-zone':
      return `Drop the zone ${remedy.zone}${then}`
    case 'drop-hint':
      return `Drop the hint ${remedy.hint}${then}`
    case 'drop-image-property':
      return `Drop ${remedy.property} of the image${then}`
    case 'drop-server-group':
      return `Drop the server group ${remedy.group}${then}`
    case 'drop-host':
      return `Allow any host${then}`
    default:
      return remedy satisfies never
  }
}
