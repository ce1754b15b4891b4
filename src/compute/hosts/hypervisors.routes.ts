import { ApiError, json, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import {
  anyValue,
  links,
  listOf,
  objectOf,
  oneOf,
  queryOf,
  text,
  textOrNull,
  whole,
  wholeOrNull,
} from '../../http/formats/schema-forms.ts'
import { byCodePoint } from '../../kernel/code-points.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { isUuidLike } from '../../kernel/uuid.ts'
import { listServers, parseCapabilities, sumFigures } from '../../scheduling/hosts/host-figures.ts'
import { getHostRow, isHost, isHostUp, listAllHosts } from '../../scheduling/hosts/hosts.ts'
import { parseBoolean, parseLimit, readQuery } from '../bodies.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from '../context.ts'
import { nextLink } from '../links.ts'
import type { Features } from '../versions.ts'
import { findByNumber, idShown } from './host-ids.ts'

const POLICY = 'os_compute_api:os-hypervisors'

/** Query parameters for one hypervisor. */
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
    summary: isDetailed ? 'List hypervisors with details' : 'List hypervisors',
    query: listQuery,
    answers: features => ({
      200: objectOf(
        { hypervisors: listOf(hypervisorSchema(features, isDetailed)) },
        { hypervisors_links: links },
      ),
    }),
    handle: request => json(200, listHypervisors(context, request, path, isDetailed)),
  })
  return [list('os-hypervisors', 'list', false), list('os-hypervisors/detail', 'list-detail', true)]
}

const PAGES = ['limit', 'marker'] as const
const SEARCH = ['limit', 'marker', 'hypervisor_hostname_pattern', 'with_servers'] as const

const parametersFor = ({ uuids }: Features) => (uuids ? SEARCH : PAGES)

const listQuery = (features: Features): Schema =>
  features.hypervisorPages ? queryOf(parametersFor(features), features.uuids) : queryOf([])

const figures = {
  vcpus: whole,
  memory_mb: whole,
  local_gb: whole,
  vcpus_used: whole,
  memory_mb_used: whole,
  local_gb_used: whole,
  free_ram_mb: whole,
  free_disk_gb: whole,
  current_workload: whole,
  running_vms: whole,
}

function hypervisorSchema(features: Features, isDetailed: boolean): Schema {
  const id = features.uuids ? text : whole
  const about = {
    hypervisor_type: anyValue,
    hypervisor_version: anyValue,
    host_ip: anyValue,
    service: objectOf({ id, host: text, disabled_reason: textOrNull }),
    ...(features.plainHypervisors
      ? { uptime: anyValue }
      : {
          ...figures,
          disk_available_least: wholeOrNull,
          cpu_info: features.cpuInfoObject ? anyValue : text,
        }),
  }
  return objectOf(
    {
      id,
      hypervisor_hostname: text,
      state: oneOf('up', 'down'),
      status: oneOf('enabled', 'disabled'),
      ...(isDetailed && about),
    },
    { servers: listOf(objectOf({ name: text, uuid: text })) },
  )
}

const foundSchema = (features: Features): Schema =>
  objectOf({ hypervisors: listOf(hypervisorSchema(features, false)) })

function listHypervisors(
  context: ComputeContext,
  request: ComputeRequest,
  path: string,
  isDetailed: boolean,
) {
  const { features, query } = request
  const { world } = context
  if (!features.hypervisorPages) {
    const hosts = listAllHosts(world)
    return {
      hypervisors: hosts.map(host =>
        renderHypervisor(context, request, host, { isDetailed, withServers: false }),
      ),
    }
  }
  const rules = { isStrict: features.uuids, single: features.uuids }
  const asked = readQuery(query, parametersFor(features), rules) as Readonly<Record<string, string>>
  const showing = { isDetailed, withServers: parseYes('with_servers', asked.with_servers) }
  const { marker, limit, hypervisor_hostname_pattern: pattern } = asked
  if (pattern !== undefined) {
    if (marker !== undefined || limit !== undefined)
      throw new ApiError(400, 'A search by name pattern has no pages: remove limit and marker.')
    const hosts = findMatching(context, pattern)
    return { hypervisors: hosts.map(host => renderHypervisor(context, request, host, showing)) }
  }
  const all = listAllHosts(world)
  const after = marker === undefined ? null : findMarker(context, request, marker)
  const size = parseLimit(limit)
  const hosts = (after === null ? all : all.filter(host => host > after)).slice(0, size)
  const hypervisors = hosts.map(host => renderHypervisor(context, request, host, showing))
  const last = hosts.length === size ? hosts.at(-1) : undefined
  if (last === undefined) return { hypervisors }
  const kept = query.entries().filter(([key]) => key !== 'marker') as [string, string][]
  const next = new URLSearchParams([...kept, ['marker', String(idShown(context.world, request, last))]])
  return { hypervisors, hypervisors_links: [nextLink(request, `${path}?${next}`)] }
}

