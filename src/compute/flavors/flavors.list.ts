import { ApiError } from '../../http/api.ts'
import { isAdmin } from '../../http/policy.ts'
import { byCodePoint } from '../../kernel/code-points.ts'
import { ownValue } from '../../kernel/records.ts'
import type { FlavorRow } from '../../world/compute.ts'
import { parseBoolean, parseLimit, readQuery } from '../bodies.ts'
import type { ComputeContext, ComputeRequest } from '../context.ts'

type Sorted = (row: FlavorRow) => string | number | null

const SORT_KEYS: Readonly<Record<string, Sorted>> = {
  created_at: row => row.created_at,
  description: row => row.description,
  disabled: () => 0,
  ephemeral_gb: row => row.ephemeral_gb,
  flavorid: row => row.flavorid,
  id: row => row.id,
  is_public: row => row.is_public,
  memory_mb: row => row.memory_mb,
  name: row => row.name,
  root_gb: row => row.root_gb,
  rxtx_factor: row => row.rxtx_factor,
  swap: row => row.swap,
  updated_at: row => row.updated_at,
  vcpu_weight: () => null,
  vcpus: row => row.vcpus,
}

export const PARAMETERS = [
  'limit',
  'marker',
  'is_public',
  'minRam',
  'minDisk',
  'sort_key',
  'sort_dir',
] as const

interface FlavorPage {
  readonly rows: readonly FlavorRow[]
  /** The path of the next page, from the service's root; null if there is none. */
  readonly next: string | null
}

/** Flavors that the caller may see. `path` is that of the list. */
export function listFlavors(context: ComputeContext, request: ComputeRequest, path: string): FlavorPage {
  const { query, features } = request
  const asked = readQuery(query, PARAMETERS, { isStrict: features.strictQueries })
  const limit = parseLimit(asked.limit)
  const order = orderOf(asked.sort_key || 'flavorid', asked.sort_dir || 'asc')
  const ramMin = parseLeast('minRam', asked.minRam)
  const diskMin = parseLeast('minDisk', asked.minDisk)
  const isWanted = choosePublicity(context, request, asked.is_public)
  const marker = asked.marker === undefined ? null : findVisible(context, request, asked.marker)
  if (marker === undefined) throw new ApiError(400, `The marker ${asked.marker} is not a flavor.`)
  const found = context.world.compute.flavors
    .all()
    .filter(row => row.memory_mb >= ramMin && row.root_gb >= diskMin && isWanted(row))
    .sort(order)
  const after = marker === null ? found : found.filter(row => order(row, marker) > 0)
  const rows = after.slice(0, limit)
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    rows,
    next: last === undefined ? null : `${path}?${makeNextQuery(query.entries(), last.flavorid)}`,
  }
}

function makeNextQuery(entries: readonly (readonly [string, string])[], marker: string): string {
  const kept = entries.filter(([key]) => key !== 'marker').map(([key, value]) => [key, value])
  return new URLSearchParams([...kept, ['marker', marker]] as [string, string][]).toString()
}

/** All flavors for admins, else public ones and those of the caller's project. */
export function findVisible(
  context: ComputeContext,
  { credentials }: ComputeRequest,
  flavorid: string,
): FlavorRow | undefined {
  const row = context.world.compute.flavors.find(flavorid)
  if (row === undefined || row.is_public === 1 || isAdmin(context, credentials)) return row
  return hasAccess(context, row, credentials.projectId) ? row : undefined
}

const hasAccess = ({ world }: ComputeContext, { id }: FlavorRow, project: string | null): boolean =>
  project !== null && world.compute.flavorAccess.find(id, project) !== undefined

/** Only admins may filter by is_public; all others see what they may use. */
function choosePublicity(
  context: ComputeContext,
  { credentials }: ComputeRequest,
  asked: string | undefined,
): (row: FlavorRow) => boolean {
  const isVisible = (row: FlavorRow) => row.is_public === 1 || hasAccess(context, row, credentials.projectId)
  if (!isAdmin(context, credentials) || asked === undefined) return isVisible
  if (asked.toLowerCase() === 'none') return () => true
  const wanted = parseBoolean(asked)
  if (wanted === null) throw new ApiError(400, `is_public is true, false or None, not '${asked}'.`)
  return wanted ? isVisible : row => row.is_public === 0
}

function parseLeast(name: string, text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text)
  throw new ApiError(400, `${name} must be a whole number, not '${text}'.`)
}

function orderOf(key: string, direction: string): (a: FlavorRow, b: FlavorRow) => number {
  const columnOf = ownValue(SORT_KEYS, key)
  if (columnOf === undefined)
    throw new ApiError(
      400,
      `Flavors cannot be sorted by ${key}; there are ${Object.keys(SORT_KEYS).join(', ')}.`,
    )
  if (direction !== 'asc' && direction !== 'desc')
    throw new ApiError(400, `sort_dir is asc or desc, not '${direction}'.`)
  const sign = direction === 'asc' ? 1 : -1
  return (a, b) => sign * (compare(columnOf(a), columnOf(b)) || a.id - b.id)
}

/** Null comes first. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  return typeof a === 'string' && typeof b === 'string' ? byCodePoint(a, b) : Number(a) - Number(b)
}
