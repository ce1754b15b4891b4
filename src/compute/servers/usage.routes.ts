import { ApiError, json, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import {
  links,
  listOf,
  number,
  objectOf,
  queryOf,
  text,
  textOrNull,
  whole,
} from '../../http/formats/schema-forms.ts'
import { requireAllowed } from '../../http/policy.ts'
import { byCodePoint } from '../../kernel/code-points.ts'
import { firstSorted } from '../../kernel/first-sorted.ts'
import { parseLimit, readQuery, renderTime } from '../bodies.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from '../context.ts'
import { nextLink } from '../links.ts'
import type { Features } from '../versions.ts'
import { findFlavor, type Server, Servers } from './servers.ts'

const POLICY = 'os_compute_api:os-simple-tenant-usage'
const PATH = 'os-simple-tenant-usage'

const parametersFor = ({ usagePages }: Features, ...more: readonly string[]) => [
  'start',
  'end',
  ...more,
  ...(usagePages ? ['limit', 'marker'] : []),
]

/** Hours count from the last write of a server's allocations: the ledger keeps no earlier time, and nothing deleted. */
export function usageRoutes(context: ComputeContext): ComputeRoute[] {
  return [
    {
      method: 'GET',
      path: `/${PATH}`,
      operation: `${POLICY}:list`,
      summary: 'Show the usage of all projects',
      query: features => queryOf(parametersFor(features, 'detailed'), features.strictQueries),
      answers: ({ usagePages }) => ({
        200: objectOf(
          { tenant_usages: listOf(usageSchema) },
          usagePages ? { tenant_usages_links: links } : {},
        ),
      }),
      handle(request) {
        const window = readWindow(context, request, ['detailed'])
        const page = listPage(context, request, null)
        const usages = [...Map.groupBy(page.servers, server => server.projectId).values()].map(servers =>
          sumUsage(context, window, servers),
        )
        return json(200, {
          tenant_usages: usages,
          ...(page.next !== null && { tenant_usages_links: [nextLink(request, `${PATH}?${page.next}`)] }),
        })
      },
    },
    {
      method: 'GET',
      path: `/${PATH}/{usage_project}`,
      operation: `${POLICY}:show`,
      asksPolicy: true,
      summary: 'Show the usage of a project',
      query: features => queryOf(parametersFor(features), features.strictQueries),
      answers: ({ usagePages }) => ({
        200: objectOf(
          { tenant_usage: { anyOf: [usageSchema, objectOf({})] } },
          usagePages ? { tenant_usage_links: links } : {},
        ),
      }),
      handle(request) {
        const project = param(request, 'usage_project')
        requireAllowed(context, request, `${POLICY}:show`, project)
        const window = { ...readWindow(context, request, []), isDetailed: true }
        const page = listPage(context, request, project)
        const path = `${PATH}/${encodeURIComponent(project)}`
        return json(200, {
          tenant_usage: page.servers.length === 0 ? {} : sumUsage(context, window, page.servers),
          ...(page.next !== null && { tenant_usage_links: [nextLink(request, `${path}?${page.next}`)] }),
        })
      },
    },
  ]
}

interface Window {
  readonly startMs: number
  readonly endMs: number
  readonly nowMs: number
  readonly isDetailed: boolean
}

function readWindow(
  { clock }: ComputeContext,
  { query, features }: ComputeRequest,
  more: readonly string[],
): Window {
  const known = parametersFor(features, ...more)
  const asked = readQuery(query, known, { isStrict: features.strictQueries })
  const nowMs = clock.nowMs()
  const startMs = parseTime(query.first('start'), nowMs)
  const endMs = parseTime(query.first('end'), nowMs)
  if (startMs >= endMs)
    throw new ApiError(400, 'Invalid start time. The start time cannot occur after the end time.')
  return { startMs, endMs: Math.min(endMs, nowMs), nowMs, isDetailed: asked.detailed === '1' }
}

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?$/

/** In UTC, without a zone. */
function parseTime(text: string | undefined, nowMs: number): number {
  if (text === undefined || text === '') return nowMs
  const atMs = TIME.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : Number.NaN
  if (Number.isNaN(atMs)) throw new ApiError(400, `Datetime is in invalid format: ${text}`)
  return atMs
}

interface Page {
  readonly servers: readonly Server[]
  readonly next: string | null
}

const order = (a: Server, b: Server): number =>
  byCodePoint(a.projectId, b.projectId) || byCodePoint(a.uuid, b.uuid)

/** By project and uuid. Versions without pages get one page. */
function listPage({ world }: ComputeContext, request: ComputeRequest, project: string | null): Page {
  const { query, features } = request
  const servers = new Servers(world)
  const limit = parseLimit(features.usagePages ? query.last('limit') : undefined)
  const uuid = features.usagePages ? query.last('marker') : undefined
  const marker = uuid === undefined ? undefined : servers.find(uuid)
  if (uuid !== undefined && marker === undefined)
    throw new ApiError(400, `Marker ${uuid} could not be found.`)
  const all = project === null ? servers.all() : servers.ofProject(project)
  const after = Iterator.from(all).filter(server => marker === undefined || order(server, marker) > 0)
  const page = firstSorted(after, limit, order)
  const last = features.usagePages && page.length === limit ? page.at(-1) : undefined
  if (last === undefined) return { servers: page, next: null }
  const kept = query.entries().filter(([key]) => key !== 'marker') as [string, string][]
  return { servers: page, next: new URLSearchParams([...kept, ['marker', last.uuid]]).toString() }
}

const HOUR_MS = 3_600_000

function sumUsage({ world }: ComputeContext, window: Window, servers: readonly Server[]) {
  const { startMs, endMs, nowMs, isDetailed } = window
  const usages = servers.map(server => {
    const { name: flavor, vcpus, ram, disk, ephemeral } = findFlavor(world, server.slot)
    return {
      hours: Math.max(0, endMs - Math.max(startMs, server.writtenMs)) / HOUR_MS,
      flavor,
      instance_id: server.uuid,
      name: server.uuid,
      tenant_id: server.projectId,
      memory_mb: ram,
      local_gb: disk + ephemeral,
      vcpus,
      started_at: renderTime(server.writtenMs),
      ended_at: null,
      state: 'active',
      uptime: Math.floor((nowMs - server.writtenMs) / 1000),
    }
  })
  const sum = (amount: (usage: (typeof usages)[number]) => number) =>
    usages.reduce((all, usage) => all + amount(usage) * usage.hours, 0)
  return {
    tenant_id: servers[0]?.projectId,
    ...(isDetailed && { server_usages: usages }),
    total_local_gb_usage: sum(usage => usage.local_gb),
    total_vcpus_usage: sum(usage => usage.vcpus),
    total_memory_mb_usage: sum(usage => usage.memory_mb),
    total_hours: sum(() => 1),
    start: renderTime(startMs),
    stop: renderTime(endMs),
  }
}

const usageSchema: Schema = objectOf(
  {
    tenant_id: text,
    total_local_gb_usage: number,
    total_vcpus_usage: number,
    total_memory_mb_usage: number,
    total_hours: number,
    start: text,
    stop: text,
  },
  {
    server_usages: listOf(
      objectOf({
        hours: number,
        flavor: text,
        instance_id: text,
        name: text,
        tenant_id: text,
        memory_mb: whole,
        local_gb: whole,
        vcpus: whole,
        started_at: text,
        ended_at: textOrNull,
        state: text,
        uptime: whole,
      }),
    ),
  },
)
