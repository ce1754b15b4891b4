import { assert } from '../../kernel/assert.ts'
import { byCodePoint } from '../../kernel/code-points.ts'
import type { Schema, TypeName } from '../../kernel/json-schema.ts'
import { jsonText, ownValue } from '../../kernel/records.ts'
import { isUuidLike } from '../../kernel/uuid.ts'
import { pythonRepr } from './python-repr.ts'
import {
  type Failure,
  findBestMatch,
  isObject,
  renderFailure,
  takeFirst,
  typeChecks,
} from './schema-failures.ts'

/**
 * JSON schemas with the wording of Python's jsonschema 4.10, which OpenStack clients match on. A schema is compiled
 * once. A valid value costs one pass of plain predicates; only an invalid one is walked again to find its faults, and
 * of those the one that Python's `best_match` would pick.
 */
export type { Schema } from '../../kernel/json-schema.ts'

/** Null when the value is valid, else the text of Python's ValidationError. */
export function validate(schema: Schema, value: unknown): string | null {
  const compiled = compileOnce(schema)
  return compiled.holds(value) ? null : renderFailure(findBestMatch(compiled.failures(value)).failure)
}

/** The same in few words and with the path, for APIs that need not match Python's wording. */
export function findFirstFault(schema: Schema, value: unknown): Fault | null {
  const compiled = compileOnce(schema)
  if (compiled.holds(value)) return null
  const { failure, path } = findBestMatch(compiled.failures(value))
  return {
    path: path.join('.'),
    message: describeSize(failure) ?? failure.message(),
    steps: path,
    value: failure.instance,
  }
}

/** Reports the size of what is too large instead of quoting it. */
function describeSize({ keyword, schema, instance }: Failure): string | null {
  const sizes = {
    maxLength: () => [countCodePoints(instance as string), 'characters'],
    maxItems: () => [(instance as unknown[]).length, 'items'],
    maxProperties: () => [Object.keys(instance as object).length, 'members'],
  } as const
  if (keyword !== 'maxLength' && keyword !== 'maxItems' && keyword !== 'maxProperties') return null
  const [count, what] = sizes[keyword]()
  return `has ${count} ${what}, and at most ${schema[keyword]} are allowed`
}

interface Fault {
  readonly path: string
  readonly message: string
  /** The path in steps: a name may contain a dot. */
  readonly steps: readonly (string | number)[]
  readonly value: unknown
}

interface Rule {
  readonly holds: (value: unknown) => boolean
  readonly failures: (value: unknown) => Iterable<Failure>
}

/** Where in a schema a rule is. */
interface SchemaPosition {
  readonly schema: Schema
  readonly keyword: keyof Schema
}

const cache = new WeakMap<Schema, Rule>()

function compileOnce(schema: Schema): Rule {
  const known = cache.get(schema)
  if (known !== undefined) return known
  const compiled = compile(schema)
  cache.set(schema, compiled)
  return compiled
}

function compile(schema: Schema): Rule {
  const checking = (Object.keys(schema) as (keyof Schema)[]).filter(
    (keyword): keyword is Keyword => keyword !== 'description',
  )
  const rules = checking.map(keyword => {
    const build = keywords[keyword] as ((argument: unknown, site: SchemaPosition) => Rule) | undefined
    assert(build !== undefined, () => `no such keyword of a schema: ${keyword}`)
    return build(schema[keyword], { schema, keyword })
  })
  return {
    holds(value) {
      for (const rule of rules) if (!rule.holds(value)) return false
      return true
    },
    *failures(value) {
      for (const rule of rules) if (!rule.holds(value)) yield* rule.failures(value)
    },
  }
}

type Keyword = Exclude<keyof Schema, 'description'>

