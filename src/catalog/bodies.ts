import { ApiError } from '../http/api.ts'
import { parseJson } from '../http/formats/json-body.ts'
import { parseExactly } from '../kernel/exact-json.ts'
import type { Json } from '../kernel/json.ts'
import type { AssociationFields, Content, ObjectFields, PropertyFields } from './fields.ts'
import { associationOf, attributesOf, contentOf, objectOf, propertyOf } from './reading.ts'
import {
  associationFault,
  type Fault,
  namespaceFault,
  objectFault,
  propertyFault,
  tagFault,
  tagsFault,
} from './schemas/faults.schemas.ts'

/** Parses request bodies. Errors in a body come before checks of rights and existence, as in Glance. */

const TIMES = ['created_at', 'updated_at']
const LINKS_AND_TIMES = ['self', 'schema', ...TIMES]

function read(body: Buffer, readOnly: readonly string[], faultIn: (value: unknown) => Fault): Json {
  if (body.length === 0) throw new ApiError(400, 'Body expected in request.')
  const { value, text } = parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError(400, 'The body must be a JSON object.')
  const forbidden = readOnly.find(key => Object.hasOwn(value, key))
  if (forbidden !== undefined) throw new ApiError(403, `Attribute '${forbidden}' is read-only.`)
  const fault = faultIn(value)
  if (fault !== null) throw new ApiError(400, fault)
  return parseExactly(text) as Json
}

export interface NamespaceBody {
  readonly namespace: string
  readonly attributes: ReturnType<typeof attributesOf>
  readonly content: Content
}

export function namespaceBody(body: Buffer): NamespaceBody {
  const value = read(body, LINKS_AND_TIMES, namespaceFault)
  return { namespace: value.namespace as string, attributes: attributesOf(value), content: contentOf(value) }
}

export function propertyBody(body: Buffer): PropertyFields {
  return propertyOf(read(body, TIMES, propertyFault))
}

/** Of an object in `namespace`, which the body may name too. */
export function objectBody(body: Buffer, namespace: string): ObjectFields {
  return objectOf(read(body, LINKS_AND_TIMES, value => objectFault(value, namespace)))
}

export function tagBody(body: Buffer): string {
  return read(body, TIMES, tagFault).name as string
}

export function tagsBody(body: Buffer): string[] {
  const { tags } = read(body, TIMES, tagsFault)
  return (tags as { name: string }[]).map(tag => tag.name)
}

export function associationBody(body: Buffer): AssociationFields {
  return associationOf(read(body, TIMES, associationFault))
}
