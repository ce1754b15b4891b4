import type { Log } from '../../http/ops/log.ts'
import { makeNovaRows, type NovaDecision } from '../../scheduling/decisions/nova.rows.ts'
import { FilterPipeline, type FilterRefusal, makeFunnelOf } from '../../scheduling/framework/pipeline.ts'
import { partsOf, type SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { rankHosts } from '../../scheduling/framework/weighing.ts'
import {
  findUnlistedAggregate,
  makeHostViews,
  type NovaRequest,
  toSchedulingRequest,
} from '../../scheduling/hosts/nova-request.ts'
import type { TypeOf } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { mapInTurns } from '../api/in-turns.ts'
import { requireAtMost } from '../api/item-count.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route, v1Write } from '../api/route.ts'
import { HOSTS_MAX, novaFilteredShape, novaRequestShape, novaWeighedShape } from './nova-shapes.ts'
import { listReasons, renderVerdicts, reportMissedCalls, summarizeReasons } from './verdicts.ts'

interface NovaContext {
  readonly world: World
  readonly setup: () => SchedulingSetup
  /** How long to expect a claim after Nova asked about a server in a group. */
  readonly groupClaimMs: () => number
  readonly newUuid: () => string
  readonly log: () => Pick<Log, 'warn'>
  /** Stores the successful searches of a request, because the filters then left no host. */
  readonly keepSearches: (globalRequestId: string) => void
}

type Body = TypeOf<typeof novaRequestShape>
type Filtered = TypeOf<typeof novaFilteredShape>

/** A flavor, an image and hints are normally far smaller. If they exceed this, a decision stores only their names. */
const KEPT_CHARS_MAX = 65_536

const PROBLEMS = {
  400: 'The body is malformed; `field` names what in it.',
  413: `More than ${HOSTS_MAX} hosts at once.`,
}

export const novaRoutes = (context: NovaContext): V1Route[] => [filterRoute(context), weighRoute(context)]

const filterRoute = (context: NovaContext): V1Route =>
  v1Write({
    method: 'POST',
    path: '/nova/filter',
    operation: 'berth:schedule',
    bodyLimit: 'max_body_bytes',
    summary: 'Filter hosts for Nova’s scheduler',
    description:
      'Runs `nova_filters` on the hosts and aggregates of the request, as Nova has them, and keeps the decision under ' +
      'Nova’s request id and the server. If the server is in a group with policy affinity or anti-affinity, the claim ' +
      'that follows, `PUT /allocations/{server}`, is refused if it would break the policy by then.',
    body: novaRequestShape,
    answer: { description: 'Who passes, and why the others do not.', shape: novaFilteredShape },
    problems: PROBLEMS,
    async write({ body, once }) {
      reportMissedCalls(context.log(), 'Nova', body)
      const setup = context.setup()
      const { filters } = partsOf(setup)
      const asked = requireRequest(body)
      const needs = listNeeds(filters, body)
      if (needs.length > 0)
        return once.submit({ kind: 'scheduling:note-decision' }, () => ({
          status: 200,
          body: { needs, decision: null, passes: [], refused: [], summary: 'Nothing was decided.' },
        }))
      const { revision } = context.world
      const pipeline = new FilterPipeline(filters, toSchedulingRequest(context.world, asked), setup.settings)
      const viewAt = makeHostViews(context.world, asked)
      const refusals = await mapInTurns(asked.hosts, (_, at) => pipeline.findFirstRefusal(viewAt(at)))
      const decision = makeDecision(context.newUuid(), body, revision, pipeline, refusals)
      const answer: Filtered = {
        needs: [],
        decision: decision.id,
        ...renderVerdicts(refusals),
        summary: summarizeReasons('hosts', decision.hosts, decision.passed, decision.reasons),
      }
      if (decision.passed === 0 && decision.globalRequestId !== null)
        context.keepSearches(decision.globalRequestId)
      return once.submit(
        makeCommand(context, asked, decision),
        () => ({ status: 200, body: answer }),
        (_, nowMs) => makeNovaRows(decision, nowMs),
      )
    },
  })

const weighRoute = (context: NovaContext): V1Route =>
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/nova/weigh',
    operation: 'berth:schedule',
    bodyLimit: 'max_body_bytes',
    summary: 'Weigh hosts for Nova’s scheduler',
    description:
      'The sums of `nova_weighers` with their multipliers, for the hosts of the request as Nova has them. Members of a ' +
      'server group count where they have allocations, too.',
    body: novaRequestShape,
    answer: { description: 'The weights.', shape: novaWeighedShape },
    problems: PROBLEMS,
    async handle({ body }) {
      reportMissedCalls(context.log(), 'Nova', body)
      const setup = context.setup()
      const { weighers } = partsOf(setup)
      const asked = requireRequest(body)
      const needs = listNeeds(weighers, body)
      if (needs.length > 0) return { needs, weights: [] }
      const viewAt = makeHostViews(context.world, asked)
      const views = await mapInTurns(asked.hosts, (_, at) => viewAt(at))
      const request = toSchedulingRequest(context.world, asked)
      return { needs, weights: [...rankHosts(weighers, request, views, setup.settings).weights] }
    },
  })

