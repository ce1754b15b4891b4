import { expect, test } from 'vitest'
import { requestOf } from './evaluate-filter.ts'
import { WatchedRequest } from './watched-request.ts'

const request = requestOf({ project: 'p', instance: 'i', zone: 'z' })

test('what is read of the caller is noted, and is that of the caller of the moment', () => {
  const watched = new WatchedRequest(request)
  expect([watched.request.zone, watched.request.flavor]).toEqual(['z', request.flavor])
  expect([...watched.read]).toEqual([])
  watched.caller = { ...request, project: 'q' }
  expect(watched.request.project).toBe('q')
  expect([...watched.read]).toEqual(['project'])
})

test('a filter that copies the request has read all of the caller', () => {
  const watched = new WatchedRequest(request)
  expect({ ...watched.request }).toEqual(request)
  expect(watched.read).toEqual(new Set(['project', 'user', 'instance']))
})

test('a field that no kind of request names counts as the caller’s', () => {
  const watched = new WatchedRequest(Object.assign({ atMs: 5 }, request))
  expect(Reflect.get(watched.request, 'atMs')).toBe(5)
  expect([...watched.read]).toEqual(['atMs'])
})
