import { expect, test } from 'vitest'
import { RequestShapes, roundedCount } from './request-shapes.ts'

const row = (request: string) => ({ consumer_id: 1, name: null, decision: 'd', request, applied_by: null })
const requestOf = (flavor: string, image: string | null) =>
  JSON.stringify({ flavor: { name: flavor }, groups: null, group_policy: null, image })

test('servers of one flavor have one shape, whatever their image', () => {
  const shapes = new RequestShapes()
  shapes.put(null, row(requestOf('small', null)))
  shapes.put(null, row(requestOf('small', 'cirros')))
  shapes.put(null, row(requestOf('large', null)))
  expect(shapes.list().map(({ servers }) => servers)).toEqual([2, 1])
})

test('a shape is forgotten with its last server, and a change moves a server', () => {
  const shapes = new RequestShapes()
  const [small, large] = [row(requestOf('small', null)), row(requestOf('large', null))]
  shapes.put(null, small)
  shapes.put(small, large)
  expect(shapes.list()).toEqual([{ request: large.request, servers: 1 }])
  shapes.put(large, null)
  expect(shapes.list()).toEqual([])
})

test('the version is raised only when a rounded count changes', () => {
  const shapes = new RequestShapes()
  for (let nth = 0; nth < 64; nth++) shapes.put(null, row(requestOf('small', null)))
  const { version } = shapes
  for (let nth = 0; nth < 20; nth++) shapes.put(null, row(requestOf('small', null)))
  expect(shapes.version).toBe(version)
  for (let nth = 0; nth < 20; nth++) shapes.put(null, row(requestOf('small', null)))
  expect(shapes.version).toBe(version + 1)
})

test.each([
  [0, 0],
  [1, 1],
  [2, 2],
  [5, 4],
  [6, 8],
  [100, 128],
])('%i servers count as %i', (servers, rounded) => {
  expect(roundedCount(servers)).toBe(rounded)
})

test('the servers of all shapes are counted', () => {
  const shapes = new RequestShapes()
  const [small, large] = [row(requestOf('small', null)), row(requestOf('large', null))]
  shapes.put(null, small)
  shapes.put(null, large)
  shapes.put(small, large)
  shapes.put(large, null)
  expect(shapes.servers).toBe(1)
})
