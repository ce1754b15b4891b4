import { expect, test } from 'vitest'
import { Cors } from './cors.ts'

const cors = new Cors({ allowedOrigins: ['http://valid.example.com'] })
const preflight = (headers: Record<string, string>) => asObject(cors.preflightHeaders(headers))

function asObject(flat: readonly string[]): Record<string, string> {
  const result: Record<string, string> = {}
  for (let at = 0; at < flat.length; at += 2) result[flat[at] as string] = flat[at + 1] as string
  return result
}

const good = {
  origin: 'http://valid.example.com',
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'OpenStack-API-Version, x-auth-token',
}

test('a preflight of an allowed origin gets the headers it requested', () => {
  expect(preflight(good)).toEqual({
    'access-control-allow-origin': 'http://valid.example.com',
    'access-control-allow-credentials': 'true',
    'access-control-max-age': '3600',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'OpenStack-API-Version,x-auth-token',
  })
})

test('a preflight of another origin, method or header gets no CORS headers', () => {
  expect(preflight({ ...good, origin: 'http://invalid.example.com' })).toEqual({})
  expect(preflight({ ...good, 'access-control-request-method': 'PONY' })).toEqual({})
  expect(preflight({ ...good, 'access-control-request-headers': 'x-pony' })).toEqual({})
  expect(preflight({ origin: good.origin })).toEqual({})
  expect(preflight({})).toEqual({})
})

test('an answer to an allowed origin may be read by it, with the headers of the API', () => {
  expect(asObject(cors.answerHeaders({ origin: good.origin }))).toEqual({
    'access-control-allow-origin': 'http://valid.example.com',
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers':
      'berth-search-exhausted,idempotent-replay,location,openstack-api-version,retry-after,x-openstack-request-id,x-subject-token',
  })
  expect(cors.answerHeaders({ origin: 'http://invalid.example.com' })).toEqual([])
  expect(cors.answerHeaders({})).toEqual([])
})

test('the wildcard allows every origin, without credentials', () => {
  const open = new Cors({ allowedOrigins: ['*'], exposeHeaders: [] })
  expect(asObject(open.answerHeaders({ origin: 'http://x' }))).toEqual({ 'access-control-allow-origin': '*' })
})
