import type { Json } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { schemaDocument } from './schema-document.ts'
import { spanOf, type VersionRange, versionMarks } from './version-ranges.ts'

/** The parameters of a query, from its schema in each version. */
export function queryParameters(ranges: readonly VersionRange<Schema>[]): Json[] {
  const names = new Set(ranges.flatMap(({ value }) => Object.keys(membersOf(value))))
  return [...[...names].map(name => parameterOf(name, ranges)), ...suffixedParameters(ranges)]
}

function parameterOf(name: string, ranges: readonly VersionRange<Schema>[]): Json {
  const own = joinRanges(
    ranges.flatMap(({ value, ...range }) => {
      const schema = membersOf(value)[name]
      return schema === undefined ? [] : [{ ...range, value: schema }]
    }),
  )
  const newest = own.at(-1)?.value as Schema
  const schema =
    own.length === 1
      ? schemaDocument(newest)
      : {
          oneOf: own.map(range => ({ ...schemaDocument(range.value), ...versionMarks(range) })),
          'x-openstack': { discriminator: 'microversion' },
        }
  return {
    name,
    in: 'query',
    required: ranges.every(({ value }) => value.required?.includes(name) ?? false),
    ...(newest.description === undefined ? {} : { description: newest.description }),
    schema,
    ...versionMarks(spanOf(own)),
  }
}

/** Ranges that follow one another and have the same schema are one. */
function joinRanges(ranges: readonly VersionRange<Schema>[]): VersionRange<Schema>[] {
  const result: VersionRange<Schema>[] = []
  for (const range of ranges) {
    const before = result.at(-1)
    if (before !== undefined && JSON.stringify(before.value) === JSON.stringify(range.value))
      result[result.length - 1] = { ...before, last: range.last }
    else result.push(range)
  }
  return result
}

/** Plain names, and those that take the suffix of a request group, without it. */
function membersOf({ properties = {}, patternProperties = {} }: Schema): Readonly<Record<string, Schema>> {
  const plain = Object.entries(patternProperties).flatMap(([pattern, schema]) => {
    const name = SUFFIXED.exec(pattern)?.[1]
    return name === undefined ? [] : [[name, schema] as const]
  })
  return { ...properties, ...Object.fromEntries(plain) }
}

const SUFFIXED = /^\^(\w+)\(.*\)\?\$$/

/** Names that are defined by a pattern become one parameter: an object with a member for each name. */
function suffixedParameters(ranges: readonly VersionRange<Schema>[]): Json[] {
  const own = joinRanges(
    ranges.flatMap(({ value, ...range }) =>
      value.patternProperties === undefined
        ? []
        : [
            {
              ...range,
              value: { type: 'object', patternProperties: value.patternProperties } satisfies Schema,
            },
          ],
    ),
  )
  if (own.length === 0) return []
  const [only, ...others] = own
  return [
    {
      name: 'groups',
      in: 'query',
      required: false,
      style: 'form',
      explode: true,
      description: 'Parameters whose names end with the suffix of a request group, each by its own name.',
      schema:
        others.length === 0
          ? schemaDocument((only as VersionRange<Schema>).value)
          : {
              oneOf: own.map(range => ({ ...schemaDocument(range.value), ...versionMarks(range) })),
              'x-openstack': { discriminator: 'microversion' },
            },
      ...versionMarks(spanOf(own)),
    },
  ]
}