function parseYes(name: string, text: string | undefined): boolean {
  const flag = text === undefined ? false : parseBoolean(text)
  if (flag === null) throw new ApiError(400, `${name} is true or false, not '${text}'.`)
  return flag
}

function findMarker({ world }: ComputeContext, request: ComputeRequest, marker: string): ProviderSlot {
  const found = request.features.uuids ? world.providers.find(marker) : findByNumber(world, marker)
  if (found === undefined || !isHost(world, found))
    throw new ApiError(400, `The marker ${marker} is not a hypervisor.`)
  return found
}

/** By a part of the name, or all of it. */
function findMatching({ world }: ComputeContext, pattern: string): ProviderSlot[] {
  const found = listAllHosts(world).filter(host => world.providers.name(host).includes(pattern))
  if (found.length === 0) throw new ApiError(404, `There is no hypervisor with '${pattern}' in its name.`)
  return found
}

/** Paths of older versions that later became parameters or were removed. */
function oldRoutes(context: ComputeContext): ComputeRoute[] {
  const brief = { isDetailed: false, withServers: false }
  return [
    {
      method: 'GET',
      path: '/os-hypervisors/statistics',
      operation: `${POLICY}:statistics`,
      until: 'plainHypervisors',
      summary: 'Show the sums of all hypervisors',
      answers: {
        200: objectOf({
          hypervisor_statistics: objectOf({ ...figures, count: whole, disk_available_least: whole }),
        }),
      },
      handle: () => json(200, { hypervisor_statistics: sumStatistics(context) }),
    },
    {
      method: 'GET',
      path: '/os-hypervisors/{hypervisor_id}/search',
      operation: `${POLICY}:search`,
      until: 'uuids',
      summary: 'Find hypervisors by a part of their name',
      answers: features => ({ 200: foundSchema(features) }),
      handle: request => {
        const hosts = findMatching(context, param(request, 'hypervisor_id'))
        return json(200, { hypervisors: hosts.map(host => renderHypervisor(context, request, host, brief)) })
      },
    },
    {
      method: 'GET',
      path: '/os-hypervisors/{hypervisor_id}/servers',
      operation: `${POLICY}:servers`,
      until: 'uuids',
      summary: 'List the servers of hypervisors, found by a part of their name',
      answers: features => ({ 200: foundSchema(features) }),
      handle: request => {
        const showing = { isDetailed: false, withServers: true }
        const hosts = findMatching(context, param(request, 'hypervisor_id'))
        return json(200, {
          hypervisors: hosts.map(host => renderHypervisor(context, request, host, showing)),
        })
      },
    },
    {
      method: 'GET',
      path: '/os-hypervisors/{hypervisor_id}/uptime',
      operation: `${POLICY}:uptime`,
      until: 'plainHypervisors',
      summary: 'Show the uptime of a hypervisor',
      answers: features => ({
        200: objectOf({
          hypervisor: {
            ...hypervisorSchema(features, false),
            properties: { ...hypervisorSchema(features, false).properties, uptime: text },
          },
        }),
      }),
      handle: request => {
        const host = hypervisorOr404(context, request)
        const { uptime } = parseCapabilities(getHostRow(context.world, host).capabilities)
        if (typeof uptime !== 'string')
          throw new ApiError(
            501,
            'The uptime of this hypervisor is unknown: set it as capability uptime of the host.',
          )
        return json(200, { hypervisor: { ...renderHypervisor(context, request, host, brief), uptime } })
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
      summary: 'Show a hypervisor',
      query: features => queryOf(features.uuids ? ['with_servers'] : []),
      answers: features => ({ 200: objectOf({ hypervisor: hypervisorSchema(features, true) }) }),
      handle(request) {
        const { query, features } = request
        const rules = { isStrict: features.uuids, single: features.uuids }
        const asked = readQuery(query, features.uuids ? (['with_servers'] as const) : [], rules)
        const withServers = parseYes('with_servers', (asked as Readonly<Record<string, string>>).with_servers)
        const host = hypervisorOr404(context, request)
        return json(200, {
          hypervisor: renderHypervisor(context, request, host, { isDetailed: true, withServers }),
        })
      },
    },
  ]
}

function hypervisorOr404({ world }: ComputeContext, request: ComputeRequest): ProviderSlot {
  const id = param(request, 'hypervisor_id')
  if (request.features.uuids && !isUuidLike(id)) throw new ApiError(400, `'${id}' is not a uuid.`)
  const host = request.features.uuids ? world.providers.find(id) : findByNumber(world, id)
  if (host === undefined || !isHost(world, host)) throw new ApiError(404, `There is no hypervisor ${id}.`)
  return host
}

function renderHypervisor(
  { world }: ComputeContext,
  request: ComputeRequest,
  host: ProviderSlot,
  { isDetailed, withServers }: Showing,
) {
  const { features } = request
  const row = getHostRow(world, host)
  const servers = withServers ? listServers(world, host) : []
  return {
    id: idShown(world, request, host),
    hypervisor_hostname: world.providers.name(host),
    state: isHostUp(row) ? 'up' : 'down',
    status: row.is_disabled === 1 ? 'disabled' : 'enabled',
    ...(isDetailed ? renderDetails(world, request, host) : {}),
    ...(servers.length > 0 || (withServers && features.strictQueries)
      ? { servers: servers.map(uuid => ({ name: uuid, uuid })) }
      : {}),
  }
}

function renderDetails(world: ComputeContext['world'], request: ComputeRequest, host: ProviderSlot) {
  const { features } = request
  const row = getHostRow(world, host)
  const has = parseCapabilities(row.capabilities)
  const service = {
    id: idShown(world, request, host),
    host: world.providers.name(host),
    disabled_reason: row.disabled_reason,
  }
  const about = {
    hypervisor_type: has.hypervisor_type ?? 'unknown',
    hypervisor_version: has.hypervisor_version ?? 0,
    host_ip: has.host_ip ?? null,
    service,
  }
  if (features.plainHypervisors) return { ...about, uptime: has.uptime ?? null }
  return {
    ...about,
    ...countHost(world, host),
    cpu_info: renderCpuInfo(has.cpu_info, features.cpuInfoObject),
  }
}

/** As declared: an object, or the text of one. */
function renderCpuInfo(declared: unknown, asObject: boolean): unknown {
  if (!asObject) return typeof declared === 'string' ? declared : JSON.stringify(declared ?? {})
  if (typeof declared !== 'string') return declared ?? {}
  try {
    return JSON.parse(declared)
  } catch {
    return {}
  }
}

function countHost(world: ComputeContext['world'], host: ProviderSlot) {
  const { cpu, memoryMb, diskGb } = sumFigures(world, host)
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
    running_vms: listServers(world, host).length,
    disk_available_least: null,
  }
}

type Statistics = Record<string, number>

/** Of enabled hosts. */
function sumStatistics({ world }: ComputeContext): Statistics {
  const sums = new Map([...Object.keys(figures), 'count', 'disk_available_least'].map(name => [name, 0]))
  const add = (name: string, value: number) => sums.set(name, (sums.get(name) ?? 0) + value)
  for (const host of listAllHosts(world)) {
    if (getHostRow(world, host).is_disabled === 1) continue
    add('count', 1)
    for (const [name, value] of Object.entries(countHost(world, host))) add(name, value ?? 0)
  }
  return Object.fromEntries([...sums].sort(([a], [b]) => byCodePoint(a, b)))
}