/** The fields of a host that every request has. Other fields are long, so they are sent only on demand. */
const ALWAYS_SENT = new Set([
  'enabled',
  'up',
  'instances',
  'number of instances',
  'number of I/O operations',
  'failed_builds',
  'vcpus_total',
  'vcpus_used',
  'cpu_allocation_ratio',
  'free_disk_mb',
  'free_ram_mb',
  'num_io_ops',
  'num_instances',
  'free PCI devices',
  // From the ledger.
  'traits',
  'hypervisor_version',
  'metrics',
  'name',
])

type Need = Filtered['needs'][number]

function listNeeds(
  parts: readonly { readonly reads: { readonly host?: readonly string[] } }[],
  { all_attributes = false }: Body,
): Need[] {
  const isRead = parts.some(({ reads }) => reads.host?.some(field => !ALWAYS_SENT.has(field)))
  return isRead && !all_attributes ? ['attributes'] : []
}

/** The body as a request of Nova, whose hosts name only aggregates that it has. */
function requireRequest(body: Body): NovaRequest {
  requireAtMost(HOSTS_MAX, 'nova', 'hosts', body.hosts.length)
  const asked = body as NovaRequest
  const at = findUnlistedAggregate(asked)
  if (at < 0) return asked
  const field = `hosts.${at}.aggregates`
  const text = `${field}: it names an aggregate that \`aggregates\` lacks`
  throw new Problem(400, 'nova.aggregate-missing', text, { field })
}

function makeDecision(
  id: string,
  body: Body,
  revision: number,
  { filters }: FilterPipeline,
  refusals: readonly (FilterRefusal | null)[],
): NovaDecision {
  const { instance, project, zone, flavor, image, hints, group } = body
  const { members: _, hosts: __, ...kept } = group ?? { members: null, hosts: null }
  const whole = {
    instance,
    flavor,
    zone,
    group: group === null ? null : (kept as typeof group),
    hints,
    image,
  }
  const isLong = JSON.stringify(whole).length > KEPT_CHARS_MAX
  return {
    id,
    request: isLong
      ? ({ ...whole, flavor: { name: flavor.name }, hints: {}, image: null } as typeof whole)
      : whole,
    requestId: body.request_id ?? null,
    globalRequestId: body.global_request_id ?? null,
    project,
    revision,
    hosts: refusals.length,
    passed: refusals.filter(one => one === null).length,
    funnel: makeFunnelOf(filters, refusals),
    reasons: listReasons(refusals, at => body.hosts[at]?.name ?? 'the host'),
  }
}

/** Announces a claim under a hard policy if hosts are left. */
function makeCommand(
  { groupClaimMs }: NovaContext,
  { operation, instance, group }: NovaRequest,
  { passed }: NovaDecision,
) {
  const isHard = group?.policy === 'affinity' || group?.policy === 'anti-affinity'
  if (group === null || !isHard || instance === null || operation === 'rebuild' || passed === 0)
    return { kind: 'scheduling:note-decision' } as const
  const { uuid, policy, max_server_per_host: maxPerHost, members } = group
  return {
    kind: 'placement:expect-group-claim',
    consumer: instance,
    group: { uuid, policy: policy as 'affinity' | 'anti-affinity', maxPerHost, members },
    keepMs: groupClaimMs(),
  } as const
}
