import type { Key } from './keys.ts'
import { choice, decimalIn, flag, httpUrl, integer, type Kind, optional, words } from './kinds.ts'
import { pairs, secretPairs } from './pairs.ts'

const key = <T>(kind: Kind<T>, value: T, variables: readonly string[], description: string): Key<T> => ({
  kind,
  default: value,
  group: 'Traces',
  description,
  variables,
})

/** Traces by OTLP. Each key can be set by the variable of OpenTelemetry, too. */
export const tracingKeys = {
  otlp_endpoint: key(
    optional(httpUrl()),
    null,
    ['OTEL_EXPORTER_OTLP_ENDPOINT'],
    'The collector that gets the traces, by OTLP over HTTP, such as `http://127.0.0.1:4318`; `/v1/traces` is added. Absent, and without `otlp_traces_endpoint`, nothing is traced.',
  ),
  otlp_traces_endpoint: key(
    optional(httpUrl()),
    null,
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
    'The whole address that traces are posted to, in place of `otlp_endpoint`.',
  ),
  otlp_protocol: key(
    choice('http/json', 'http/protobuf'),
    'http/json',
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'],
    'Traces are sent as JSON, which every collector takes at the address of `http/protobuf`, too; so both mean the same. gRPC is not spoken.',
  ),
  otlp_headers: key(
    secretPairs,
    [],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'],
    'Headers for the collector, such as `api-key=...`. Never shown.',
  ),
  otlp_timeout_ms: key(
    integer(1, 600_000),
    10_000,
    ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'],
    'How long the collector may take for one batch.',
  ),
  otlp_ca_file: key(
    optional(words('a path', 'file')),
    null,
    ['OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CERTIFICATE'],
    'Certificate authorities (PEM) to trust for the collector.',
  ),
  traces_exporter: key(
    choice('otlp', 'none'),
    'otlp',
    ['OTEL_TRACES_EXPORTER'],
    'Where traces go: to the collector, or nowhere, whatever endpoint is set.',
  ),
  otel_sdk_disabled: key(
    flag(),
    false,
    ['OTEL_SDK_DISABLED'],
    'True traces nothing, as with `traces_exporter` = `none`.',
  ),
  traces_service_name: key(
    words('a text', 'name'),
    'berth',
    ['OTEL_SERVICE_NAME'],
    'The resource attribute `service.name` of all spans.',
  ),
  traces_resource_attributes: key(
    pairs,
    [],
    ['OTEL_RESOURCE_ATTRIBUTES'],
    'Further resource attributes of all spans, such as `deployment.environment=production`.',
  ),
  traces_sampler: key(
    choice(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    'parentbased_always_on',
    ['OTEL_TRACES_SAMPLER'],
    'Which traces are recorded. `parentbased_` does as the caller says in `traceparent`, and by the rest of the name where the caller says nothing.',
  ),
  traces_sampler_ratio: key(
    decimalIn(0, 1),
    1,
    ['OTEL_TRACES_SAMPLER_ARG'],
    'The fraction of traces that `traceidratio` records.',
  ),
  traces_queue_max: key(
    integer(1, 100_000),
    2048,
    ['OTEL_BSP_MAX_QUEUE_SIZE'],
    'How many spans wait for the collector at most. Further ones are dropped and counted in `berth_trace_spans_dropped_total`.',
  ),
  traces_batch_max: key(
    integer(1, 10_000),
    512,
    ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE'],
    'How many spans are sent at once, at most.',
  ),
  traces_delay_ms: key(
    integer(0, 600_000),
    5_000,
    ['OTEL_BSP_SCHEDULE_DELAY'],
    'How long a span waits for others to be sent with it.',
  ),
} as const satisfies Record<string, Key<never> | Key<unknown>>
