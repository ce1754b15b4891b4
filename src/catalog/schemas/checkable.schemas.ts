import type { Schema } from '../../http/formats/json-schema.ts'
import { assert } from '../../kernel/assert.ts'
import { emptyRecord, ownValue } from '../../kernel/records.ts'
import type { Document, ServedSchema } from './documents.ts'

/** Annotations, and formats: patterns are kept as they are, not compiled. */
const IDLE_WORDS = new Set(['name', 'definitions', 'links', 'readOnly', 'default', 'format', 'description'])

/** A served schema in the form our validator takes: references resolved, keywords without effect removed. */
export function toCheckable(served: ServedSchema): Schema {
  return { type: 'object', ...convert(served, (served.definitions ?? {}) as Record<string, Document>) }
}

function convert(document: Document, definitions: Readonly<Record<string, Document>>): Schema {
  const convertInner = (value: unknown) => convert(value as Document, definitions)
  const convertEach = (value: unknown) =>
    Object.fromEntries(Object.entries(value as Document).map(([key, one]) => [key, convertInner(one)]))
  const schema: Record<string, unknown> = emptyRecord()
  for (const [word, value] of Object.entries(document)) {
    if (IDLE_WORDS.has(word)) continue
    if (word === '$ref') Object.assign(schema, convertInner(findDefinition(value as string, definitions)))
    else if (word === 'allOf') for (const one of value as Document[]) Object.assign(schema, convertInner(one))
    else if (word === 'properties') schema.properties = convertEach(value)
    else if (word === 'items') schema.items = convertInner(value)
    else if (word === 'additionalProperties' && value !== false)
      schema.patternProperties = { '': convertInner(value) }
    else schema[word] = value
  }
  return schema as Schema
}

function findDefinition(reference: string, definitions: Readonly<Record<string, Document>>): Document {
  const found = ownValue(definitions, reference.slice('#/definitions/'.length))
  assert(found !== undefined, () => `no definition for ${reference}`)
  return found
}
