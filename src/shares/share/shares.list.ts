import { flag, oneOf, queryOf, text } from '../../http/formats/schema-forms.ts'
import { isAdmin } from '../../http/policy.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { ownValue } from '../../kernel/records.ts'
import { nameOrEmpty } from '../../scheduling/pools/pools.ts'
import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { allTenants, openObject, pageParameters } from '../bodies.schemas.ts'
import { makeFieldError, parseBoolean, parsePage } from '../bodies.ts'
import { requireProjectId, type ShareApiRequest, type ShareContext } from '../context.ts'
import { parseDict } from '../python-dict.ts'
import type { Features } from '../versions.ts'
import { exportIdOf } from './export-ids.ts'
import { renderMetadata } from './shares.view.ts'

type Test = (row: ShareRow) => boolean

interface Listed {
  readonly rows: readonly ShareRow[]
  /** On all pages. */
  readonly count: number
  readonly nextOffset: number | null
}

export function listShares(context: ShareContext, request: ShareApiRequest): Listed {
  const tests = makeTests(context, request)
  const rows = findCandidates(context, request).filter(row => tests.every(test => test(row)))
  const sorted = sortRows(context.world, request, rows)
  const { limit, offset } = parsePage(request.query)
  const page = sorted.slice(offset, offset + limit)
  const nextOffset = offset + page.length < sorted.length && page.length > 0 ? offset + page.length : null
  return { rows: page, count: sorted.length, nextOffset }
}

/** Shares of the caller's project; with is_public also public ones; with all_tenants all, for admins. */
function findCandidates(context: ShareContext, request: ShareApiRequest): ShareRow[] {
  const { shares } = context.world
  const { query } = request
  const admin = isAdmin(context, request.credentials)
  const flag = (name: string) => {
    const text = query.last(name)
    return text !== undefined && (text === '' || parseBoolean(text) === true)
  }
  const asked = admin ? query.last('project_id') : undefined
  if (admin && flag('all_tenants'))
    return asked === undefined ? shares.shares.all() : shares.listOfProject(asked)
  const project = asked ?? requireProjectId(request)
  if (!flag('is_public')) return shares.listOfProject(project)
  return shares.shares.all().filter(row => row.project_id === project || row.is_public === 1)
}

interface Filter {
  readonly since?: keyof Features
  readonly adminOnly?: true
  test(value: string, world: World): Test
}

const like =
  (field: 'name' | 'description') =>
  (value: string): Test =>
  row =>
    (row[field] ?? '').includes(value)

const equal =
  (of: (row: ShareRow, world: World) => string | null) =>
  (value: string, world: World): Test =>
  row =>
    of(row, world) === value

const FILTERS: Readonly<Record<string, Filter>> = {
  name: { test: equal(row => row.name ?? '') },
  display_name: { test: equal(row => row.name ?? '') },
  description: { since: 'likeFilters', test: equal(row => row.description ?? '') },
  display_description: { since: 'likeFilters', test: equal(row => row.description ?? '') },
  'name~': { since: 'likeFilters', test: like('name') },
  'description~': { since: 'likeFilters', test: like('description') },
  status: { test: equal(row => row.status) },
  share_proto: { test: equal(row => row.protocol) },
  share_type_id: { test: equal((row, { shares }) => shares.types.row(row.type_id).uuid) },
  volume_type_id: { test: equal((row, { shares }) => shares.types.row(row.type_id).uuid) },
  snapshot_id: { test: equal(row => row.snapshot) },
  availability_zone: { test: equal(row => row.availability_zone) },
  share_network_id: { test: equal(() => null) },
  share_server_id: { test: equal(() => null) },
  share_group_id: { test: equal(() => null) },
  share_group_snapshot_id: { test: equal(() => null) },
  host: {
    adminOnly: true,
    test: (value, world) => row => {
      const pool = nameOrEmpty(world, row.pool_id)
      return pool === value || pool.split('#', 1)[0] === value || pool.split('@', 1)[0] === value
    },
  },
  export_location_id: {
    since: 'exportFilters',
    test: equal(row => (row.export_path === null ? null : exportIdOf(row))),
  },
  export_location_path: { since: 'exportFilters', test: equal(row => row.export_path) },
  metadata: {
    test(value, world) {
      const wanted = [...parseDict('metadata', value)]
      return row => {
        const metadata = renderMetadata(world, row.id)
        return wanted.every(([key, text]) => ownValue(metadata, key) === text)
      }
    },
  },
  extra_specs: {
    adminOnly: true,
    test(value, { shares }) {
      const wanted = [...parseDict('extra_specs', value)]
      return row => wanted.every(([key, text]) => shares.getSpecs(row.type_id).get(key) === text)
    },
  },
}

