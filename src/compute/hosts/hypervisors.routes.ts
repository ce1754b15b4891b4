import { ApiError, json } from '../../http/api.ts'
import { byCodePoint } from '../../kernel/code-points.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { isUuidLike } from '../../kernel/uuid.ts'
import { capabilitiesOf, figuresOf, serversOn } from '../../scheduling/hosts/host-figures.ts'
import { allHosts, hostRowOf, isHost } from '../../scheduling/hosts/hosts.ts'
import { booleanIn, limitOf, readQuery } from '../bodies.ts'
import { type ComputeContext, type ComputeRequest, type ComputeRoute, param } from '../context.ts'
import { nextLink } from '../links.ts'
import { hostByNumber, idShown } from './host-ids.ts'

const POLICY = 'os_compute_api:os-hypervisors'

/** What is asked about a hypervisor, beside which one. */
interface Showing {
  readonly isDetailed: boolean
  readonly withServers: boolean
}

export function hypervisorRoutes(context: ComputeContext): ComputeRoute[] {
  return [...listRoutes(context), ...oldRoutes(context), ...singleRoutes(context)]
}

function listRoutes(context: ComputeContext): ComputeRoute[] {
  const list = (path: string, operation: string, isDetailed: boolean): ComputeRoute => ({
    method: 'GET',
    path: `/${path}`,
    operation: `${POLICY}:${operation}`,
    handle: request => json(200, listed(context, request, path, isDetailed)),
  })
  return [list('os-hypervisors', 'list', false), list('os-hypervisors/detail', 'list-detail', true)]
}

const PAGES = ['limit', 'marker'] as const
const SEARCH = ['limit', 'marker', 'hypervisor_hostname_pattern', 'with_servers'] as const

function listed(context: ComputeContext, request: ComputeRequest, path: string, isDetailed: boolean) {
  const { features, query } = request
  const { world } = context
  if (!features.hypervisorPages) {
    const hosts = allHosts(world)
    return {
      hypervisors: hosts.map(host => hypervisor(context, request, host, { isDetailed, withServers: false })),
    }
  }
  const rules = { isStrict: features.uuids, single: features.uuids }
  const asked = readQuery(query, features.uuids ? SEARCH : PAGES, rules) as Readonly<Record<string, string>>
  const showing = { isDetailed, withServers: yesIn('with_servers', asked.with_servers) }
  const { marker, limit, hypervisor_hostname_pattern: pattern } = asked
  if (pattern !== undefined) {
    if (marker !== undefined || limit !== undefined)
      throw new ApiError(400, 'Hypervisors of a name pattern are not told in pages: no limit and no marker.')
    const hosts = matching(context, pattern)
    return { hypervisors: hosts.map(host => hypervisor(context, request, host, showing)) }
  }
  const all = allHosts(world)
  const after = marker === undefined ? null : markerOf(context, request, marker)
  const size = limitOf(limit)
  const hosts = (after === null ? all : all.filter(host => host > after)).slice(0, size)
  const hypervisors = hosts.map(host => hypervisor(context, request, host, showing))
  const last = hosts.length === size ? hosts.at(-1) : undefined
  if (last === undefined) return { hypervisors }
  const kept = query.entries().filter(([key]) => key !== 'marker') as [string, string][]
  const next = new URLSearchParams([...kept, ['marker', String(idShown(context.world, request, last))]])
  return { hypervisors, hypervisors_links: [nextLink(request, `${path}?${next}`)] }
}

function yesIn(name: string, text: string | undefined): boolean {
  const said = text === undefined ? false : booleanIn(text)
  if (said === null) throw new ApiError(400, `${name} is true or false, not '${text}'.`)
  return said
}

function markerOf({ world }: ComputeContext, request: ComputeRequest, marker: string): ProviderSlot {
  const found = request.features.uuids ? world.providers.find(marker) : hostByNumber(world, marker)
  if (found === undefined || !isHost(world, found))
    throw new ApiError(400, `The marker ${marker} is no hypervisor.`)
  return found
}

/** By a part of the name, which may be all of it. */
function matching({ world }: ComputeContext, pattern: string): ProviderSlot[] {
  const found = allHosts(world).filter(host => world.providers.name(host).includes(pattern))
  if (found.length === 0) throw new ApiError(404, `There is no hypervisor with '${pattern}' in its name.`)
  return found
}

/** What was asked by paths of its own before it became parameters, or was no longer told. */
function oldRoutes(context: ComputeContext): ComputeRoute[] {
  const brief = { isDetailed: false, withServers: false }
  return [
    {
      method: 'GET',
      path: '/os-hypervisors/statistics',
      operation: `${POLICY}:statistics`,
      until: 'plainHypervisors',
      handle: () => json(200, { hypervisor_statistics: statistics(context) }),
    },
    {
      method: 'GET',
      path: '/os-hypervisors/{hypervisor_id}/search',
      operation: `${POLICY}:search`,
      until: 'uuids',
      handle: request => {
        const hosts = matching(context, param(request, 'hypervisor_id'))
        return json(200, { hypervisors: hosts.map(host => hypervisor(context, request, host, brief)) })
      },
    },
    {
      method: 'GET',
      path: '/os-hypervisors/{hypervisor_id}/servers',
      operation: `${POLICY}:servers`,
      until: 'uuids',
      handle: request => {
        const showing = { isDetailed: false, withServers: true }
        const hosts = matching(context, param(request, 'hypervisor_id'))
        return json(200, { hypervisors: hosts.map(host => hypervisor(context, request, host, showing)) })
      },
    },
    {
      method: 'GET',
      path: '/os-hypervisors/{hypervisor_id}/uptime',
      operation: `${POLICY}:uptime`,
      until: 'plainHypervisors',
      handle: request => {
        const host = hypervisorOr404(context, request)
        const { uptime } = capabilitiesOf(hostRowOf(context.world, host).capabilities)
        if (typeof uptime !== 'string') throw new ApiError(501, 'Nobody tells the uptime of this hypervisor.')
        return json(200, { hypervisor: { ...hypervisor(context, request, host, brief), uptime } })
      },
    },
  ]
}

