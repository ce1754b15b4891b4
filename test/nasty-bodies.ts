import type { Schema } from '../src/http/formats/json-schema.ts'

/**
 * Bodies that are as large as a route takes and valid by its schema, each with all its bytes in one or two places: a list
 * of a hundred thousand items, an object of as many keys, one endless text. What costs more than its size shows here.
 */

/** Texts that some parser has much to do with. */
const LONG_TEXTS: readonly ((chars: number) => string)[] = [
  chars => 'a'.repeat(chars),
  chars => 'a '.repeat(chars / 2),
  chars => 'a,'.repeat(chars / 2),
  chars => `<all-in> ${'b '.repeat(chars / 2)}`,
  chars => `<or> ${'b <or> '.repeat(chars / 7)}`,
  chars => `["or", ${'["=", "$a", 1], '.repeat(chars / 16)} true]`,
  chars => '1-2,^3,'.repeat(chars / 7),
]

type Path = readonly (string | number)[]

interface Place {
  readonly path: Path
  readonly schema: Schema
}

/** Each a list of values for one place, of about so many bytes. */
function* fillings(schema: Schema, bytes: number): Generator<unknown> {
  const type = typeof schema.type === 'string' ? schema.type : undefined
  if (type === 'array') {
    const item = least(schema.items ?? {})
    yield Array(Math.floor(bytes / (JSON.stringify(item).length + 1))).fill(item)
    if (schema.items?.type === 'string')
      yield Array.from({ length: Math.floor(bytes / 10) }, (_, nth) => `t${nth}`)
  } else if (type === 'object') {
    if (schema.properties === undefined)
      yield wideObject(Object.values(schema.patternProperties ?? {})[0] ?? {}, bytes)
  } else if (type === 'string') {
    if (schema.enum === undefined && schema.format === undefined)
      for (const long of LONG_TEXTS) yield long(bytes)
  } else if (type === undefined && schema.anyOf === undefined && schema.enum === undefined) {
    yield Array(Math.floor(bytes / 3)).fill('')
    yield Array(Math.floor(bytes / 3)).fill([])
    yield wideObject({}, bytes)
    for (const long of LONG_TEXTS) yield long(bytes)
  }
}

/** Not wider than any JSON of a body may be. */
function wideObject(value: Schema, bytes: number): object {
  const member = least(value)
  const each = JSON.stringify(member).length + 11
  return Object.fromEntries(
    Array.from({ length: Math.min(10_000, Math.floor(bytes / each)) }, (_, nth) => [`k${nth}`, member]),
  )
}

/** The smallest value that the schema takes. */
export function least(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) return least(schema.anyOf[0] as Schema)
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  switch (type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map(name => [name, least(schema.properties?.[name] ?? {})]),
      )
    case 'array':
      return Array(schema.minItems ?? 0).fill(least(schema.items ?? {}))
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return schema.format === 'uuid' ? '00000000-0000-4000-8000-000000000001' : 'a'
  }
}

/** Everything in the schema that can hold more than a word. */
function* placesIn(schema: Schema, path: Path = []): Generator<Place> {
  if (schema.anyOf !== undefined) for (const one of schema.anyOf) yield* placesIn(one, path)
  else yield { path, schema }
  for (const [name, field] of Object.entries(schema.properties ?? {})) yield* placesIn(field, [...path, name])
  for (const field of Object.values(schema.patternProperties ?? {})) yield* placesIn(field, [...path, 'k'])
  if (schema.items !== undefined) yield* placesIn(schema.items, [...path, 0])
}

/** The body with a value at a place, and whatever must be beside it. */
function put(schema: Schema, body: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  const option =
    schema.anyOf?.find(one => one.type === (typeof step === 'number' ? 'array' : 'object')) ?? schema
  if (typeof step === 'number') {
    const items = Array.isArray(body) && body.length > 0 ? [...body] : [least(option.items ?? {})]
    items[0] = put(option.items ?? {}, items[0], rest, value)
    return items
  }
  const inner = option.properties?.[step] ?? Object.values(option.patternProperties ?? {})[0] ?? {}
  const object =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? body : (least(option) as object)
  const own = Object.hasOwn(object, step) ? (object as Record<string, unknown>)[step] : least(inner)
  return { ...object, [step]: put(inner, own, rest, value) }
}

