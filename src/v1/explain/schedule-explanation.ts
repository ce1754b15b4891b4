import { traceStep } from '../../http/tracing/span.ts'
import { countText } from '../../kernel/count-text.ts'
import { missText } from '../../placement/explain/words.ts'
import { hostsText } from '../../scheduling/framework/refusal-text.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { setSpecCommand, unsetSpecCommand } from '../../scheduling/framework/shell-commands.ts'
import { explainSchedule, type HostReport, type ScheduleExplanation } from '../../scheduling/hosts/explain.ts'
import type { RequestRemedy } from '../../scheduling/hosts/request-remedies.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import { OwnPlaces } from '../../scheduling/reservations/own-places.ts'
import type { HostReport as HostReportBody } from '../../wire/schedule-explanation.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import { listAdmissions } from '../api/admissions.ts'
import { pauseInTurns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'
import { askProblem, flavorWarning, funnelBody, refusalBodies } from '../schedule/schedule-answers.ts'
import type { Warning } from '../schedule/server-asks.ts'
import type { WorldCopyPool } from '../schedule/world-copies.ts'
import { explanationBody } from './explanation.ts'

/** Hosts that get advice. */
const ADVISED_MAX = 200

interface ExplainOptions {
  /** The request names the flavor. A server that moves keeps its original one, so changing the stored flavor would not help. */
  readonly asksAnew: boolean
  readonly warnings: readonly Warning[]
  readonly reportsMax: number
}

/** Explains on this state, which stays the same meanwhile or is read again. */
export async function explainOn(
  world: World,
  ask: ServerAsk,
  setup: SchedulingSetup,
  { asksAnew, warnings, reportsMax }: ExplainOptions,
) {
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
    explainSchedule(world, ask, setup, pauseInTurns(), seenMax, render),
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

/** Explains one new server. What reservations keep for its project is room for it. */
export async function explainOne(
  { world, setup, privateWorld }: { world: World; setup: () => SchedulingSetup; privateWorld: WorldCopyPool },
  ask: ServerAsk,
  options: ExplainOptions,
) {
  if (OwnPlaces.of(world, ask, ask.instances[0] as string).isEmpty)
    return explainOn(world, ask, setup(), options)
  return privateWorld.lend(past => {
    releaseOwnPlaces(past, ask)
    return explainOn(past.world, ask, setup(), options)
  })
}

/** The places that the first server of a request may use are free on the copy afterwards. */
export function releaseOwnPlaces(copy: WorldCopy, ask: ServerAsk): void {
  const places = OwnPlaces.of(copy.world, ask, ask.instances[0] as string)
  copy.make({ ops: places.listReleases() })
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

export function findVerdict({ isLeftOut, misses, refusals }: HostReport): HostReportBody['verdict'] {
  if (isLeftOut) return 'left-out'
  if (misses.length > 0) return 'no-room'
  return refusals.length > 0 ? 'refused' : 'passes'
}

function hostReportBody(world: World, report: HostReport): HostReportBody {
  const { misses, refusals, notes, weight, contributions } = report
  return {
    host: report.host,
    provider: report.provider,
    weight,
    verdict: findVerdict(report),
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

/** Quoted only where the value is no plain word. */
const specText = ({ key, value }: { readonly key: string; readonly value: string }): string =>
  `${key}=${/^[\w.:/-]+$/.test(value) ? value : JSON.stringify(value)}`

function describeChange(remedy: RequestRemedy): string {
  const then = `: ${countText(remedy.hosts, 'host')} would do`
  switch (remedy.kind) {
    case 'set-extra-spec':
      return `Set ${specText(remedy)} in the flavor${then}`
    case 'drop-extra-spec':
      return `Drop ${specText(remedy)} from the flavor${then}`
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
