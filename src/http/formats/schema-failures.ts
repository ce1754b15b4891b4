import { assert } from '../../kernel/assert.ts'
import type { Schema, TypeName } from '../../kernel/json-schema.ts'
import { pythonPretty, pythonRepr } from './python-repr.ts'

/** A violation. Paths are relative to the value and schema that it was found under. */
export interface Failure {
  readonly keyword: keyof Schema
  readonly schema: Schema
  readonly instance: unknown
  readonly message: () => string
  readonly path: (string | number)[]
  readonly schemaPath: (string | number)[]
  /** Of an `anyOf`, why each branch failed. */
  readonly context: readonly Failure[]
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const typeChecks: Readonly<Record<TypeName, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: value => typeof value === 'string',
  integer: Number.isInteger,
  number: value => typeof value === 'number',
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
}

/** If a hundred thousand items are wrong, the first ones are enough. */
const FAILURES_MAX = 1_000

export function* takeFirst(failures: Iterable<Failure>): Iterable<Failure> {
  let count = 0
  for (const one of failures) {
    yield one
    if (++count === FAILURES_MAX) return
  }
}

/** Python's `best_match`: the shallowest failure; of an anyOf the deepest, unless its branches tie. */
export function findBestMatch(failures: Iterable<Failure>): { failure: Failure; path: (string | number)[] } {
  let best: Failure | undefined
  for (const found of takeFirst(failures))
    if (best === undefined || computeRelevance(found) > computeRelevance(best)) best = found
  assert(best !== undefined, 'a value was refused and nothing is wrong with it')
  // Python shows only the path below the branch of an `anyOf`; the whole one starts above it.
  const path = [...best.path]
  while (best.context.length > 0) {
    const [least, next]: Failure[] = best.context.toSorted(
      (a, b) => computeRelevance(a) - computeRelevance(b),
    )
    if (next !== undefined && computeRelevance(least!) === computeRelevance(next)) break
    best = least!
    path.push(...best.path)
  }
  return { failure: best, path }
}

/** Python compares (-depth, is not anyOf, instance is not of the schema's type); the same as one number. */
function computeRelevance({ path, keyword, schema, instance }: Failure): number {
  const { type = [] } = schema
  const names: readonly TypeName[] = typeof type === 'string' ? [type] : type
  const typeMatches = names.some(name => typeChecks[name](instance))
  return path.length * -4 + (keyword === 'anyOf' ? 0 : 2) + (typeMatches ? 0 : 1)
}

/** The text of Python's ValidationError. */
export function renderFailure({ keyword, schema, instance, message, path, schemaPath }: Failure): string {
  const inSchema = renderIndexes('schema', schemaPath.slice(0, -1))
  const onInstance = renderIndexes('instance', path)
  return [
    `${message()}\n`,
    `Failed validating ${pythonRepr(keyword)} in ${inSchema}:`,
    `    ${pythonPretty(schema)}\n`,
    `On ${onInstance}:`,
    `    ${pythonPretty(instance)}`,
  ].join('\n')
}

const renderIndexes = (word: string, path: readonly (string | number)[]) =>
  word + path.map(step => `[${pythonRepr(step)}]`).join('')
