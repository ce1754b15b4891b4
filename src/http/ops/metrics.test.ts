import { expect, test } from 'vitest'
import { HttpMetrics, Registry } from './metrics.ts'

test('a counter has HELP, TYPE, and one line per combination of labels', () => {
  const registry = new Registry()
  const claims = registry.counter('claims_total', 'Claims\nmade \\ tried.', ['outcome'])
  claims.add(['won'])
  claims.add(['won'], 2)
  claims.add(['lost'])
  expect(registry.render()).toBe(
    '# HELP claims_total Claims\\nmade \\\\ tried.\n# TYPE claims_total counter\n' +
      'claims_total{outcome="won"} 3\nclaims_total{outcome="lost"} 1\n',
  )
})

test('a counter without labels shows zero before it is used', () => {
  const registry = new Registry()
  registry.counter('nothing_total', 'Nothing.')
  expect(registry.render()).toContain('\nnothing_total 0\n')
})

test('label values are escaped', () => {
  const registry = new Registry()
  registry.counter('odd_total', 'Odd.', ['what']).add(['a"b\\c\nd'])
  expect(registry.render()).toContain('odd_total{what="a\\"b\\\\c\\nd"} 1')
})

test('a gauge is read when scraped, with or without labels', () => {
  const registry = new Registry()
  let value = 1
  registry.gauge('depth', 'Depth.', () => value)
  registry.gauge('sizes', 'Sizes.', () => [{ labels: ['x'], value: Number.POSITIVE_INFINITY }], ['kind'])
  value = 2.5
  expect(registry.render()).toContain('\ndepth 2.5\n')
  expect(registry.render()).toContain('\nsizes{kind="x"} +Inf\n')
})

test('histogram buckets are cumulative, end in +Inf, and an upper bound belongs to its bucket', () => {
  const registry = new Registry()
  const times = registry.histogram('times', 'Times.', ['what'], [0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 7]) times.observe(['x'], value)
  expect(registry.render().split('\n').slice(2, -1)).toEqual([
    'times_bucket{what="x",le="0.1"} 2',
    'times_bucket{what="x",le="1"} 3',
    'times_bucket{what="x",le="+Inf"} 4',
    'times_sum{what="x"} 7.65',
    'times_count{what="x"} 4',
  ])
})

test('a name twice, a bad name, and a wrong number of labels are bugs', () => {
  const registry = new Registry()
  const counter = registry.counter('a_total', 'A.', ['x'])
  expect(() => registry.counter('a_total', 'A.')).toThrow('twice')
  expect(() => registry.counter('a-total', 'A.')).toThrow('metric name')
  expect(() => registry.counter('b_total', 'B.', ['9x'])).toThrow('label name')
  expect(() => counter.add(['1', '2'])).toThrow('got 2 values')
})

test('HTTP metrics count answers by service, method, route and status, and requests in flight', () => {
  const registry = new Registry()
  const http = new HttpMetrics(registry)
  http.countStart()
  http.countStart()
  http.countEnd('placement', 'GET', '/traits', 200, 0.003)
  const text = registry.render()
  expect(text).toContain(
    'berth_http_requests_total{service="placement",method="GET",route="/traits",status="200"} 1',
  )
  expect(text).toContain(
    'berth_http_request_seconds_bucket{service="placement",route="/traits",le="0.005"} 1',
  )
  expect(text).toContain('berth_http_requests_in_flight 1')
})
