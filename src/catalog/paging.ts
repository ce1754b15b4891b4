import { ApiError } from '../http/api.ts'
import { oneOf, text, whole } from '../http/formats/schema-forms.ts'
import type { Query } from '../http/request/query.ts'
import { byCodePoint } from '../kernel/code-points.ts'
import type { Schema } from '../kernel/json-schema.ts'
import { ownValue } from '../kernel/records.ts'

export interface PageRules<R> {
  /** Sort keys, and where they are in a row. */
  readonly sortKeys: Readonly<Record<string, (row: R) => string | number | null>>
  /** Null: no limit. */
  readonly limitDefault: number | null
  readonly limitMin: number
}

interface Page<R> {
  readonly limit: number | null
  readonly marker: string | null
  readonly order: (a: R, b: R) => number
}

interface Aged {
  readonly id: number
  readonly created_at: number
}

const LIMIT_MAX = 1000

export function readPage<R extends Aged>(query: Query, rules: PageRules<R>): Page<R> {
  return {
    limit: readLimit(query.last('limit'), rules),
    marker: query.last('marker') || null,
    order: readOrder(query.last('sort_key') ?? 'created_at', query.last('sort_dir') ?? 'desc', rules),
  }
}

/** The parameters that `readPage` takes, and those of the list itself. */
export function pageQuery(
  { sortKeys, limitDefault, limitMin }: PageRules<never>,
  filters: Readonly<Record<string, Schema>> = {},
): Schema {
  const description = `More than ${LIMIT_MAX} counts as ${LIMIT_MAX}. Default: ${limitDefault ?? 'no limit'}.`
  return {
    type: 'object',
    properties: {
      ...filters,
      limit: { ...whole, minimum: limitMin, description },
      marker: { ...text, description: 'The last item of the previous page.' },
      sort_key: { ...oneOf(...Object.keys(sortKeys)), description: 'Default: created_at.' },
      sort_dir: { ...oneOf('asc', 'desc'), description: 'Default: desc.' },
    },
  }
}

function readLimit(text: string | undefined, { limitDefault, limitMin }: PageRules<never>): number | null {
  if (text === undefined) return limitDefault
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new ApiError(400, 'limit param must be an integer')
  const limit = Number(text)
  if (limit < limitMin) throw new ApiError(400, `limit param must be at least ${limitMin}`)
  return Math.min(limit, LIMIT_MAX)
}

function readOrder<R extends Aged>(
  key: string,
  direction: string,
  { sortKeys }: PageRules<R>,
): (a: R, b: R) => number {
  if (direction !== 'asc' && direction !== 'desc')
    throw new ApiError(400, `Invalid sort direction: ${direction}`)
  const columnOf = Object.hasOwn(sortKeys, key) ? ownValue(sortKeys, key) : undefined
  if (columnOf === undefined)
    throw new ApiError(
      400,
      `Invalid sort key: ${key}; valid keys: ${Object.keys(sortKeys).sort().join(', ')}`,
    )
  const sign = direction === 'asc' ? 1 : -1
  // Equal keys are in order of age.
  return (a, b) =>
    sign * (compare(columnOf(a), columnOf(b)) || compare(a.created_at, b.created_at) || compare(a.id, b.id))
}

/** Null comes first. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b)
  return byCodePoint(a, b)
}

interface Slice<R> {
  readonly items: readonly R[]
  /** The last row of a full page, after which there may be more. */
  readonly last: R | null
}

/** The rows after the marker, which need not be among them. */
export function slicePage<R>(rows: readonly R[], { limit, order }: Page<R>, marker: R | null): Slice<R> {
  const sorted = rows.toSorted(order)
  const after = marker === null ? sorted : sorted.filter(row => order(row, marker) > 0)
  if (limit === null) return { items: after, last: null }
  const items = after.slice(0, limit)
  return { items, last: items.length === limit ? (items.at(-1) ?? null) : null }
}