/** Unknown filters, and those that the caller may not use, are ignored, as in Manila. */
function makeTests(context: ShareContext, request: ShareApiRequest): Test[] {
  const { query, features } = request
  const admin = isAdmin(context, request.credentials)
  const bin = features.softDelete ? query.last('is_soft_deleted') : undefined
  const wantsBin = bin === undefined ? false : parseBoolean(bin)
  if (wantsBin === null) throw makeFieldError('is_soft_deleted', bin, 'It must be true or false.')
  const tests: Test[] = [row => (row.deleted_at !== null) === wantsBin]
  for (const [name, value] of Object.entries(query.lastValues())) {
    const filter = ownValue(FILTERS, name)
    if (filter === undefined || (filter.adminOnly === true && !admin)) continue
    if (filter.since !== undefined && !features[filter.since]) continue
    tests.push(filter.test(value, context.world))
  }
  return tests
}

const SORT_KEYS: Readonly<Record<string, (row: ShareRow, world: World) => string | number>> = {
  id: row => row.uuid,
  status: row => row.status,
  size: row => row.size,
  host: (row, world) => nameOrEmpty(world, row.pool_id),
  share_proto: row => row.protocol,
  availability_zone: row => row.availability_zone ?? '',
  user_id: row => row.user_id,
  project_id: row => row.project_id,
  created_at: row => row.id,
  updated_at: row => row.updated_at ?? 0,
  name: row => row.name ?? '',
  display_name: row => row.name ?? '',
  share_type_id: (row, { shares }) => shares.types.row(row.type_id).uuid,
  share_type: (row, { shares }) => shares.types.row(row.type_id).uuid,
  snapshot_id: row => row.snapshot ?? '',
}

export function listQuery(features: Features): Schema {
  const filters = Object.entries(FILTERS).filter(([, { since }]) => since === undefined || features[since])
  return openObject({
    ...queryOf(filters.map(([name]) => name)).properties,
    ...allTenants,
    project_id: { ...text, description: 'Only this project; for admins.' },
    is_public: { ...flag, description: 'Also public shares of other projects.' },
    ...(features.softDelete && { is_soft_deleted: flag }),
    ...(features.withCount && { with_count: flag }),
    ...pageParameters,
    sort_key: oneOf(...Object.keys(SORT_KEYS)),
    sort_dir: oneOf('asc', 'desc'),
  })
}

function sortRows(world: World, { query }: ShareApiRequest, rows: ShareRow[]): ShareRow[] {
  const key = query.last('sort_key') ?? 'created_at'
  const direction = query.last('sort_dir') ?? 'desc'
  const of = ownValue(SORT_KEYS, key)
  if (of === undefined)
    throw makeFieldError('sort_key', key, `It must be one of ${Object.keys(SORT_KEYS).join(', ')}.`)
  if (direction !== 'asc' && direction !== 'desc')
    throw makeFieldError('sort_dir', direction, 'It must be asc or desc.')
  const sign = direction === 'asc' ? 1 : -1
  return rows
    .map(row => ({ row, key: of(row, world) }))
    .sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : sign * (a.row.id - b.row.id)))
    .map(({ row }) => row)
}
