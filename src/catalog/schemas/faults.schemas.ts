import { firstFault, type Schema } from '../../http/formats/json-schema.ts'
import { isNestedAtMost } from '../../kernel/exact-json.ts'
import type { Json } from '../../kernel/json.ts'
import { checkable } from './checkable.schemas.ts'
import {
  associationSchema,
  type Document,
  namelessPropertySchema,
  namespaceSchema,
  objectSchema,
  propertySchema,
  type ServedSchema,
  tagSchema,
} from './documents.ts'

/** What is wrong with a body, in one sentence; null when nothing is. */
export type Fault = string | null

const DEPTH_MAX = 64

const schemas = {
  namespace: checkable(namespaceSchema),
  property: checkable(propertySchema),
  'inner property': checkable(namelessPropertySchema),
  object: checkable(objectWithoutTitles()),
  tag: checkable(tagSchema),
  association: checkable(associationSchema),
  tags: {
    type: 'object',
    properties: {
      tags: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string', maxLength: 80 } },
          required: ['name'],
          additionalProperties: false,
        },
      },
    },
    required: ['tags'],
    additionalProperties: false,
  },
} as const satisfies Record<string, Schema>

/** A property in an object may do without a title: it then has its name for one. An object may name its namespace. */
function objectWithoutTitles(): ServedSchema {
  const { patternProperties, ...schema } = objectSchema
  const definitions = objectSchema.definitions as Record<string, { additionalProperties: Document }>
  const each = { ...definitions.property?.additionalProperties, required: ['type'] }
  return {
    ...schema,
    properties: { ...objectSchema.properties, namespace: propertySchema.properties.name as Document },
    definitions: { ...definitions, property: { type: 'object', additionalProperties: each } },
  }
}

function fault(kind: keyof typeof schemas, value: unknown, where = ''): Fault {
  const found = firstFault(schemas[kind], value)
  if (found === null) return null
  const path = [where, found.path].filter(part => part !== '').join('.')
  return `The body does not fit the ${kind} schema: ${path === '' ? '' : `${path}: `}${found.message}`
}

/** The first fault of several checks. */
function firstOf(checks: Iterable<() => Fault>): Fault {
  for (const check of checks) {
    const found = check()
    if (found !== null) return found
  }
  return null
}

const NAME_CHARS_MAX = 80

/**
 * What addresses cannot have: nothing, a dot and two dots, which clients take for a place in a path. And what an
 * address can have and no body: a name that came that way could not be exported and imported again.
 */
export function nameFault(what: string, name: string): Fault {
  if (name.includes('\0')) return `The name of a ${what} cannot have the character U+0000`
  if (name === '' || name === '.' || name === '..')
    return `${JSON.stringify(name)} cannot be the name of a ${what}: no address could have it`
  if (name.length > NAME_CHARS_MAX && [...name].length > NAME_CHARS_MAX)
    return `The name of a ${what} may have at most ${NAME_CHARS_MAX} characters`
  return null
}

const depthFault = (value: unknown): Fault =>
  isNestedAtMost(value, DEPTH_MAX) ? null : `The body is nested deeper than ${DEPTH_MAX} levels`

const nameOf = (value: unknown) => (value as { name: string }).name

export function namespaceFault(value: unknown): Fault {
  return firstOf([
    () => depthFault(value),
    () => fault('namespace', withoutTitles(value)),
    () => nameFault('namespace', (value as { namespace: string }).namespace),
    () => contentFault(value as Json),
  ])
}

/** The schema of a namespace wants a title of every property; for those in objects we do not. */
function withoutTitles(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Array.isArray((value as Json).objects)) return value
  return { ...value, objects: ((value as Json).objects as unknown[]).map(one => shallow(one)) }
}

function shallow(object: unknown): unknown {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object
  const { properties: _, ...rest } = object as Json
  return rest
}

/** A namespace says little about what is in it; each part has a schema of its own that says the rest. */
function contentFault(value: Json): Fault {
  const { namespace, properties = {}, objects = [], tags = [], resource_type_associations = [] } = value
  const checks: (() => Fault)[] = [
    ...Object.entries(properties as Json).flatMap(([name, one]) => [
      () => nameFault('property', name),
      () => fault('inner property', one, `properties.${name}`),
    ]),
    ...(objects as unknown[]).map((one, at) => () => objectFault(one, namespace as string, `objects.${at}`)),
    ...(tags as unknown[]).map((one, at) => () => tagFault(one, `tags.${at}`)),
    ...(resource_type_associations as unknown[]).map(
      (one, at) => () => associationFault(one, `resource_type_associations.${at}`),
    ),
  ]
  return firstOf(checks)
}

export function propertyFault(value: unknown): Fault {
  return firstOf([
    () => depthFault(value),
    () => fault('property', value),
    () => nameFault('property', nameOf(value)),
  ])
}

/** Of an object that is to be in `namespace`. */
export function objectFault(value: unknown, namespace: string, where = ''): Fault {
  return firstOf([
    () => depthFault(value),
    () => fault('object', value, where),
    () => nameFault('object', nameOf(value)),
    () => otherNamespaceFault(value as Json, namespace, where),
    () => innerFault((value as { properties?: Json }).properties ?? {}, where),
  ])
}

function otherNamespaceFault({ namespace: given, name }: Json, namespace: string, where: string): Fault {
  if (given === undefined || given === namespace) return null
  const place = where === '' ? 'namespace' : `${where}.namespace`
  return `${place}: object ${JSON.stringify(name)} says ${JSON.stringify(given)}, and the namespace is ${JSON.stringify(namespace)}`
}

/** Properties of an object are checked like any other, as if they had a title. */
function innerFault(properties: Json, where: string): Fault {
  const place = where === '' ? 'properties' : `${where}.properties`
  return firstOf(
    Object.entries(properties).map(
      ([name, one]) =>
        () =>
          fault('inner property', { title: name, ...(one as Json) }, `${place}.${name}`),
    ),
  )
}

export function tagFault(value: unknown, where = ''): Fault {
  return firstOf([() => fault('tag', value, where), () => nameFault('tag', nameOf(value))])
}

export function tagsFault(value: unknown): Fault {
  return firstOf([
    () => fault('tags', value),
    () => firstOf((value as { tags: unknown[] }).tags.map(one => () => nameFault('tag', nameOf(one)))),
  ])
}

export function associationFault(value: unknown, where = ''): Fault {
  return firstOf([() => fault('association', value, where), () => nameFault('resource type', nameOf(value))])
}
