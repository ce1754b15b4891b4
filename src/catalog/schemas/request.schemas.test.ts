import { expect, test } from 'vitest'
import { findFirstFault } from '../../http/formats/json-schema.ts'
import { associationBody, namespaceBody, objectBody, propertyBody, tagBody, tagsBody } from '../bodies.ts'
import {
  associationRequest,
  namespaceRequest,
  objectRequest,
  propertyRequest,
  tagRequest,
  tagsRequest,
} from './request.schemas.ts'

const kinds = {
  namespace: { schema: namespaceRequest, parse: namespaceBody },
  property: { schema: propertyRequest, parse: propertyBody },
  object: { schema: objectRequest, parse: (body: Buffer) => objectBody(body, 'n') },
  tag: { schema: tagRequest, parse: tagBody },
  tags: { schema: tagsRequest, parse: tagsBody },
  association: { schema: associationRequest, parse: associationBody },
}

type Case = readonly [keyof typeof kinds, unknown]

const titled = { title: 'T', type: 'string' }
const untitled = { type: 'string' }
const time = '2026-01-01T00:00:00Z'
const long = 'x'.repeat(81)

const accepted: Case[] = [
  ['namespace', { namespace: 'n' }],
  ['namespace', { namespace: 'n', owner: '', visibility: 'public', protected: true }],
  ['namespace', { namespace: 'n', properties: { p: titled } }],
  ['namespace', { namespace: 'n', objects: [{ name: 'o', namespace: 'n', self: '/', schema: '/' }] }],
  ['namespace', { namespace: 'n', objects: [{ name: 'o', properties: { p: untitled } }] }],
  ['namespace', { namespace: 'n', tags: [{ name: 't', created_at: time }] }],
  ['namespace', { namespace: 'n', resource_type_associations: [{ name: 'r', updated_at: time }] }],
  ['property', { name: 'p', ...titled, operators: ['<in>'], minimum: 0.5, default: { any: [1] } }],
  ['object', { name: 'o', required: [], properties: { p: untitled } }],
  ['object', { name: 'o', namespace: 'n', properties: { p: { ...untitled, required: ['a'] } } }],
  ['tag', { name: 't' }],
  ['tags', { tags: [] }],
  ['association', { name: 'r', prefix: '', properties_target: 'image' }],
]

const refused: Case[] = [
  ['namespace', {}],
  ['namespace', { namespace: '' }],
  ['namespace', { namespace: long }],
  ['namespace', { namespace: 'n', created_at: time }],
  ['namespace', { namespace: 'n', self: '/' }],
  ['namespace', { namespace: 'n', visibility: 'shared' }],
  ['namespace', { namespace: 'n', other: 1 }],
  ['namespace', { namespace: 'n', properties: { p: untitled } }],
  ['namespace', { namespace: 'n', properties: { p: { ...titled, other: 1 } } }],
  ['namespace', { namespace: 'n', objects: [{ name: 'o', properties: { p: { title: 'T' } } }] }],
  ['namespace', { namespace: 'n', objects: [{ name: '' }] }],
  ['namespace', { namespace: 'n', tags: [{}] }],
  ['namespace', { namespace: 'n', tags: [{ name: 't', other: 1 }] }],
  ['namespace', { namespace: 'n', resource_type_associations: [{ name: 'r', prefix: long }] }],
  ['property', titled],
  ['property', { name: 'p', ...titled, required: [] }],
  ['property', { name: 'p', ...titled, created_at: time }],
  ['object', { name: 'o', schema: '/' }],
  ['object', { name: 'o', required: ['a', 'a'] }],
  ['object', { name: 'o', properties: { p: { ...untitled, required: [] } } }],
  ['object', { name: 'o', properties: { p: { ...untitled, other: 1 } } }],
  ['tag', { name: 't', updated_at: time }],
  ['tags', { tags: [{ name: 't', created_at: time }] }],
  ['tags', { tags: [{ name: '' }] }],
  ['association', { name: 'r', prefix: null }],
  ['association', { name: 'r', created_at: time }],
]

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

test.each(accepted)('the parser takes this %s, and so does the schema: %j', (kind, value) => {
  expect(() => kinds[kind].parse(bytesOf(value))).not.toThrow()
  expect(findFirstFault(kinds[kind].schema, value)).toBeNull()
})

test.each(refused)('the parser refuses this %s, and so does the schema: %j', (kind, value) => {
  expect(() => kinds[kind].parse(bytesOf(value))).toThrow()
  expect(findFirstFault(kinds[kind].schema, value)).not.toBeNull()
})
