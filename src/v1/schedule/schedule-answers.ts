import { countText } from '../../kernel/count-text.ts'
import type { ChoiceSummary } from '../../scheduling/framework/choice-summary.ts'
import type { FilterRefusal, FunnelStep } from '../../scheduling/framework/pipeline.ts'
import { hostsText, reasonText } from '../../scheduling/framework/refusal-text.ts'
import type { DrainedServer } from '../../scheduling/hosts/drain.ts'
import type { HostCandidate } from '../../scheduling/hosts/host-candidate.ts'
import type { AskRefusal } from '../../scheduling/hosts/host-selection.ts'
import { findZone } from '../../scheduling/hosts/hosts.ts'
import { findServerName } from '../../scheduling/hosts/known-server.ts'
import type { PlacedServer, ScheduleRefusal } from '../../scheduling/hosts/place-servers.ts'
import {
  describeFlavorWarning,
  describeHardwareFault,
  describeQueryFault,
} from '../../scheduling/hosts/query/flavor-query-text.ts'
import type { FlavorWarning } from '../../scheduling/hosts/query/query-draft.ts'
import type { RebuildRefusal } from '../../scheduling/hosts/rebuild.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import type { Warning } from './server-asks.ts'

/** Answers of the scheduler as JSON. */

export const choiceBody = ({
  candidates,
  truncated,
  searchExhausted,
  funnel,
  weighers = [],
  top,
}: ChoiceSummary) => ({
  candidates,
  is_cut: truncated,
  is_exhausted: searchExhausted,
  funnel: funnelBody(funnel),
  top: top.map(({ parts = [], texts = [], ...host }) => ({
    ...host,
    weighers: parts.map((weight, at) => {
      const text = texts[at] ?? null
      return { weigher: weighers[at] ?? '', weight, ...(text !== null && { text }) }
    }),
  })),
})

export const funnelBody = (funnel: readonly FunnelStep[]) =>
  funnel.map(({ removed, ...step }) => ({
    ...step,
    removed: removed.map(({ code, hosts }) => ({ code, hosts, text: hostsText(code, null, hosts) })),
  }))

/** The Placement version of the allocations in a selection. */
const ALLOCATIONS_VERSION = '1.36'

/** A server's host and its alternates, as Nova's scheduler returns them. */
export const renderSelections = (
  world: World,
  defaultZone: string,
  { instance: _, alternates, ...place }: PlacedServer,
) => [place, ...alternates].map(one => renderSelection(world, defaultZone, one))

function renderSelection(
  world: World,
  defaultZone: string,
  { host, provider, allocations, mappings }: HostCandidate,
) {
  const slot = world.providers.find(provider)
  const request = {
    allocations: Object.fromEntries(
      Object.entries(allocations).map(([uuid, resources]) => [uuid, { resources }]),
    ),
    mappings,
  }
  return {
    service_host: host,
    nodename: host,
    compute_node_uuid: provider,
    cell_uuid: null,
    limits: null,
    availability_zone: slot === undefined ? '' : findZone(world, slot, defaultZone),
    allocation_request: JSON.stringify(request),
    allocation_request_version: ALLOCATIONS_VERSION,
  }
}

export const flavorWarning = (warning: FlavorWarning): Warning => ({
  code: `flavor.${warning.code}`,
  text: describeFlavorWarning(warning),
})

/** Why a request has no query. */
export function askProblem(refusal: AskRefusal): Problem {
  const { kind, ...facts } = refusal
  const problem = (status: number, text: string) => new Problem(status, `schedule.${kind}`, text, facts)
  switch (refusal.kind) {
    case 'flavor-faults':
      return problem(
        400,
        `The flavor cannot be translated for Placement: ${refusal.faults.map(describeHardwareFault).join(' ')}`,
      )
    case 'query-refused':
      return problem(
        400,
        `Placement would refuse the request: ${refusal.faults.map(describeQueryFault).join('; ')}.`,
      )
    case 'nothing-asked':
      return problem(400, 'The request asks for no resources, so every host would fit.')
    case 'no-aggregate-for-project':
      return problem(
        409,
        `No host aggregate names the project ${refusal.project} under filter_tenant_id, and the server is set to require one.`,
      )
    case 'unknown-name': {
      const { refusal: unknown } = refusal
      const what = unknown.kind === 'unknown-class' ? 'resource class' : 'trait'
      return problem(400, `The request names the ${what} ${unknown.name}, which does not exist.`)
    }
    case 'host-missing':
      return problem(404, `There is no host ${refusal.host}.`)
    case 'group-missing':
      return problem(404, `There is no server group ${refusal.group}.`)
    default:
      return refusal satisfies never
  }
}

