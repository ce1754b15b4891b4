import { toApiError } from '../../compute/errors.ts'
import type { ComputeRefusal } from '../../compute/refusals.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { parseCapabilities, sumFigures } from '../../scheduling/hosts/host-figures.ts'
import {
  findHostByName,
  findZone,
  getHostRow,
  isHostUp,
  listAllHosts,
  listConsumers,
} from '../../scheduling/hosts/hosts.ts'
import {
  changedHostShape,
  type Host,
  hostPageShape,
  hostSettings,
  hostSettingsShape,
  hostShape,
} from '../../wire/hosts.ts'
import { object, text, uuid, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route, v1Write } from '../api/route.ts'
import { toHostFields } from './host-fields.ts'

const LIMIT_DEFAULT = 1_000
const LIMIT_MAX = 10_000

function hostBody({ world, defaultZone }: HostContext, slot: ProviderSlot): Host {
  const row = getHostRow(world, slot)
  const { cpu, memoryMb, diskGb } = sumFigures(world, slot)
  return {
    name: world.providers.name(slot),
    uuid: world.providers.uuid(slot),
    zone: findZone(world, slot, defaultZone()),
    status: row.is_disabled === 1 ? 'disabled' : 'enabled',
    disabled_reason: row.disabled_reason,
    state: isHostUp(row) ? 'up' : 'down',
    declared: row.is_declared === 1,
    applied_by: row.applied_by,
    aggregates: world.compute.getAggregates(slot).map(({ name }) => name),
    capabilities: parseCapabilities(row.capabilities),
    cpu,
    memory_mb: memoryMb,
    disk_gb: diskGb,
    consumers: listConsumers(world, slot).length,
  }
}

/** Why a write was refused, with a code for each reason. */
export function toComputeProblem(refusal: ComputeRefusal): Problem {
  const { status, message } = toApiError(refusal)
  const { kind, ...facts } = refusal
  return new Problem(status, `compute.${kind}`, message, facts)
}

interface HostContext {
  readonly world: World
  readonly newUuid: () => string
  readonly defaultZone: () => string
}

/** Hosts: root providers with processors, and declared ones. */
export function hostRoutes(context: HostContext): V1Route[] {
  return [listRoute(context), showRoute(context), ...writeRoutes(context)]
}

function listRoute(context: HostContext): V1Route {
  const { world } = context
  return v1Route({
    method: 'GET',
    path: '/hosts',
    operation: 'berth:hosts',
    summary: 'List hosts',
    description: 'Root providers whose tree has VCPU or PCPU, and hosts that were added.',
    query: object(
      'What to list.',
      {},
      {
        after: text('Only those after the host of this name, in the order of the answer.'),
        limit: whole(`How many at most; default: ${LIMIT_DEFAULT}.`, {
          minimum: 1,
          maximum: LIMIT_MAX,
        }),
      },
    ),
    answer: {
      description: 'The hosts, and whether there are more.',
      shape: hostPageShape,
    },
    problems: { 404: 'There is no host of the name in `after`.' },
    handle({ query }) {
      const { after, limit = LIMIT_DEFAULT } = query
      const from = after === undefined ? -1 : hostOr404(world, after)
      const rest = listAllHosts(world).filter(slot => slot > from)
      const hosts = rest.slice(0, limit).map(slot => hostBody(context, slot))
      return { hosts, truncated: rest.length > limit }
    },
  })
}

const PARAMS = { name: 'The name of the host.' }
const MISSING = 'There is no host of this name.'

function hostOr404(world: World, name: string): ProviderSlot {
  const slot = findHostByName(world, name)
  if (slot === undefined) throw toComputeProblem({ kind: 'host-missing', host: name })
  return slot
}

function showRoute(context: HostContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/hosts/{name}',
    operation: 'berth:hosts',
    summary: 'Show a host',
    description: 'One host with its figures and settings.',
    params: PARAMS,
    answer: { description: 'The host.', shape: hostShape },
    problems: { 404: MISSING },
    handle: ({ params }) => hostBody(context, hostOr404(context.world, params.name as string)),
  })
}

function writeRoutes({ newUuid }: { readonly newUuid: () => string }): V1Route[] {
  const operation = 'berth:hosts:write'
  const problems = { 409: 'The change is refused: `code` and the facts give the reason.' }
  return [
    v1Write({
      method: 'POST',
      path: '/hosts',
      operation,
      summary: 'Add a host',
      description: 'Creates a root provider that is a host, with its settings, in one commit.',
      body: object(
        'The host.',
        { name: text('Its name.', { minLength: 1, maxLength: 200 }) },
        { uuid: uuid('The uuid of its provider; default: a new one.'), ...hostSettings },
      ),
      answer: { status: 201, description: 'The host was added.', shape: changedHostShape },
      problems,
      async write({ body, once }) {
        const { name, uuid = newUuid(), ...settings } = body
        const command = { ...toHostFields(settings), uuid, host: name }
        return once.submit({ kind: 'compute:add-host', ...command }, outcome =>
          outcome.ok ? { status: 201, body: { host: name } } : toComputeProblem(outcome.refusal),
        )
      },
    }),
    v1Write({
      method: 'PUT',
      path: '/hosts/{name}',
      operation,
      summary: 'Change a host',
      description: 'Given fields replace the earlier values; the rest stays.',
      params: PARAMS,
      body: hostSettingsShape,
      answer: { description: 'The host was changed.', shape: changedHostShape },
      problems: { ...problems, 404: MISSING },
      async write({ params, body, once }) {
        const host = params.name as string
        return once.submit({ kind: 'compute:set-host', host, ...toHostFields(body) }, outcome =>
          outcome.ok ? { status: 200, body: { host } } : toComputeProblem(outcome.refusal),
        )
      },
    }),
    v1Write({
      method: 'DELETE',
      path: '/hosts/{name}',
      operation,
      summary: 'Remove a host',
      description: 'With its whole tree of providers, and from its aggregates. It must have no allocations.',
      params: PARAMS,
      answer: { description: 'The host was removed.', shape: changedHostShape },
      problems: { ...problems, 404: MISSING },
      async write({ params, once }) {
        const host = params.name as string
        return once.submit({ kind: 'compute:remove-host', host }, outcome =>
          outcome.ok ? { status: 200, body: { host } } : toComputeProblem(outcome.refusal),
        )
      },
    }),
  ]
}
