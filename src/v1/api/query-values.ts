import { findFirstFault, type Schema } from '../../http/formats/json-schema.ts'
import type { Query } from '../../http/request/query.ts'
import { Problem } from './problem.ts'

/** Parses a query by its schema: text becomes numbers and booleans where these are declared. */
export function readQuery(query: Query, schema: Schema | undefined): unknown {
  const values: Record<string, unknown> = Object.create(null)
  const known = schema?.properties ?? {}
  for (const [name] of query.entries()) {
    const declared = Object.hasOwn(known, name) ? known[name] : undefined
    if (declared === undefined)
      throw new Problem(400, 'request.invalid', `${name}: unknown query parameter`, { field: name })
    // The first occurrence of a list's name already read all its values.
    if (Object.hasOwn(values, name)) continue
    values[name] =
      declared.type === 'array'
        ? query.all(name).map(one => read(one, declared.items))
        : read(query.last(name) as string, declared)
  }
  const fault = schema === undefined ? null : findFirstFault(schema, values)
  if (fault === null) return values
  throw new Problem(400, 'request.invalid', `${fault.path}: ${fault.message}`, { field: fault.path })
}

/** Invalid values stay text, which the schema refuses. */
function read(value: string, declared: Schema | undefined): unknown {
  if (declared?.type === 'integer' || declared?.type === 'number')
    return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  if (declared?.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}
