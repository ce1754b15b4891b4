import type { Json } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/json-schema.ts'

/**
 * Converts a schema to the form that OpenAPI tools expect: objects with arbitrary keys have
 * `additionalProperties`.
 */
export function schemaDocument(schema: Schema): Json {
  const { patternProperties, properties, items, anyOf, ...rest } = schema
  const { '': anyKey, ...patterns } = patternProperties ?? {}
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: eachDocument(properties) }),
    ...(Object.keys(patterns).length === 0 ? {} : { patternProperties: eachDocument(patterns) }),
    ...(anyKey === undefined ? {} : { additionalProperties: schemaDocument(anyKey) }),
    ...(items === undefined ? {} : { items: schemaDocument(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(schemaDocument) }),
  }
}

function eachDocument(schemas: Readonly<Record<string, Schema>>): Json {
  return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, schemaDocument(one)]))
}
