import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Berth, uuid } from '../../test/running-berth.ts'
import { type CollectedSpan, Collector, decodeOtlp } from '../http/tracing/collector.fixture.ts'
import { FakeKeystone } from '../identity/keystone/fake-keystone.fixture.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const TRACED = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'other=1' }

let collector: Collector
let berth: Berth

beforeAll(async () => {
  collector = await Collector.start()
  berth = await Berth.start({
    otlp_endpoint: collector.url,
    otlp_headers: ['api-key=a%20b'],
    traces_delay_ms: 1,
    traces_resource_attributes: ['deployment.environment=test'],
  })
})

afterAll(async () => {
  await berth.end()
  await collector.stop()
  expect(collector.faults).toEqual([])
})

/** Sends a request in its own trace, and waits for all its spans: that of the request ends last. */
async function trace(
  ask: (headers: Record<string, string>) => Promise<unknown>,
): Promise<Map<string, CollectedSpan>> {
  const traceId = randomBytes(16).toString('hex')
  await ask({ traceparent: `00-${traceId}-${SPAN}-01`, tracestate: 'other=1' })
  const found = () => collector.spans.filter(span => span.traceId === traceId)
  await vi.waitFor(() => expect(found().some(({ kind }) => kind === 2)).toBe(true))
  return new Map(found().map(span => [span.name, span]))
}

test('a request is a span of its caller’s trace, with route, status and microversion; the answer and the log name it', async () => {
  let answer: Awaited<ReturnType<Berth['ask']>> | undefined
  const spans = await trace(async headers => {
    answer = await berth.ask('GET', '/traits?name=startswith:HW', { minor: 39, headers })
  })
  const span = spans.get('GET placement /traits')
  expect(span).toMatchObject({
    parentSpanId: SPAN,
    traceState: 'other=1',
    kind: 2,
    error: null,
  })
  expect(Object.fromEntries(span!.attributes)).toMatchObject({
    'http.request.method': 'GET',
    'http.route': '/traits',
    'url.path': '/placement/traits',
    'http.response.status_code': 200n,
    'openstack.api_version': '1.39',
    'openstack.request_id': answer!.headers.get('x-openstack-request-id'),
    'enduser.id': 'admin',
  })
  expect(answer!.headers.get('traceresponse')).toBe(`00-${span!.traceId}-${span!.spanId}-01`)
  expect(berth.logLines.some(line => line.includes(`"trace_id":"${span!.traceId}"`))).toBe(true)
  expect(span!.resource.get('service.name')).toBe('berth')
  expect(span!.resource.get('deployment.environment')).toBe('test')
  expect(collector.requests[0]?.headers['api-key']).toBe('a b')
  expect(spans.get('token check')?.parentSpanId).toBe(span!.spanId)
})

test('a write has its wait, the lock, the rule and the commit as children, one after the other', async () => {
  const spans = await trace(headers => berth.ask('PUT', '/traits/CUSTOM_TRACED', { minor: 39, headers }))
  const server = spans.get('PUT placement /traits/{name}') as CollectedSpan
  const names = ['queue wait', 'store lock', 'rule placement:ensure-trait', 'store commit']
  const steps = names.map(name => spans.get(name))
  expect(
    steps.map(step => step?.name),
    [...spans.keys()].join(),
  ).toEqual(names)
  for (const [at, step] of steps.entries()) {
    expect(step?.parentSpanId).toBe(server.spanId)
    const next = steps[at + 1]
    if (next !== undefined) expect(step?.endNano).toBe(next.startNano)
  }
  expect(steps[0]!.startNano >= server.startNano && steps[3]!.endNano <= server.endNano).toBe(true)
})

test('a refused write says so on the span of its rule', async () => {
  await berth.ask('POST', '/resource_providers', { minor: 20, body: { name: 'one', uuid: uuid(1) } })
  const spans = await trace(headers =>
    berth.ask('POST', '/resource_providers', { minor: 20, headers, body: { name: 'one', uuid: uuid(2) } }),
  )
  const rule = [...spans.values()].find(({ name }) => name.startsWith('rule '))
  expect(rule?.attributes.get('berth.refusal')).toBe('provider-exists')
})

test('searches, the steps of a choice, and explanations are children', async () => {
  const query = '/allocation_candidates?resources=VCPU:1'
  const searched = await trace(headers => berth.ask('GET', query, { minor: 39, headers }))
  expect(searched.get('candidates')?.attributes.get('berth.candidates')).toBe(0n)
  const body = { groups: { '': { resources: { VCPU: 1 } } }, count: 1 }
  const chosen = await trace(headers => berth.ask('POST', '/v1/schedule', { body, headers }))
  for (const step of ['candidates', 'filters', 'weighers'])
    expect(chosen.get(`schedule ${step}`)?.attributes.get('berth.hosts')).toBe(0n)
  const explained = await trace(headers =>
    berth.ask('GET', '/v1/explain/allocation_candidates?resources=VCPU:1', { headers }),
  )
  expect(explained.has('explain')).toBe(true)
})

