import { ApiError } from '../../http/api.ts'
import { requireAllowed } from '../../http/policy.ts'
import { byCodePoint } from '../../kernel/code-points.ts'
import { firstSorted } from '../../kernel/first-sorted.ts'
import { Pattern } from '../../kernel/pattern/pattern.ts'
import { emptyRecord, ownValue } from '../../kernel/records.ts'
import { findZone } from '../../scheduling/hosts/hosts.ts'
import { parseBoolean, parseLimit } from '../bodies.ts'
import type { ComputeContext, ComputeRequest } from '../context.ts'
import type { Features } from '../versions.ts'
import { findFlavor, findImage, type Server, Servers } from './servers.ts'

const POLICY = 'os_compute_api:servers'

/** Filters for every user, and the version that adds them. As in Nova, the others are for admins and ignored for other users. */
const OPEN_FILTERS: Readonly<Record<string, keyof Features | null>> = {
  reservation_id: null,
  name: null,
  status: null,
  image: null,
  flavor: null,
  ip: null,
  'changes-since': null,
  all_tenants: null,
  ip6: null,
  tags: 'serverTags',
  'tags-any': 'serverTags',
  'not-tags': 'serverTags',
  'not-tags-any': 'serverTags',
  'changes-before': 'changesBefore',
  locked: 'lockReasons',
  availability_zone: 'moreFilters',
  config_drive: 'moreFilters',
  key_name: 'moreFilters',
  created_at: 'moreFilters',
  launched_at: 'moreFilters',
  terminated_at: 'moreFilters',
  power_state: 'moreFilters',
  task_state: 'moreFilters',
  vm_state: 'moreFilters',
  progress: 'moreFilters',
  user_id: 'moreFilters',
  hostname: 'openHostname',
}

type Reader = (server: Server, context: ComputeContext) => string | null

const nameOf = (server: Server): string => server.name
const hostnameOf = (server: Server): string => server.uuid
const zoneOf: Reader = ({ host }, { world, defaultZone }) => findZone(world, host, defaultZone)
const hostOf: Reader = ({ host }, { world }) => world.providers.name(host)

/** Fields of servers that a list can be filtered by. What Berth does not know is null, and equals no value. */
const FIELDS: Readonly<Record<string, Reader>> = {
  access_ip_v4: () => null,
  access_ip_v6: () => null,
  auto_disk_config: () => null,
  availability_zone: zoneOf,
  config_drive: () => null,
  created_at: () => null,
  description: () => null,
  display_description: () => null,
  flavor: ({ slot }, { world }) => findFlavor(world, slot).id,
  host: hostOf,
  image: ({ slot }, { world }) => findImage(world, slot),
  image_ref: ({ slot }, { world }) => findImage(world, slot),
  ip: () => null,
  ip6: () => null,
  kernel_id: () => null,
  key_name: () => null,
  launch_index: () => '0',
  launched_at: () => null,
  locked_by: () => null,
  node: hostOf,
  power_state: () => '0',
  progress: () => '0',
  project_id: server => server.projectId,
  ramdisk_id: () => null,
  reservation_id: () => null,
  root_device_name: () => null,
  tags: () => null,
  'tags-any': () => null,
  task_state: () => null,
  tenant_id: server => server.projectId,
  terminated_at: () => null,
  user_id: server => server.userId,
  uuid: server => server.uuid,
  vm_state: () => 'active',
}

/** Texts in which a pattern is looked for. */
const PATTERNS: Readonly<Record<string, Reader>> = {
  name: nameOf,
  display_name: nameOf,
  hostname: hostnameOf,
}

const SPECIAL = ['status', 'changes-since', 'changes-before', 'deleted', 'soft_deleted', 'locked'] as const
const PAGING = ['limit', 'marker', 'sort_key', 'sort_dir'] as const
const ALL_PARAMETERS = [
  ...new Set([
    ...PAGING,
    'all_tenants',
    ...SPECIAL,
    ...Object.keys(FIELDS),
    ...Object.keys(PATTERNS),
    'not-tags',
    'not-tags-any',
  ]),
]

/** Versions that added parameters; the others opened known ones to every user. */
const BRING_PARAMETERS: readonly (keyof Features)[] = ['serverTags', 'changesBefore', 'lockReasons']

