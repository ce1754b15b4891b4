import { findFirstFault, type Schema } from '../../http/formats/json-schema.ts'
import { isNestedAtMost } from '../../kernel/exact-json.ts'
import type { Json } from '../../kernel/json.ts'
import { toCheckable } from './checkable.schemas.ts'
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

/** What is wrong with a body, in one sentence; null if nothing is. */
export type BodyFault = string | null

const DEPTH_MAX = 64

/** Bodies are checked with these first. */
export const checkedSchemas = {
  namespace: toCheckable(namespaceSchema),
  property: toCheckable(propertySchema),
  'inner property': toCheckable(namelessPropertySchema),
  object: toCheckable(objectWithoutTitles()),
  tag: toCheckable(tagSchema),
  association: toCheckable(associationSchema),
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

/** A property in an object needs no title: its name is the default. An object may name its namespace. */
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

function findFault(kind: keyof typeof checkedSchemas, value: unknown, where = ''): BodyFault {
  const found = findFirstFault(checkedSchemas[kind], value)
  if (found === null) return null
  const path = [where, found.path].filter(part => part !== '').join('.')
  return `The body does not fit the ${kind} schema: ${path === '' ? '' : `${path}: `}${found.message}`
}

function findFirst(checks: Iterable<() => BodyFault>): BodyFault {
  for (const check of checks) {
    const found = check()
    if (found !== null) return found
  }
  return null
}

const NAME_CHARS_MAX = 80

/**
 * Names that a path cannot contain: empty, `.` and `..`. And names that a body cannot: an object with such a name could
 * not be exported and imported again.
 */
export function findNameFault(what: string, name: string): BodyFault {
  if (name.includes('\0')) return `The name of a ${what} cannot have the character U+0000`
  if (name === '' || name === '.' || name === '..')
    return `${JSON.stringify(name)} cannot be the name of a ${what}: a URL cannot contain it`
  if (name.length > NAME_CHARS_MAX && [...name].length > NAME_CHARS_MAX)
    return `The name of a ${what} may have at most ${NAME_CHARS_MAX} characters`
  return null
}

const findDepthFault = (value: unknown): BodyFault =>
  isNestedAtMost(value, DEPTH_MAX) ? null : `The body is nested deeper than ${DEPTH_MAX} levels`

const nameOf = (value: unknown) => (value as { name: string }).name

export function findNamespaceFault(value: unknown): BodyFault {
  return findFirst([
    () => findDepthFault(value),
    () => findFault('namespace', removeObjectProperties(value)),
    () => findNameFault('namespace', (value as { namespace: string }).namespace),
    () => findContentFault(value as Json),
  ])
}

/** The schema of a namespace requires a title of every property; in objects it is optional here. */
function removeObjectProperties(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Array.isArray((value as Json).objects)) return value
  return { ...value, objects: ((value as Json).objects as unknown[]).map(one => emptyProperties(one)) }
}

function emptyProperties(object: unknown): unknown {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object
  const { properties: _, ...rest } = object as Json
  return rest
}

/** Checks each part with its own schema. */
function findContentFault(value: Json): BodyFault {
  const { namespace, properties = {}, objects = [], tags = [], resource_type_associations = [] } = value
  const checks: (() => BodyFault)[] = [
    ...Object.entries(properties as Json).flatMap(([name, one]) => [
      () => findNameFault('property', name),
      () => findFault('inner property', one, `properties.${name}`),
    ]),
    ...(objects as unknown[]).map(
      (one, at) => () => findObjectFault(one, namespace as string, `objects.${at}`),
    ),
    ...(tags as unknown[]).map((one, at) => () => findTagFault(one, `tags.${at}`)),
    ...(resource_type_associations as unknown[]).map(
      (one, at) => () => findAssociationFault(one, `resource_type_associations.${at}`),
    ),
  ]
  return findFirst(checks)
}

export function findPropertyFault(value: unknown): BodyFault {
  return findFirst([
    () => findDepthFault(value),
    () => findFault('property', value),
    () => findNameFault('property', nameOf(value)),
  ])
}

/** For an object in `namespace`. */
export function findObjectFault(value: unknown, namespace: string, where = ''): BodyFault {
  return findFirst([
    () => findDepthFault(value),
    () => findFault('object', value, where),
    () => findNameFault('object', nameOf(value)),
    () => findNamespaceMismatch(value as Json, namespace, where),
    () => findInnerFault((value as { properties?: Json }).properties ?? {}, where),
  ])
}

function findNamespaceMismatch(
  { namespace: given, name }: Json,
  namespace: string,
  where: string,
): BodyFault {
  if (given === undefined || given === namespace) return null
  const place = where === '' ? 'namespace' : `${where}.namespace`
  return `${place}: object ${JSON.stringify(name)} has ${JSON.stringify(given)}, but is in namespace ${JSON.stringify(namespace)}`
}

/** Checks the properties of an object as if they had titles. */
function findInnerFault(properties: Json, where: string): BodyFault {
  const place = where === '' ? 'properties' : `${where}.properties`
  return findFirst(
    Object.entries(properties).map(
      ([name, one]) =>
        () =>
          findFault('inner property', { title: name, ...(one as Json) }, `${place}.${name}`),
    ),
  )
}

export function findTagFault(value: unknown, where = ''): BodyFault {
  return findFirst([() => findFault('tag', value, where), () => findNameFault('tag', nameOf(value))])
}

export function findTagsFault(value: unknown): BodyFault {
  return findFirst([
    () => findFault('tags', value),
    () => findFirst((value as { tags: unknown[] }).tags.map(one => () => findNameFault('tag', nameOf(one)))),
  ])
}

export function findAssociationFault(value: unknown, where = ''): BodyFault {
  return findFirst([
    () => findFault('association', value, where),
    () => findNameFault('resource type', nameOf(value)),
  ])
}