test('a trace that its caller does not record is handed on and not sent', async () => {
  collector.spans.length = 0
  const headers = { traceparent: `00-${TRACE}-${SPAN}-00` }
  const answer = await berth.ask('GET', '/traits', { minor: 39, headers })
  expect(answer.headers.get('traceresponse')).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
  await berth.ask('GET', '/healthz')
  await trace(headers => berth.ask('GET', '/resource_classes', { minor: 39, headers }))
  expect(collector.spans.filter(({ traceId }) => traceId === TRACE)).toEqual([])
  expect(collector.spans.filter(({ name }) => name.includes('health'))).toEqual([])
})

test('Keystone is asked within the trace, below the token check', async () => {
  const keystone = await FakeKeystone.start()
  const other = await Berth.start({
    auth: 'keystone',
    keystone_url: keystone.url,
    keystone_username: 'placement',
    keystone_password: keystone.password,
    otlp_endpoint: collector.url,
    traces_delay_ms: 1,
  })
  const spans = await trace(trace =>
    other.ask('GET', '/traits', { minor: 39, headers: { ...trace, 'x-auth-token': 'nobody' } }),
  )
  const asked = [...spans.values()].filter(({ kind }) => kind === 3)
  expect(asked.length).toBeGreaterThan(0)
  for (const span of asked) expect(span.parentSpanId).toBe(spans.get('token check')?.spanId)
  expect(keystone.traceparents).toEqual(
    expect.arrayContaining([`00-${asked[0]!.traceId}-${asked[0]!.spanId}-01`]),
  )
  await other.end()
  await keystone.end()
})

test('a collector that is away costs spans, which are counted, and no request', async () => {
  const away = await Collector.start()
  away.behaviour = { isSilent: true }
  const other = await Berth.start({
    otlp_traces_endpoint: `${away.url}/v1/traces`,
    traces_delay_ms: 1,
    traces_queue_max: 5,
  })
  for (let nth = 0; nth < 20; nth++)
    expect((await other.ask('GET', '/traits', { minor: 39 })).status).toBe(200)
  const metrics = await (await fetch(`${other.server.url}/metrics`)).text()
  expect(Number(/spans_dropped_total\{reason="queue-full"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(0)
  await away.stop()
  await other.end()
})

test('what a collector rejects, or refuses for good, is counted', async () => {
  const picky = await Collector.start()
  const other = await Berth.start({ otlp_endpoint: picky.url, traces_delay_ms: 1, traces_batch_max: 1 })
  const dropped = async (reason: string) => {
    const text = await (await fetch(`${other.server.url}/metrics`)).text()
    return Number(new RegExp(`spans_dropped_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
  }
  picky.behaviour = { body: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}' }
  await other.ask('GET', '/traits', { minor: 39 })
  await vi.waitFor(async () => expect(await dropped('rejected')).toBeGreaterThan(0))
  picky.behaviour = { status: 413 }
  await other.ask('GET', '/traits', { minor: 39 })
  await vi.waitFor(async () => expect(await dropped('refused')).toBeGreaterThan(0))
  await other.end()
  await picky.stop()
})

test('without a collector nothing is traced: no header, no field in the log, no metric', async () => {
  for (const off of [{}, { otlp_endpoint: 'http://127.0.0.1:1', traces_exporter: 'none' as const }]) {
    const other = await Berth.start(off)
    const answer = await other.ask('GET', '/traits', { minor: 39, headers: TRACED })
    expect(answer.headers.has('traceresponse')).toBe(false)
    await sleep(0)
    expect(other.logLines.filter(line => line.includes('trace_id'))).toEqual([])
    expect(await (await fetch(`${other.server.url}/metrics`)).text()).not.toContain('trace_spans')
    await other.end()
  }
})

test('the collector of these tests refuses what is not OTLP', () => {
  const span = {
    traceId: TRACE,
    spanId: SPAN,
    name: 'a',
    kind: 1,
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
  }
  const wrap = (one: object) => ({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'b' } }] },
        scopeSpans: [{ scope: { name: 'b' }, spans: [one] }],
      },
    ],
  })
  expect(decodeOtlp(wrap(span))).toHaveLength(1)
  for (const wrong of [
    { traceId: 'xyz' },
    { startTimeUnixNano: 1 },
    { endTimeUnixNano: '0' },
    { kind: 'SPAN_KIND_SERVER' },
    { parent_span_id: SPAN },
    { attributes: [{ key: 'a', value: { intValue: 1 } }] },
    { attributes: [{ key: 'a', value: { stringValue: 'a', boolValue: true } }] },
  ])
    expect(() => decodeOtlp(wrap({ ...span, ...wrong }))).toThrow('not OTLP')
})
