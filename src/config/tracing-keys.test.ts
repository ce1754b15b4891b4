import { expect, test } from 'vitest'
import { problemText, resolveConfig } from './resolve.ts'

const resolve = (env: Record<string, string>, flags = {}) =>
  resolveConfig({ flags, env, file: null, terminal: false })

test('the variables of OpenTelemetry set what they name; those of Berth and flags win', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=2',
    OTEL_SERVICE_NAME: 'placement',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_SDK_DISABLED: 'true',
    BERTH_TRACES_QUEUE_MAX: '7',
    OTEL_BSP_MAX_QUEUE_SIZE: '8',
  }
  const resolved = resolve(env, { traces_delay_ms: '9' })
  if (!resolved.ok) throw new Error(resolved.problems.map(problemText).join())
  expect(resolved.values).toMatchObject({
    otlp_endpoint: 'http://collector:4318',
    otlp_headers: ['a=1', 'b=2'],
    traces_service_name: 'placement',
    traces_sampler: 'traceidratio',
    traces_sampler_ratio: 0.25,
    traces_delay_ms: 9,
    otel_sdk_disabled: true,
    traces_queue_max: 7,
  })
  expect(resolved.origins.traces_service_name).toEqual({ from: 'environment', name: 'OTEL_SERVICE_NAME' })
})

test('what is set for traces alone wins over what is set for all signals', () => {
  const resolved = resolve({
    OTEL_EXPORTER_OTLP_HEADERS: 'all=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'traces=1',
  })
  expect(resolved.ok && resolved.values.otlp_headers).toEqual(['traces=1'])
})

test.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'lonely'],
])('%s=%s is refused, and the variable is named', (name, value) => {
  const resolved = resolve({ [name]: value })
  expect(resolved.ok ? [] : resolved.problems.map(problemText).join()).toContain(
    `environment variable ${name}`,
  )
})

test('headers for the collector are never shown', () => {
  const resolved = resolve({ OTEL_EXPORTER_OTLP_HEADERS: 'secret' })
  expect(resolved.ok ? '' : problemText(resolved.problems[0]!)).not.toContain('secret')
})
