import { ApiError, json, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { listOf, objectOf, oneOf, queryOf, text, whole } from '../../http/formats/schema-forms.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { ownValue } from '../../kernel/records.ts'
import { sumFigures } from '../../scheduling/hosts/host-figures.ts'
import {
  findHostByName,
  findZone,
  getHostRow,
  listAllHosts,
  listConsumers,
} from '../../scheduling/hosts/hosts.ts'
import type { World } from '../../world/world.ts'
import { readBody, readQuery } from '../bodies.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from '../context.ts'
import { noHost, submit } from '../errors.ts'

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

const resourceSchema = objectOf({ host: text, project: text, cpu: whole, memory_mb: whole, disk_gb: whole })

const ACTION_TITLES = { reboot: 'Reboot', shutdown: 'Shut down', startup: 'Start' } as const

/** The API for hosts before hypervisors and services. */
export function osHostRoutes(context: ComputeContext): ComputeRoute[] {
  const { world } = context
  const until = 'noHosts'
  return [
    {
      method: 'GET',
      path: '/os-hosts',
      operation: `${POLICY}:list`,
      until,
      summary: 'List hosts',
      query: queryOf(['zone']),
      answers: { 200: objectOf({ hosts: listOf(objectOf({ host_name: text, service: text, zone: text })) }) },
      handle(request) {
        const { zone } = readQuery(request.query, ['zone'], { isStrict: false })
        const hosts = listAllHosts(world)
          .filter(host => getHostRow(world, host).is_disabled === 0)
          .map(host => ({
            host_name: world.providers.name(host),
            service: 'compute',
            zone: findZone(world, host, context.defaultZone),
          }))
        return json(200, { hosts: zone ? hosts.filter(host => host.zone === zone) : hosts })
      },
    },
    {
      method: 'GET',
      path: ONE,
      operation: `${POLICY}:show`,
      until,
      summary: 'Show the resources of a host',
      answers: { 200: objectOf({ host: listOf(objectOf({ resource: resourceSchema })) }) },
      handle: request => json(200, { host: renderResources(world, hostOr404(world, request)) }),
    },
    {
      method: 'PUT',
      path: ONE,
      operation: `${POLICY}:update`,
      until,
      summary: 'Enable or disable a host',
      requestBody: updateSchema,
      answers: { 200: objectOf({ host: text, status: oneOf('enabled', 'disabled') }) },
      async handle(request) {
        const { status, maintenance_mode } = readBody(request, updateSchema)
        if (maintenance_mode !== undefined) throw makeUnsupported('evacuates')
        const host = param(request, 'host')
        const isDisabled = (status as string).toLowerCase() === 'disable'
        await submit(context, { kind: 'compute:set-host', host, isDisabled })
        return json(200, { host, status: isDisabled ? 'disabled' : 'enabled' })
      },
    },
    ...(['reboot', 'shutdown', 'startup'] as const).map(
      (action): ComputeRoute => ({
        method: 'GET',
        path: `${ONE}/${action}`,
        operation: `${POLICY}:${action === 'startup' ? 'start' : action}`,
        until,
        summary: `${ACTION_TITLES[action]} a host: answers 501`,
        answers: { 200: null },
        handle(request) {
          hostOr404(world, request)
          throw makeUnsupported(action === 'startup' ? 'starts' : `${action}s`)
        },
      }),
    ),
  ]
}

const makeUnsupported = (does: string): ApiError =>
  new ApiError(501, `Berth never ${does} a host: use the tools of the host.`)

function hostOr404(world: World, request: ComputeRequest): ProviderSlot {
  const name = param(request, 'host')
  const host = findHostByName(world, name)
  if (host === undefined) throw noHost(name)
  return host
}

interface Resources {
  cpu: number
  memory_mb: number
  disk_gb: number
}

function renderResources(world: World, slot: ProviderSlot) {
  const host = world.providers.name(slot)
  const { cpu, memoryMb, diskGb } = sumFigures(world, slot)
  const render = (project: string, has: Resources) => ({ resource: { host, project, ...has } })
  const used = { cpu: cpu.used, memory_mb: memoryMb.used, disk_gb: diskGb.used }
  return [
    render('(total)', { cpu: cpu.total, memory_mb: memoryMb.total, disk_gb: diskGb.total }),
    render('(used_now)', { ...used, memory_mb: memoryMb.used + memoryMb.reserved }),
    render('(used_max)', used),
    ...[...sumByProject(world, slot)].map(([project, has]) => render(project, has)),
  ]
}

const COLUMN: Readonly<Record<string, keyof Resources>> = {
  VCPU: 'cpu',
  PCPU: 'cpu',
  MEMORY_MB: 'memory_mb',
  DISK_GB: 'disk_gb',
}

function sumByProject(world: World, host: ProviderSlot): Map<string, Resources> {
  const tree = new Set<number>(world.providers.listSubtree(host))
  const sums = new Map<string, Resources>()
  for (const slot of listConsumers(world, host)) {
    const { project_id } = world.consumers.row(slot)
    const sum = sums.get(project_id) ?? { cpu: 0, memory_mb: 0, disk_gb: 0 }
    sums.set(project_id, sum)
    for (const held of world.consumers.holdings(slot)) {
      const column = tree.has(held.provider) ? ownValue(COLUMN, world.classes.name(held.class)) : undefined
      if (column !== undefined) sum[column] += held.used
    }
  }
  return sums
}
