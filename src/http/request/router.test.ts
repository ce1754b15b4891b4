import { expect, test } from 'vitest'
import { noContent, type Route } from '../api.ts'
import { Router } from './router.ts'

interface Features {
  early: boolean
  late: boolean
}
const route = (method: Route<Features>['method'], path: string, more: Partial<Route<Features>> = {}) => ({
  method,
  path,
  operation: null,
  handle: () => noContent,
  ...more,
})

const router = new Router<Features>([
  route('GET', '/'),
  route('GET', '/things'),
  route('POST', '/things'),
  route('GET', '/things/special'),
  route('GET', '/things/{id}'),
  route('PUT', '/things/{id}', { until: 'late' }),
  route('PUT', '/things/{id}', { since: 'late' }),
  route('DELETE', '/things/{id}', { since: 'late', gateStatus: 405 }),
  route('GET', '/things/{id}/parts/{part}'),
  route('GET', '/things/special/only'),
])

const OLD = { early: true, late: false }
const NEW = { early: true, late: true }

const params = (path: string) => {
  const found = router.find('GET', path, NEW)
  return found.kind === 'route' ? found.params : found.kind
}

test('the root is found by both of its names', () => {
  expect(router.find('GET', '', NEW).kind).toBe('route')
  expect(router.find('GET', '/', NEW).kind).toBe('route')
})

test('params are found by name and percent-decoded; an escaped slash stays in its segment', () => {
  expect(params('/things/a/parts/b')).toEqual({ id: 'a', part: 'b' })
  expect(params('/things/%E2%98%83')).toEqual({ id: '☃' })
  expect(params('/things/a%2Fb')).toEqual({ id: 'a/b' })
  expect(params('/%74hings/x')).toEqual({ id: 'x' })
})

test('a fixed segment wins over a variable one, but does not hide what lies below the variable', () => {
  expect(params('/things/special')).toEqual({})
  expect(params('/things/special/parts/b')).toEqual({ id: 'special', part: 'b' })
})

test('a segment may have 64 KiB', () => {
  const long = 'x'.repeat(65_536)
  expect(params(`/things/${long}`)).toEqual({ id: long })
})

test('no path: unknown, trailing or double slashes, undecodable escapes, no leading slash', () => {
  for (const path of [
    '/pony',
    '/things/',
    '//',
    '/things//parts/b',
    '/things/%ff',
    '*',
    'things',
    '/things/a/b/c',
  ])
    expect(params(path), path).toBe('no-path')
})

test('a known path with another method lists what is allowed, in the order of declaration', () => {
  expect(router.find('DELETE', '/things', NEW)).toEqual({
    kind: 'no-method',
    path: '/things',
    status: 405,
    allow: 'GET, POST',
  })
  expect(router.find('HEAD', '/things', NEW).kind).toBe('no-method')
})

test('of routes that share method and path the version picks one', () => {
  expect(router.find('PUT', '/things/a', OLD)).toMatchObject({ kind: 'route', route: { until: 'late' } })
  expect(router.find('PUT', '/things/a', NEW)).toMatchObject({ kind: 'route', route: { since: 'late' } })
  expect(router.find('PATCH', '/things/a', OLD)).toMatchObject({ allow: 'GET, PUT, DELETE' })
})

test('a route of another version says its status, and which methods this one has', () => {
  expect(router.find('DELETE', '/things/a', OLD)).toEqual({
    kind: 'not-in-version',
    path: '/things/{id}',
    status: 405,
    allow: 'GET, PUT',
  })
})

test('one path declared under two names is a bug', () => {
  expect(() => new Router<Features>([route('GET', '/a/{x}'), route('PUT', '/a/{y}')])).toThrow('same path')
})