export interface NastyBody {
  readonly name: string
  readonly text: string
}

/** For routes that keep to themselves what they take: JSON that is large in one way. */
export function* nastyJson(bytes: number): Generator<NastyBody> {
  yield { name: 'brackets', text: '['.repeat(bytes) }
  yield { name: 'a list of lists', text: `[${times('[],', bytes)}]` }
  yield { name: 'a list of names', text: `[${times('"CUSTOM_A",', bytes)}]` }
  yield { name: 'a wide object', text: JSON.stringify(wideObject({ type: 'string' }, bytes)) }
  yield { name: 'one long text', text: JSON.stringify('x'.repeat(bytes - 2)) }
  yield { name: 'escapes', text: `"${times('\\u0041', bytes)}1"` }
  for (const member of MEMBERS) {
    yield { name: `${member}: a list`, text: `{"${member}":[${times('"CUSTOM_A",', bytes)}]}` }
    yield {
      name: `${member}: an object`,
      text: JSON.stringify({ [member]: wideObject({ type: 'string' }, bytes) }),
    }
  }
}

/** The few of them that show most, for a walk that has to be short. */
export function* fewNastyJson(bytes: number): Generator<NastyBody> {
  yield { name: 'a list of objects', text: `[${times('{"a":1},', bytes)}]` }
  const share = bytes / MEMBERS.length / 3
  const lists = MEMBERS.map(member => [member, wideObject({ type: 'string' }, share)])
  yield { name: 'objects everywhere', text: JSON.stringify(Object.fromEntries(lists)) }
}

const times = (text: string, bytes: number): string =>
  text.repeat(Math.floor((bytes - 100) / text.length)).slice(0, -1)

/** The outermost member of most bodies. */
const MEMBERS: readonly string[] = [
  ...['traits', 'aggregates', 'inventories', 'allocations', 'tags', 'metadata', 'extra_specs', 'properties'],
  ...[
    'share',
    'share_type',
    'quota_set',
    'flavor',
    'aggregate',
    'auth',
    'user',
    'server_group',
    'set_metadata',
  ],
]

/** All places filled, each with its part. */
export function fullBody(schema: Schema, bytes: number): NastyBody {
  const places = [...placesIn(schema)].filter(place => !fillings(place.schema, 100).next().done)
  let body = least(schema)
  for (const place of places.toReversed()) {
    const [value] = fillings(place.schema, (bytes - 5_000) / places.length / 2)
    body = put(schema, body, place.path, value)
  }
  return { name: 'all at once', text: JSON.stringify(body) }
}

/** One list of different names after the other: to look each up in the others is what they invite to. */
export function* longLists(schema: Schema, bytes: number): Generator<NastyBody> {
  for (const place of placesIn(schema)) {
    if (place.schema.type !== 'array' || place.schema.items?.type !== 'string') continue
    const value = Array.from({ length: Math.floor(bytes / 12) }, (_, nth) => `t${nth}`)
    yield named([place], 0, put(schema, least(schema), place.path, value))
  }
}

export function* nastyBodies(schema: Schema, bytes: number, { pairs = false } = {}): Generator<NastyBody> {
  const places = [...placesIn(schema)]
  const room = bytes - 2_000
  const start = least(schema)
  for (const place of places)
    for (const [nth, value] of [...fillings(place.schema, room)].entries())
      yield named([place], nth, put(schema, start, place.path, value))
  if (!pairs) return
  for (const [at, one] of places.entries())
    for (const other of places.slice(at + 1)) {
      if (isWithin(one.path, other.path)) continue
      for (const [nth, value] of [...fillings(one.schema, room / 2)].entries())
        for (const second of fillings(other.schema, room / 2))
          yield named([one, other], nth, put(schema, put(schema, start, one.path, value), other.path, second))
    }
}

const isWithin = (one: Path, other: Path): boolean => one.every((step, at) => other[at] === step)

const named = (places: readonly Place[], nth: number, body: unknown): NastyBody => ({
  name: `${places.map(({ path }) => path.join('.')).join(' + ')} #${nth}`,
  text: JSON.stringify(body),
})