const keywords: {
  readonly [K in Keyword]-?: (argument: NonNullable<Schema[K]>, site: SchemaPosition) => Rule
} = {
  type(argument, site) {
    const names: readonly TypeName[] = typeof argument === 'string' ? [argument] : argument
    const checks = names.map(name => typeChecks[name])
    const [only] = checks
    const holds = checks.length === 1 ? only! : (value: unknown) => checks.some(check => check(value))
    return makeLeaf(site, holds, `is not of type ${listNames(names)}`)
  },
  properties: compileProperties,
  patternProperties: compilePatternProperties,
  additionalProperties: (_, site) => compileAdditionalProperties(site),
  required: compileRequired,
  minProperties(min, site) {
    const holds = (value: unknown) => min === 0 || !isObject(value) || Object.keys(value).length >= min
    return makeLeaf(site, holds, 'does not have enough properties')
  },
  maxProperties(max, site) {
    const holds = (value: unknown) => !isObject(value) || Object.keys(value).length <= max
    return makeLeaf(site, holds, 'has too many properties')
  },
  minItems: (min, site) =>
    makeLeaf(site, value => !Array.isArray(value) || value.length >= min, 'is too short'),
  maxItems: (max, site) =>
    makeLeaf(site, value => !Array.isArray(value) || value.length <= max, 'is too long'),
  items: compileItems,
  uniqueItems: (_, site) =>
    makeLeaf(site, value => !Array.isArray(value) || areAllDifferent(value), 'has non-unique elements'),
  minLength: (min, site) =>
    makeLeaf(site, value => typeof value !== 'string' || countCodePoints(value) >= min, 'is too short'),
  maxLength(max, site) {
    const fits = (text: string) => text.length <= max || countCodePoints(text) <= max
    return makeLeaf(site, value => typeof value !== 'string' || fits(value), 'is too long')
  },
  pattern(pattern, site) {
    const regex = toPythonRegex(pattern)
    const holds = (value: unknown) => typeof value !== 'string' || regex.test(value)
    return makeLeaf(site, holds, `does not match ${pythonRepr(pattern)}`)
  },
  minimum(min, site) {
    const holds = (value: unknown) => typeof value !== 'number' || value >= min
    return makeLeaf(site, holds, `is less than the minimum of ${pythonRepr(min)}`)
  },
  maximum(max, site) {
    const holds = (value: unknown) => typeof value !== 'number' || value <= max
    return makeLeaf(site, holds, `is greater than the maximum of ${pythonRepr(max)}`)
  },
  enum(values, site) {
    const holds = (value: unknown) => (values as readonly unknown[]).includes(value)
    return makeLeaf(site, holds, `is not one of ${pythonRepr(values)}`)
  },
  anyOf: compileAnyOf,
  format: (format, site) => makeLeaf(site, isUuidLike, `is not a ${pythonRepr(format)}`),
}

const listNames = (values: readonly string[]) => values.map(pythonRepr).join(', ')

function makeFailure(
  site: SchemaPosition,
  instance: unknown,
  message: () => string,
  context: readonly Failure[] = [],
): Failure {
  const { keyword, schema } = site
  return { keyword, schema, instance, message, path: [], schemaPath: [keyword], context }
}

/** A rule about the value itself, not its members. */
function makeLeaf(site: SchemaPosition, holds: (value: unknown) => boolean, complaint: string): Rule {
  return { holds, failures: value => [makeFailure(site, value, () => `${pythonRepr(value)} ${complaint}`)] }
}

/** Violations in one member, with paths from the value. */
function* findWithin(
  member: Rule,
  value: unknown,
  key: string | number,
  schemaPath: readonly (string | number)[],
): Iterable<Failure> {
  if (member.holds(value)) return
  for (const found of member.failures(value)) {
    found.path.unshift(key)
    found.schemaPath.unshift(...schemaPath)
    yield found
  }
}

function compileProperties(schemas: Readonly<Record<string, Schema>>, { keyword }: SchemaPosition): Rule {
  const members = Object.entries(schemas).map(([name, schema]) => ({ name, rule: compile(schema) }))
  return {
    holds(value) {
      if (!isObject(value)) return true
      for (const { name, rule } of members) {
        if (Object.hasOwn(value, name) && !rule.holds(value[name])) return false
      }
      return true
    },
    *failures(value) {
      const object = value as Record<string, unknown>
      for (const { name, rule } of members) {
        if (Object.hasOwn(object, name))
          yield* findWithin(rule, ownValue(object, name), name, [keyword, name])
      }
    },
  }
}

function compilePatternProperties(
  schemas: Readonly<Record<string, Schema>>,
  { keyword }: SchemaPosition,
): Rule {
  const members = Object.entries(schemas).map(([pattern, schema]) => ({
    pattern,
    regex: toPythonRegex(pattern),
    rule: compile(schema),
  }))
  return {
    holds(value) {
      if (!isObject(value)) return true
      for (const key of Object.keys(value)) {
        for (const { regex, rule } of members) {
          if (regex.test(key) && !rule.holds(value[key])) return false
        }
      }
      return true
    },
    *failures(value) {
      const entries = Object.entries(value as object)
      for (const { pattern, regex, rule } of members) {
        for (const [key, member] of entries) {
          if (regex.test(key)) yield* findWithin(rule, member, key, [keyword, pattern])
        }
      }
    },
  }
}

