import { ownValue } from '../../kernel/records.ts'
import { placeName } from '../../scheduling/pools/pools.ts'
import type { ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { badField, booleanIn, pageOf } from '../bodies.ts'
import { isAdmin, projectOf, type ShareApiRequest, type ShareContext } from '../context.ts'
import { dictIn } from '../python-dict.ts'
import type { Features } from '../versions.ts'
import { exportIdOf } from './export-ids.ts'
import { metadataOf } from './shares.view.ts'

type Test = (row: ShareRow) => boolean

interface Listed {
  readonly rows: readonly ShareRow[]
  /** How many there are on all pages. */
  readonly count: number
  readonly nextOffset: number | null
}

export function listedShares(context: ShareContext, request: ShareApiRequest): Listed {
  const tests = testsOf(context, request)
  const rows = candidates(context, request).filter(row => tests.every(test => test(row)))
  const sorted = inOrder(context.world, request, rows)
  const { limit, offset } = pageOf(request.query)
  const page = sorted.slice(offset, offset + limit)
  const nextOffset = offset + page.length < sorted.length && page.length > 0 ? offset + page.length : null
  return { rows: page, count: sorted.length, nextOffset }
}

/** The own project's; with is_public those that are shown to all; with all_tenants all, for admins. */
function candidates(context: ShareContext, request: ShareApiRequest): ShareRow[] {
  const { shares } = context.world
  const { query } = request
  const admin = isAdmin(context, request.credentials)
  const flag = (name: string) => {
    const text = query.last(name)
    return text !== undefined && (text === '' || booleanIn(text) === true)
  }
  const asked = admin ? query.last('project_id') : undefined
  if (admin && flag('all_tenants')) return asked === undefined ? shares.shares.all() : shares.ofProject(asked)
  const project = asked ?? projectOf(request)
  if (!flag('is_public')) return shares.ofProject(project)
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
      const pool = placeName(world, row.pool_id)
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
      const wanted = [...dictIn('metadata', value)]
      return row => {
        const metadata = metadataOf(world, row.id)
        return wanted.every(([key, text]) => ownValue(metadata, key) === text)
      }
    },
  },
  extra_specs: {
    adminOnly: true,
    test(value, { shares }) {
      const wanted = [...dictIn('extra_specs', value)]
      return row => wanted.every(([key, text]) => shares.specsOf(row.type_id).get(key) === text)
    },
  },
}

/** What is not known, or not for the caller, is ignored, as it always was. */
function testsOf(context: ShareContext, request: ShareApiRequest): Test[] {
  const { query, features } = request
  const admin = isAdmin(context, request.credentials)
  const bin = features.softDelete ? query.last('is_soft_deleted') : undefined
  const wantsBin = bin === undefined ? false : booleanIn(bin)
  if (wantsBin === null) throw badField('is_soft_deleted', bin, 'It must be true or false.')
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
  host: (row, world) => placeName(world, row.pool_id),
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

function inOrder(world: World, { query }: ShareApiRequest, rows: ShareRow[]): ShareRow[] {
  const key = query.last('sort_key') ?? 'created_at'
  const direction = query.last('sort_dir') ?? 'desc'
  const of = ownValue(SORT_KEYS, key)
  if (of === undefined)
    throw badField('sort_key', key, `It must be one of ${Object.keys(SORT_KEYS).join(', ')}.`)
  if (direction !== 'asc' && direction !== 'desc')
    throw badField('sort_dir', direction, 'It must be asc or desc.')
  const sign = direction === 'asc' ? 1 : -1
  return rows
    .map(row => ({ row, key: of(row, world) }))
    .sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : sign * (a.row.id - b.row.id)))
    .map(({ row }) => row)
}
