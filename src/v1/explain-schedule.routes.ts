import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  explainSchedule,
  type HostReport,
  type ScheduleExplanation,
  supposed,
} from '../compute/schedule/explain.ts'
import type { RequestRemedy } from '../compute/schedule/request-remedies.ts'
import type { ServerAsk } from '../compute/schedule/server-spec.ts'
import { type Credentials, LIST_BODY_BYTES } from '../http/api.ts'
import { missText } from '../placement/explain/words.ts'
import type { FilterNote } from '../scheduling/pipeline.ts'
import { noteText } from '../scheduling/refusal-text.ts'
import { remedyCommand, remedyText, setSpecCommand, unsetSpecCommand } from '../scheduling/remedy-text.ts'
import type { SchedulingSetup } from '../scheduling/setup.ts'
import type { World } from '../world/world.ts'
import { allTold, explanation } from './explanation.ts'
import type { PrivateWorld } from './private-world.ts'
import { Problem } from './problem.ts'
import { type V1Route, v1Route } from './route.ts'
import type { ScheduleContext } from './schedule.routes.ts'
import { askProblem, flavorWarning, toldRefusals } from './schedule-answers.ts'
import { askIn, hintWarnings, instancesIn, moveIn, type Warning } from './server-asks.ts'
import {
  type AskBody,
  askFields,
  countFields,
  funnelShape,
  type MoveBody,
  moveFields,
  warningShape,
  wayFields,
} from './server-shapes.ts'
import { anything, list, number, object, oneOf, orNull, text, uuid, whole } from './shape.ts'

/** They take a share of the server's time that others should not have to miss. */
const AT_ONCE_MAX = 2
const HOSTS_DEFAULT = 20
const HOSTS_MAX = 10_000
/** How many different pieces of advice are given about hosts, and how many hosts are looked at for it. */
const ADVICE_MAX = 3
const ADVISED_MAX = 200
const NAMED_MAX = 5

const reason = object('One thing that stands in the way.', {
  code: text('Its kind.'),
  facts: anything(
    'What was compared: key, requirement, values, the aggregates that gave them, the direction.',
  ),
  text: text('The same in words.'),
})

const note = object('A remark.', {
  filter: text('Whose.'),
  code: text('Its kind.'),
  facts: anything('What it is about.'),
  text: text('The same in words.'),
})

const report = object('What became of one host.', {
  host: text('Its name.'),
  provider: uuid('Its root provider.'),
  verdict: oneOf(
    'It passes; filters refuse it; it has no room; or it was not to be looked at.',
    'passes',
    'refused',
    'no-room',
    'left-out',
  ),
  misses: list(text('In words.'), 'What it lacks of what is asked of Placement.'),
  refusals: list(
    object('A filter that says no.', { filter: text('Its name.'), reasons: list(reason, 'All of them.') }),
    'Of every filter that says no, not only of the first.',
  ),
  notes: list(note, 'Optional keys that were skipped, sentinels that contradict each other, and the like.'),
  weight: orNull(number('What the weighers gave it together, if it passes.')),
  contributions: list(
    object('What one weigher gave.', {
      weigher: text('Its name.'),
      raw: number('What it measured.'),
      normalized: number('The same from 0, the worst host, to 1, the best.'),
      multiplier: number('How much it counts.'),
      weight: number('The product.'),
    }),
    'Weigher by weigher.',
  ),
})

const answer = object('Why a server would go where it would go, or nowhere.', {
  revision: whole('The revision of the state that was looked at.'),
  hosts: whole('All hosts.'),
  with_room: whole('Hosts with room for what is asked of Placement.'),
  passed: whole('Hosts that pass every filter as well.'),
  histogram: list(
    object('One reason, over all hosts with room.', {
      filter: text('Whose.'),
      code: text('Its kind.'),
      key: orNull(text('The key it is about.')),
      hosts: whole('How many hosts it keeps out.'),
      only_reason: whole('How many of them have no other reason.'),
    }),
    'The reasons, the one with most hosts first.',
  ),
  funnel: funnelShape,
  query: text('What is asked of Placement: the query of `GET /allocation_candidates`.'),
  prefilters: list(anything('What one of them did.'), 'How the query was narrowed before it was asked.'),
  placement: explanation,
  changes: list(
    anything('Its kind, the same in words, and how many hosts would then do.'),
    'The smallest changes: of the request, each of them tried; then of single hosts.',
  ),
  reports: list(
    report,
    'Hosts: those that pass, best first; then those with the fewest reasons against them.',
  ),
  reports_left_out: whole('Hosts that are not in the list; ask for more with `hosts_max`.'),
  warnings: list(warningShape, 'What was asked for and does nothing, and the like.'),
})

interface ExplainContext extends ScheduleContext {
  readonly privateWorld: PrivateWorld
}

