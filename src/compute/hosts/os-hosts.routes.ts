import { ApiError, json } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { ownValue } from '../../kernel/records.ts'
import { figuresOf } from '../../scheduling/hosts/host-figures.ts'
import { allHosts, consumersOn, hostNamed, hostRowOf, zoneOf } from '../../scheduling/hosts/hosts.ts'
import type { World } from '../../world/world.ts'
import { readBody, readQuery } from '../bodies.ts'
import { type ComputeContext, type ComputeRequest, type ComputeRoute, param } from '../context.ts'
import { noHost, refused } from '../errors.ts'

const POLICY = 'os_compute_api:os-hosts'
const ONE = '/os-hosts/{host}'
const SWITCH = ['enable', 'disable', 'Enable', 'Disable', 'ENABLE', 'DISABLE'] as const

const updateSchema: Schema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: SWITCH },
    maintenance_mode: { type: 'string', enum: SWITCH },
  },
  anyOf: [{ required: ['status'] }, { required: ['maintenance_mode'] }],
  additionalProperties: false,
}

/** What hosts were asked before there were hypervisors and services. */
export function osHostRoutes(context: ComputeContext): ComputeRoute[] {
  const { world, sequencer } = context
  const until = 'noHosts'
  return [
    {
      method: 'GET',
      path: '/os-hosts',
      operation: `${POLICY}:list`,
      until,
      handle(request) {
        const { zone } = readQuery(request.query, ['zone'], { isStrict: false })
        const hosts = allHosts(world)
          .filter(host => hostRowOf(world, host).is_disabled === 0)
          .map(host => ({
            host_name: world.providers.name(host),
            service: 'compute',
            zone: zoneOf(world, host, context.defaultZone),
          }))
        return json(200, { hosts: zone ? hosts.filter(host => host.zone === zone) : hosts })
      },
    },
    {
      method: 'GET',
      path: ONE,
      operation: `${POLICY}:show`,
      until,
      handle: request => json(200, { host: resources(world, hostOr404(world, request)) }),
    },
    {
      method: 'PUT',
      path: ONE,
      operation: `${POLICY}:update`,
      until,
      async handle(request) {
        const { status, maintenance_mode } = readBody(request, updateSchema)
        if (maintenance_mode !== undefined) throw notOurs('evacuates')
        const host = param(request, 'host')
        const isDisabled = (status as string).toLowerCase() === 'disable'
        const outcome = await sequencer.submit({ kind: 'compute:set-host', host, isDisabled })
        if (!outcome.ok) throw refused(outcome.refusal)
        return json(200, { host, status: isDisabled ? 'disabled' : 'enabled' })
      },
    },
    ...(['reboot', 'shutdown', 'startup'] as const).map(
      (action): ComputeRoute => ({
        method: 'GET',
        path: `${ONE}/${action}`,
        operation: `${POLICY}:${action === 'startup' ? 'start' : action}`,
        until,
        handle(request) {
          hostOr404(world, request)
          throw notOurs(action === 'startup' ? 'starts' : `${action}s`)
        },
      }),
    ),
  ]
}

const notOurs = (does: string): ApiError =>
  new ApiError(501, `Berth says what goes where; it never ${does} a host.`)

function hostOr404(world: World, request: ComputeRequest): ProviderSlot {
  const name = param(request, 'host')
  const host = hostNamed(world, name)
  if (host === undefined) throw noHost(name)
  return host
}

interface Resources {
  cpu: number
  memory_mb: number
  disk_gb: number
}

function resources(world: World, slot: ProviderSlot) {
  const host = world.providers.name(slot)
  const { cpu, memoryMb, diskGb } = figuresOf(world, slot)
  const told = (project: string, has: Resources) => ({ resource: { host, project, ...has } })
  const used = { cpu: cpu.used, memory_mb: memoryMb.used, disk_gb: diskGb.used }
  return [
    told('(total)', { cpu: cpu.total, memory_mb: memoryMb.total, disk_gb: diskGb.total }),
    told('(used_now)', { ...used, memory_mb: memoryMb.used + memoryMb.reserved }),
    told('(used_max)', used),
    ...[...usedByProject(world, slot)].map(([project, has]) => told(project, has)),
  ]
}

const COLUMN: Readonly<Record<string, keyof Resources>> = {
  VCPU: 'cpu',
  PCPU: 'cpu',
  MEMORY_MB: 'memory_mb',
  DISK_GB: 'disk_gb',
}

function usedByProject(world: World, host: ProviderSlot): Map<string, Resources> {
  const tree = new Set<number>(world.providers.subtree(host))
  const sums = new Map<string, Resources>()
  for (const slot of consumersOn(world, host)) {
    const { project_id } = world.consumers.row(slot as never)
    const sum = sums.get(project_id) ?? { cpu: 0, memory_mb: 0, disk_gb: 0 }
    sums.set(project_id, sum)
    for (const held of world.consumers.holdings(slot as never)) {
      const column = tree.has(held.provider) ? ownValue(COLUMN, world.classes.name(held.class)) : undefined
      if (column !== undefined) sum[column] += held.used
    }
  }
  return sums
}