export const listParameters = (features: Features): string[] =>
  ALL_PARAMETERS.filter(name => {
    const since = ownValue(OPEN_FILTERS, name) ?? null
    return since === null || features[since] || !BRING_PARAMETERS.includes(since)
  })

interface ServerPage {
  readonly servers: readonly Server[]
  /** The query of the next page; null if there is none. */
  readonly next: string | null
}

/** A page of the servers that the caller may see. `operation` is that of the list. */
export function listServers(
  context: ComputeContext,
  request: ComputeRequest,
  operation: 'index' | 'detail',
): ServerPage {
  const asked = readFilters(context, request)
  const isForAll = wantsAllProjects(asked.all_tenants)
  if (isForAll) requireAllowed(context, request, `${POLICY}:${operation}:get_all_tenants`)
  const { query } = request
  const limit = parseLimit(query.last('limit'))
  const order = readOrder(context, request)
  const tests = makeTests(context, request, asked, isForAll)
  const found = new Servers(context.world)
  const { projectId } = request.credentials
  const visible = isForAll ? found.all() : projectId === null ? [] : found.ofProject(projectId)
  const marker = readMarker(found, query.last('marker'), isForAll ? null : projectId)
  const isWanted = (server: Server) =>
    (marker === null || order(server, marker) > 0) && tests.every(test => test(server))
  const page = firstSorted(Iterator.from(visible).filter(isWanted), limit, order)
  const last = page.length === limit ? page.at(-1) : undefined
  return { servers: page, next: last === undefined ? null : makeNextQuery(request, last.uuid) }
}

type ServerFilters = Readonly<Record<string, string>>

/** The filters that the caller may use, each with its last value. */
function readFilters(context: ComputeContext, request: ComputeRequest): ServerFilters {
  const { query, features, credentials } = request
  const known = listParameters(features)
  const mayAll = context.policy.allows(`${POLICY}:allow_all_filters`, credentials, {
    project_id: credentials.projectId,
  })
  const asked: Record<string, string> = emptyRecord()
  for (const [name, value] of query.entries()) {
    if (PAGING.some(one => one === name)) continue
    if (!known.includes(name)) {
      if (features.strictQueries) throw new ApiError(400, `There is no query parameter ${name} here.`)
      if (name.startsWith('_')) throw new ApiError(400, `Invalid filter field: ${name}.`)
      continue
    }
    const since = ownValue(OPEN_FILTERS, name)
    const isOpen = since !== undefined && (since === null || features[since])
    if (mayAll || isOpen) asked[name] = value
  }
  return asked
}

function wantsAllProjects(text: string | undefined): boolean {
  if (text === undefined) return false
  if (text === '') return true
  const flag = parseBoolean(text)
  if (flag === null) throw new ApiError(400, `all_tenants is true or false, not '${text}'.`)
  return flag
}

type Test = (server: Server) => boolean

function makeTests(
  context: ComputeContext,
  { features, credentials }: ComputeRequest,
  asked: ServerFilters,
  isForAll: boolean,
): Test[] {
  return Object.entries(asked).flatMap(([name, value]): Test[] => {
    if (name === 'all_tenants') return []
    // Without all_tenants the list is that of the caller's project, whatever filters say.
    if ((name === 'tenant_id' || name === 'project_id') && !isForAll && credentials.projectId !== null)
      return []
    const special = makeSpecialTest(name, value, features)
    if (special !== null) return [special]
    const pattern = ownValue(PATTERNS, name)
    if (pattern !== undefined) return [makePatternTest(name, value, server => pattern(server, context) ?? '')]
    const field = ownValue(FIELDS, name)
    return field === undefined ? [] : [server => field(server, context) === value]
  })
}

/** Nova's states. Every server here is ACTIVE. */
const STATUSES = new Set(
  `ACTIVE BUILD REBUILD STOPPED SHUTOFF MIGRATING RESIZE PAUSED SUSPENDED RESCUE ERROR DELETED SOFT_DELETED
   SHELVED SHELVED_OFFLOADED REBOOT HARD_REBOOT PASSWORD VERIFY_RESIZE REVERT_RESIZE UNKNOWN`.split(/\s+/),
)