export function explainScheduleRoutes(context: ExplainContext): V1Route[] {
  let underWay = 0
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
          hosts_max: whole(`How many hosts to tell of; ${HOSTS_DEFAULT} unless said otherwise.`, {
            minimum: 0,
            maximum: HOSTS_MAX,
          }),
        },
      ),
      answer: { description: 'The explanation.', shape: answer },
      problems: {
        400: 'The request is malformed, or cannot be asked of Placement.',
        404: 'There is no such flavor, host, server group or server.',
        503: 'Too many explanations are under way, or the cloud does not stand still: try again.',
      },
      async handle({ body, credentials }) {
        if (underWay >= AT_ONCE_MAX)
          throw new Problem(
            503,
            'explain.busy',
            'As many explanations as this server makes at once are under way.',
          )
        underWay++
        try {
          return await explained(context, body, credentials)
        } finally {
          underWay--
        }
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
  const keeper = body.keep_source === true ? '' : null
  const command = { ask, keeper, setup: setup(), seed: body.seed ?? newSeed() }
  // What is only supposed nobody else may see.
  return context.privateWorld.lend(async past => {
    const { change, instance: first } = supposed(past.world, command)
    past.world.apply(change)
    return explainedOn(past.world, { ...ask, instances: [first] }, command.setup, body)
  })
}

async function explainedOn(
  world: World,
  ask: ServerAsk,
  setup: SchedulingSetup,
  { hints, hosts_max: reportsMax = HOSTS_DEFAULT }: Body,
): Promise<unknown> {
  const warnings = hintWarnings(world, hints, setup)
  const seenMax = Math.max(reportsMax, ADVISED_MAX)
  const answer = await explainSchedule(world, ask, setup, nextTurn, seenMax, seen =>
    told(world, seen, warnings, reportsMax, storedFlavor(world, ask)),
  )
  if (answer.kind === 'told') return answer.told
  if (answer.kind === 'restless')
    throw new Problem(503, 'explain.restless', 'The cloud changed each time before all of it was looked at.')
  throw askProblem(answer)
}

function told(
  world: World,
  explained: ScheduleExplanation,
  warnings: readonly Warning[],
  reportsMax: number,
  flavor: string | null,
) {
  const { revision, hosts, withRoom, passed, histogram, funnel, prefilters } = explained
  const reports = explained.reports.slice(0, reportsMax)
  return {
    ...{ revision, hosts, with_room: withRoom, passed, funnel, prefilters },
    histogram: histogram.map(({ onlyReason, ...bar }) => ({ ...bar, only_reason: onlyReason })),
    query: explained.parameters.map(([key, value]) => `${key}=${value}`).join('&'),
    placement: allTold(world, explained.placement),
    changes: [
      ...explained.changes.map(one => toldChange(one, flavor)),
      ...(passed > 0 ? [] : admissions(explained.reports, flavor)),
    ],
    reports: reports.map(one => toldReport(world, one)),
    reports_left_out: hosts - reports.length,
    warnings: [...warnings, ...explained.warnings.map(flavorWarning)],
  }
}

function toldReport(world: World, { isLeftOut, misses, ...one }: HostReport) {
  const { refusals, notes, weight, contributions } = one
  return {
    ...{ host: one.host, provider: one.provider, weight },
    verdict: isLeftOut
      ? 'left-out'
      : misses.length > 0
        ? 'no-room'
        : refusals.length > 0
          ? 'refused'
          : 'passes',
    misses: misses.map(miss => missText(world, miss)),
    refusals: toldRefusals(refusals),
    notes: notes.map(toldNote),
    contributions: contributions.map(({ notes: _, ...contribution }) => contribution),
  }
}

const toldNote = ({ filter, note: { code, facts } }: FilterNote) => ({
  ...{ filter, code, facts, text: noteText({ code, facts } as FilterNote['note']) },
})

const toldChange = (remedy: RequestRemedy, flavor: string | null) => ({
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

/** What would have to be done so that hosts would do: hosts that need the same are told together, most of them first. */
function admissions(reports: readonly HostReport[], flavor: string | null) {
  const groups = new Map<
    string,
    { readonly admits: HostReport[]; readonly steps: readonly AdmissionStep[] }
  >()
  for (const report of reports) {
    if (report.isLeftOut || report.misses.length > 0 || report.refusals.length === 0) continue
    const steps = stepsOf(report, flavor)
    const advice = steps.map(({ text }) => text).join('; ')
    const known = groups.get(advice)
    if (known === undefined) groups.set(advice, { admits: [report], steps })
    else known.admits.push(report)
  }
  return [...groups]
    .sort(([, a], [, b]) => a.steps.length - b.steps.length || b.admits.length - a.admits.length)
    .slice(0, ADVICE_MAX)
    .map(([advice, { admits, steps }]) => ({
      kind: 'admit-hosts',
      hosts: admits.length,
      admits: admits.map(({ host, provider }) => ({ host, provider })),
      steps,
      text: `For ${hostList(admits.map(({ host }) => host))}: ${advice}.`,
      command: steps.every(({ command }) => command !== null)
        ? steps.map(({ command }) => command).join(' && ')
        : null,
    }))
}

interface AdmissionStep {
  readonly filter: string
  readonly code: string
  /** About one of the hosts, which is called `it`. */
  readonly text: string
  /** For the first of them. */
  readonly command: string | null
}

function stepsOf({ host, refusals }: HostReport, flavor: string | null): AdmissionStep[] {
  const steps = refusals.flatMap(({ filter, reasons }) =>
    reasons.map(one => ({
      filter,
      code: one.code,
      text: remedyText(one, 'it'),
      command: remedyCommand(one, host, flavor),
    })),
  )
  return [...new Map(steps.map(step => [step.text, step])).values()]
}

function hostList(names: readonly string[]): string {
  const more = names.length - NAMED_MAX
  return more > 0 ? `${names.slice(0, NAMED_MAX).join(', ')} and ${more} more` : names.join(', ')
}