function compileAdditionalProperties(site: SchemaPosition): Rule {
  const { properties = {}, patternProperties } = site.schema
  const patterns = Object.keys(patternProperties ?? {}).sort()
  const regexes = patterns.map(toPythonRegex)
  const isExtra = (key: string) => !Object.hasOwn(properties, key) && !regexes.some(regex => regex.test(key))
  const say = (extras: string[]) => {
    const one = extras.length === 1
    // Printed as one list, so that many names are cut like one long one.
    const names = pythonRepr(extras.sort(byCodePoint)).slice(1, -1)
    if (patternProperties === undefined) {
      return `Additional properties are not allowed (${names} ${one ? 'was' : 'were'} unexpected)`
    }
    return `${names} ${one ? 'does' : 'do'} not match any of the regexes: ${listNames(patterns)}`
  }
  return {
    holds: value => !isObject(value) || !Object.keys(value).some(isExtra),
    failures: value => [makeFailure(site, value, () => say(Object.keys(value as object).filter(isExtra)))],
  }
}

function compileRequired(names: readonly string[], site: SchemaPosition): Rule {
  return {
    holds: value => !isObject(value) || names.every(name => Object.hasOwn(value, name)),
    *failures(value) {
      for (const name of names) {
        if (Object.hasOwn(value as object, name)) continue
        yield makeFailure(site, value, () => `${pythonRepr(name)} is a required property`)
      }
    },
  }
}

function compileItems(schema: Schema, { keyword }: SchemaPosition): Rule {
  const rule = compile(schema)
  return {
    holds: value => !Array.isArray(value) || value.every(rule.holds),
    *failures(value) {
      for (const [index, item] of (value as unknown[]).entries())
        yield* findWithin(rule, item, index, [keyword])
    },
  }
}

function compileAnyOf(schemas: readonly Schema[], site: SchemaPosition): Rule {
  const branches = schemas.map(schema => compile(schema))
  return {
    holds: value => branches.some(branch => branch.holds(value)),
    *failures(value) {
      const context: Failure[] = []
      for (const [index, branch] of branches.entries()) {
        for (const found of takeFirst(branch.failures(value))) {
          found.schemaPath.unshift(index)
          context.push(found)
        }
      }
      const say = () => `${pythonRepr(value)} is not valid under any of the given schemas`
      yield makeFailure(site, value, say, context)
    },
  }
}

/** In Python `$` also matches before a final newline. The rest of our patterns means the same. */
function toPythonRegex(pattern: string): RegExp {
  const sets = pattern.split('[').slice(1)
  const isClever = pattern.includes('\\') || sets.some(set => set.split(']', 1)[0]?.includes('$'))
  assert(!isClever, () => `a pattern that cannot be translated: ${pattern}`)
  return new RegExp(
    pattern.replaceAll('$', () => '(?=\\n?$)'),
    'u',
  )
}

function countCodePoints(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const pair = isSurrogate(text, at - 1, 0xd800) && isSurrogate(text, at, 0xdc00)
    if (pair) count--
  }
  return count
}

const isSurrogate = (text: string, at: number, half: 0xd800 | 0xdc00) =>
  (text.charCodeAt(at) & 0xfc00) === half

function areAllDifferent(items: readonly unknown[]): boolean {
  const seen = new Set<string>()
  for (const item of items) seen.add(makeFingerprint(item))
  return seen.size === items.length
}

/** Equal for equal values only. Iterative, because callers may nest deeply. */
function makeFingerprint(value: unknown): string {
  const parts: string[] = []
  const todo: unknown[] = [value]
  while (todo.length > 0) {
    const next = todo.pop()
    if (Array.isArray(next)) {
      parts.push(`[${next.length}`)
      for (const item of next) todo.push(item)
    } else if (isObject(next)) {
      const keys = Object.keys(next).sort()
      parts.push(`{${JSON.stringify(keys)}`)
      for (const key of keys) todo.push(next[key])
    } else {
      parts.push(typeof next === 'string' ? JSON.stringify(next) : jsonText(next))
    }
  }
  return parts.join(',')
}
