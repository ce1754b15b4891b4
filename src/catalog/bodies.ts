import { ApiError } from '../http/api.ts'
import { parseJson } from '../http/formats/json-body.ts'
import { parseExactly } from '../kernel/exact-json.ts'
import type { Json } from '../kernel/json.ts'
import type { AssociationFields, Content, ObjectFields, PropertyFields } from './fields.ts'
import { readAssociation, readAttributes, readContent, readObject, readProperty } from './reading.ts'
import {
  type BodyFault,
  findAssociationFault,
  findNamespaceFault,
  findObjectFault,
  findPropertyFault,
  findTagFault,
  findTagsFault,
} from './schemas/faults.schemas.ts'

/** Parses request bodies. Errors in a body come before checks of rights and existence, as in Glance. */

const TIMES = ['created_at', 'updated_at']
const LINKS_AND_TIMES = ['self', 'schema', ...TIMES]

function read(body: Buffer, readOnly: readonly string[], faultIn: (value: unknown) => BodyFault): Json {
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
  readonly attributes: ReturnType<typeof readAttributes>
  readonly content: Content
}

export function namespaceBody(body: Buffer): NamespaceBody {
  const value = read(body, LINKS_AND_TIMES, findNamespaceFault)
  return {
    namespace: value.namespace as string,
    attributes: readAttributes(value),
    content: readContent(value),
  }
}

export function propertyBody(body: Buffer): PropertyFields {
  return readProperty(read(body, TIMES, findPropertyFault))
}

/** Of an object in `namespace`, which the body may name too. */
export function objectBody(body: Buffer, namespace: string): ObjectFields {
  return readObject(read(body, LINKS_AND_TIMES, value => findObjectFault(value, namespace)))
}

export function tagBody(body: Buffer): string {
  return read(body, TIMES, findTagFault).name as string
}

export function tagsBody(body: Buffer): string[] {
  const { tags } = read(body, TIMES, findTagsFault)
  return (tags as { name: string }[]).map(tag => tag.name)
}

export function associationBody(body: Buffer): AssociationFields {
  return readAssociation(read(body, TIMES, findAssociationFault))
}