function makeSpecialTest(name: string, value: string, features: Features): Test | null {
  switch (name) {
    case 'status': {
      const status = value.toUpperCase()
      if (!STATUSES.has(status) && features.strictStatus) throw new ApiError(400, 'Invalid status value')
      return () => status === 'ACTIVE'
    }
    case 'changes-since': {
      const sinceMs = parseTime(name, value)
      return server => server.writtenMs >= sinceMs
    }
    case 'changes-before': {
      const beforeMs = parseTime(name, value)
      return server => server.writtenMs <= beforeMs
    }
    case 'deleted':
    case 'soft_deleted':
    case 'locked':
      return () => parseBoolean(value) !== true
    default:
      return null
  }
}

const PATTERN_STATES_MAX = 500

function makePatternTest(name: string, value: string, read: (server: Server) => string): Test {
  const pattern = Pattern.parse(value)
  if (pattern === null || pattern.states > PATTERN_STATES_MAX)
    throw new ApiError(400, `${name} is not a pattern that Berth can match in linear time: '${value}'.`)
  return server => pattern.matches(read(server))
}

function parseTime(name: string, text: string): number {
  const atMs = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`)
  if (Number.isNaN(atMs)) throw new ApiError(400, `Invalid filter field: ${name}.`)
  return atMs
}

function readMarker(servers: Servers, uuid: string | undefined, project: string | null): Server | null {
  if (uuid === undefined) return null
  const server = servers.find(uuid)
  if (server === undefined || (project !== null && server.projectId !== project))
    throw new ApiError(400, `marker [${uuid}] not found`)
  return server
}

type Order = (a: Server, b: Server) => number

const byTime: Order = (a, b) => a.writtenMs - b.writtenMs

/** Keys of Nova by which servers differ here; the rest of Nova's leaves the order as it is. */
const SORTS: Readonly<Record<string, (context: ComputeContext) => Order>> = {
  availability_zone: context => byField(zoneOf, context),
  created_at: () => byTime,
  display_name: () => (a, b) => byCodePoint(a.name, b.name),
  host: context => byField(hostOf, context),
  hostname: () => (a, b) => byCodePoint(a.uuid, b.uuid),
  launched_at: () => byTime,
  node: context => byField(hostOf, context),
  project_id: context => byField(server => server.projectId, context),
  updated_at: () => byTime,
  user_id: context => byField(server => server.userId, context),
  uuid: () => (a, b) => byCodePoint(a.uuid, b.uuid),
}

const SAME_FOR_ALL = new Set(
  `access_ip_v4 access_ip_v6 auto_disk_config config_drive display_description image_ref instance_type_id kernel_id
   key_name launch_index locked locked_by power_state progress ramdisk_id root_device_name task_state terminated_at
   vm_state architecture cell_name cleaned default_ephemeral_device default_swap_device deleted deleted_at
   disable_terminate ephemeral_gb ephemeral_key_uuid id key_data launched_on memory_mb os_type reservation_id root_gb
   shutdown_terminate user_data vcpus vm_mode`.split(/\s+/),
)

function byField(read: Reader, context: ComputeContext): Order {
  return (a, b) => byCodePoint(read(a, context) ?? '', read(b, context) ?? '')
}

/** By the keys of the query, the newest first without one; the uuid decides between equals. */
function readOrder(context: ComputeContext, { query }: ComputeRequest): Order {
  const [keys, directions] = [query.all('sort_key'), query.all('sort_dir')]
  for (const one of directions)
    if (one !== 'asc' && one !== 'desc') throw new ApiError(400, `sort_dir is asc or desc, not '${one}'.`)
  const orders = (keys.length === 0 ? ['created_at'] : keys).flatMap((key, at): Order[] => {
    const sort = ownValue(SORTS, key)
    if (sort === undefined && !SAME_FOR_ALL.has(key))
      throw new ApiError(
        400,
        `Servers cannot be sorted by ${key}; there are ${Object.keys(SORTS).join(', ')}.`,
      )
    if (sort === undefined) return []
    const order = sort(context)
    return [(directions[at] ?? directions[0] ?? 'desc') === 'asc' ? order : (a, b) => order(b, a)]
  })
  return (a, b) => {
    for (const order of orders) {
      const less = order(a, b)
      if (less !== 0) return less
    }
    return byCodePoint(a.uuid, b.uuid)
  }
}

function makeNextQuery({ query }: ComputeRequest, marker: string): string {
  const kept = query.entries().filter(([key]) => key !== 'marker') as [string, string][]
  return new URLSearchParams([...kept, ['marker', marker]]).toString()
}
