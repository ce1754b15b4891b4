/**
 * The schemas that the catalog serves. Clients validate with them, so their structure is part of the API; descriptions
 * are not. Bodies are checked with the same schemas.
 */
export interface Document {
  readonly [word: string]: unknown
}

/** A schema as served: of one thing, or of a list. */
export interface ServedSchema extends Document {
  readonly name: string
  readonly properties: Document
}

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const types = { ...text, enum: ['array', 'boolean', 'integer', 'number', 'object', 'string', null] }
const ref = (definition: string) => ({ $ref: `#/definitions/${definition}` })
const NAME_CHARS_MAX = 80

const name = { ...text, maxLength: NAME_CHARS_MAX }

/** The keywords of a property definition. */
const propertyWords = {
  name,
  title: text,
  description: text,
  operators: texts,
  type: types,
  required: ref('stringArray'),
  minimum: { type: 'number' },
  maximum: { type: 'number' },
  maxLength: ref('positiveInteger'),
  minLength: ref('positiveIntegerDefault0'),
  pattern: { ...text, format: 'regex' },
  enum: { type: 'array' },
  readonly: { type: 'boolean' },
  default: {},
  items: { type: 'object', properties: { type: types, enum: { type: 'array' } } },
  maxItems: ref('positiveInteger'),
  minItems: ref('positiveIntegerDefault0'),
  uniqueItems: { type: 'boolean', default: false },
  additionalItems: { type: 'boolean' },
}

const numbers = {
  positiveInteger: { type: 'integer', minimum: 0 },
  positiveIntegerDefault0: { allOf: [ref('positiveInteger'), { default: 0 }] },
}

const definitions = {
  ...numbers,
  stringArray: { ...texts, uniqueItems: true },
  property: {
    type: 'object',
    additionalProperties: { type: 'object', required: ['title', 'type'], properties: propertyWords },
  },
}

const propertyDefinitions = {
  ...numbers,
  stringArray: { ...texts, minItems: 1, uniqueItems: true },
}

const link = { readOnly: true, ...text }
const time = (description: string) => ({ ...text, readOnly: true, description, format: 'date-time' })
const times = (what: string) => ({
  created_at: time(`When ${what} was created.`),
  updated_at: time(`When ${what} was last changed.`),
})

export const namespaceSchema: ServedSchema = {
  name: 'namespace',
  properties: {
    namespace: { ...name, description: 'The unique name of the namespace.' },
    display_name: { ...name, description: 'The name that user interfaces show.' },
    description: { ...text, description: 'What the namespace is for.', maxLength: 500 },
    visibility: { ...text, description: 'Who can see it.', enum: ['public', 'private'] },
    protected: { type: 'boolean', description: 'While true, nothing in it can be deleted.' },
    owner: { ...text, description: 'The project it belongs to.', maxLength: 255 },
    ...times('the namespace'),
    schema: link,
    self: link,
    resource_type_associations: {
      type: 'array',
      items: { type: 'object', properties: { name: text, prefix: text, properties_target: text } },
    },
    properties: ref('property'),
    objects: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: text,
          description: text,
          required: ref('stringArray'),
          properties: ref('property'),
        },
      },
    },
    tags: { type: 'array', items: { type: 'object', properties: { name: text } } },
  },
  additionalProperties: false,
  definitions,
  required: ['namespace'],
}

export const propertySchema: ServedSchema = {
  name: 'property',
  properties: propertyWords,
  additionalProperties: false,
  definitions: propertyDefinitions,
  required: ['type', 'title', 'name'],
}

/** A property whose name is its key. */
export const namelessPropertySchema: ServedSchema = { ...propertySchema, required: ['type', 'title'] }

export const objectSchema: ServedSchema = {
  name: 'object',
  properties: {
    name,
    description: text,
    required: ref('stringArray'),
    properties: ref('property'),
    schema: link,
    self: link,
    ...times('the object'),
  },
  // Glance's schema lacks this property, and its client refuses answers with properties that the schema lacks.
  patternProperties: { '^namespace$': { ...name, description: 'The namespace that the object is in.' } },
  additionalProperties: false,
  definitions,
  required: ['name'],
}

export const tagSchema: ServedSchema = {
  name: 'tag',
  properties: { name, ...times('the tag') },
  additionalProperties: false,
  required: ['name'],
}

export const associationSchema: ServedSchema = {
  name: 'resource_type_association',
  properties: {
    name: { ...name, description: 'The type of resource, as orchestration calls it: OS::Nova::Flavor.' },
    prefix: {
      ...name,
      description: 'The prefix of property names on such a resource, with its separator.',
    },
    properties_target: {
      ...name,
      description: 'Which metadata of the resource the properties belong to, if it has several kinds.',
    },
    ...times('the association'),
  },
  additionalProperties: false,
  required: ['name'],
}

/** A page of a list, with its links. */
function listOf(list: string, holding: (item: Document) => Document, item: ServedSchema): ServedSchema {
  const { definitions: shared, ...each } = item
  return {
    name: list,
    properties: { [list]: holding(each), first: text, next: text, schema: text },
    links: [
      { rel: 'first', href: '{first}' },
      { rel: 'next', href: '{next}' },
      { rel: 'describedby', href: '{schema}' },
    ],
    ...(shared === undefined ? {} : { definitions: shared }),
  }
}

const inArray = (items: Document): Document => ({ type: 'array', items })
const byName = (each: Document): Document => ({ type: 'object', additionalProperties: each })

/** By the last part of the path. */
export const servedSchemas: Readonly<Record<string, ServedSchema>> = {
  namespace: namespaceSchema,
  namespaces: listOf('namespaces', inArray, namespaceSchema),
  resource_type: associationSchema,
  resource_types: listOf('resource_type_associations', inArray, associationSchema),
  property: propertySchema,
  properties: listOf('properties', byName, namelessPropertySchema),
  object: objectSchema,
  objects: listOf('objects', inArray, objectSchema),
  tag: tagSchema,
  tags: listOf('tags', inArray, tagSchema),
}