function singleRoutes(context: ComputeContext): ComputeRoute[] {
  return [
    {
      method: 'GET',
      path: '/os-hypervisors/{hypervisor_id}',
      operation: `${POLICY}:show`,
      handle(request) {
        const { query, features } = request
        const rules = { isStrict: features.uuids, single: features.uuids }
        const asked = readQuery(query, features.uuids ? (['with_servers'] as const) : [], rules)
        const withServers = yesIn('with_servers', (asked as Readonly<Record<string, string>>).with_servers)
        const host = hypervisorOr404(context, request)
        return json(200, {
          hypervisor: hypervisor(context, request, host, { isDetailed: true, withServers }),
        })
      },
    },
  ]
}

function hypervisorOr404({ world }: ComputeContext, request: ComputeRequest): ProviderSlot {
  const id = param(request, 'hypervisor_id')
  if (request.features.uuids && !isUuidLike(id)) throw new ApiError(400, `'${id}' is no uuid.`)
  const host = request.features.uuids ? world.providers.find(id) : hostByNumber(world, id)
  if (host === undefined || !isHost(world, host)) throw new ApiError(404, `There is no hypervisor ${id}.`)
  return host
}

function hypervisor(
  { world }: ComputeContext,
  request: ComputeRequest,
  host: ProviderSlot,
  { isDetailed, withServers }: Showing,
) {
  const { features } = request
  const said = hostRowOf(world, host)
  const servers = withServers ? serversOn(world, host) : []
  return {
    id: idShown(world, request, host),
    hypervisor_hostname: world.providers.name(host),
    state: said.is_forced_down === 1 ? 'down' : 'up',
    status: said.is_disabled === 1 ? 'disabled' : 'enabled',
    ...(isDetailed ? details(world, request, host) : {}),
    ...(servers.length > 0 || (withServers && features.strictQueries)
      ? { servers: servers.map(uuid => ({ name: uuid, uuid })) }
      : {}),
  }
}

function details(world: ComputeContext['world'], request: ComputeRequest, host: ProviderSlot) {
  const { features } = request
  const said = hostRowOf(world, host)
  const has = capabilitiesOf(said.capabilities)
  const service = {
    id: idShown(world, request, host),
    host: world.providers.name(host),
    disabled_reason: said.disabled_reason,
  }
  const about = {
    hypervisor_type: has.hypervisor_type ?? 'unknown',
    hypervisor_version: has.hypervisor_version ?? 0,
    host_ip: has.host_ip ?? null,
    service,
  }
  if (features.plainHypervisors) return { ...about, uptime: has.uptime ?? null }
  return { ...about, ...statisticsOf(world, host), cpu_info: cpuInfo(has.cpu_info, features.cpuInfoObject) }
}

/** Kept as whoever declared it wrote it: an object, or the text of one. */
function cpuInfo(declared: unknown, asObject: boolean): unknown {
  if (!asObject) return typeof declared === 'string' ? declared : JSON.stringify(declared ?? {})
  if (typeof declared !== 'string') return declared ?? {}
  try {
    return JSON.parse(declared)
  } catch {
    return {}
  }
}

function statisticsOf(world: ComputeContext['world'], host: ProviderSlot) {
  const { cpu, memoryMb, diskGb } = figuresOf(world, host)
  return {
    vcpus: cpu.total,
    memory_mb: memoryMb.total,
    local_gb: diskGb.total,
    vcpus_used: cpu.used,
    memory_mb_used: memoryMb.used + memoryMb.reserved,
    local_gb_used: diskGb.used,
    free_ram_mb: memoryMb.total - memoryMb.used - memoryMb.reserved,
    free_disk_gb: diskGb.total - diskGb.used,
    current_workload: 0,
    running_vms: serversOn(world, host).length,
    disk_available_least: null,
  }
}

type Statistics = Record<string, number>

/** Of the hosts that are enabled. */
function statistics({ world }: ComputeContext): Statistics {
  const sums = new Map([
    ['count', 0],
    ['disk_available_least', 0],
  ])
  const add = (name: string, value: number) => sums.set(name, (sums.get(name) ?? 0) + value)
  for (const host of allHosts(world)) {
    if (hostRowOf(world, host).is_disabled === 1) continue
    add('count', 1)
    for (const [name, value] of Object.entries(statisticsOf(world, host))) add(name, value ?? 0)
  }
  return Object.fromEntries([...sums].sort(([a], [b]) => byCodePoint(a, b)))
}