/** Why a request was refused, with the funnel of its hosts. */
export function scheduleProblem(refusal: ScheduleRefusal, decision: string | null): Problem {
  const also = decision === null ? {} : { decision }
  switch (refusal.kind) {
    case 'server-exists':
      return new Problem(409, 'schedule.server-exists', `${refusal.instance} already has allocations.`, {
        ...also,
        instance: refusal.instance,
      })
    case 'server-missing':
      return makeServerMissing(refusal)
    case 'reservation-complete':
      return new Problem(
        409,
        'schedule.reservation-complete',
        `The reservation ${refusal.reservation} has all its places, or has ended.`,
        { ...also, reservation: refusal.reservation },
      )
    case 'server-changed':
    case 'ranked-hosts-stale': {
      const { kind, instance } = refusal
      const text = `${instance} could not be placed: what it depends on changed each time. Try again.`
      return new Problem(409, `schedule.${kind}`, text, { instance })
    }
    case 'no-host': {
      const { instance, placed, choice } = refusal
      return new Problem(409, 'schedule.no-host', describeNoHost(placed, choice), {
        ...also,
        instance,
        placed,
        choice: choiceBody(choice),
        remedy: 'POST the same to /v1/explain/schedule to learn why each host does not fit.',
      })
    }
    default: {
      const { status, code, message, facts } = askProblem(refusal)
      return new Problem(status, code, message, { ...facts, ...also })
    }
  }
}

function describeNoHost(placed: number, { candidates, funnel, searchExhausted }: ChoiceSummary): string {
  const which = placed === 0 ? 'No host fits' : `After ${placed} of the servers no host fits`
  const hard = searchExhausted ? ' Some hosts were too complex to search and were skipped.' : ''
  if (candidates === 0) return `${which}: none has room for what is asked of Placement.${hard}`
  const steps = funnel
    .filter(({ before, after }) => after < before)
    .map(({ filter, before, after }) => `${filter} removed ${before - after}`)
  const hosts = countText(candidates, 'host has room', 'hosts have room')
  return `${which}: ${hosts}; ${steps.join(', ') || 'none could be claimed'}.${hard}`
}

export const refusalBodies = (refusals: readonly FilterRefusal[]) =>
  refusals.map(({ filter, reasons }) => ({
    filter,
    reasons: reasons.map(reason => ({ ...reason, text: reasonText(reason) })),
  }))

export function makeServerMissing({ instance, type }: { instance: string; type: string | null }): Problem {
  const what =
    type === null ? 'has no allocations on any host' : `is of type ${type}, or has no allocations on any host`
  return new Problem(404, 'schedule.server-missing', `There is no server ${instance}: it ${what}.`, {
    instance,
  })
}

export function rebuildProblem(refusal: RebuildRefusal, decision: string): Problem {
  if (refusal.kind === 'server-missing') return makeServerMissing(refusal)
  if (refusal.kind === 'traits-missing') {
    const { instance, host, traits } = refusal
    const text = `${instance} cannot be rebuilt with this image on ${host}: the image requires ${traits.join(', ')}, which ${host} lacks.`
    return new Problem(409, 'schedule.rebuild-refused', text, { instance, host, decision, traits })
  }
  const { instance, host, refusals } = refusal
  const reasons = refusals.flatMap(({ filter, reasons: all }) =>
    all.map(reason => `${filter}: ${reasonText(reason)}`),
  )
  const text = `${instance} cannot be rebuilt with this image on ${host}. ${reasons.join(' ')}`
  return new Problem(409, 'schedule.rebuild-refused', text, {
    instance,
    host,
    decision,
    refusals: refusalBodies(refusals),
  })
}

/** A server of a host that is drained or fails, and where it would go. */
export const displacedServerBody = (world: World, { instance, from, to, refusal }: DrainedServer) => ({
  instance,
  name: findServerName(world, instance),
  from,
  to: to?.host ?? null,
  provider: to?.provider ?? null,
  text: refusal === null ? null : scheduleProblem(refusal, null).message,
})
