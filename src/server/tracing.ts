import type { Config } from '../config/keys.ts'
import { readPair } from '../config/pairs.ts'
import { readAuthorities } from '../http/ops/certificates.ts'
import type { Log } from '../http/ops/log.ts'
import type { Registry } from '../http/ops/metrics.ts'
import { HttpClient } from '../http/outgoing/http-client.ts'
import { newSpanExporter, spanMetrics } from '../http/tracing/exporter.ts'
import { makeSampler } from '../http/tracing/sampler.ts'
import { type AttributeValue, findActiveSpan, nowMs, startStep } from '../http/tracing/span.ts'
import { Tracer } from '../http/tracing/tracer.ts'
import type { CandidateObserver } from '../placement/context.ts'
import type { ScheduleObserver } from '../scheduling/schedule.ts'

/** A server's traces. */
export interface Tracing {
  readonly tracer: Tracer
  /** Sends waiting spans, and accepts no more. */
  close(msMax: number): Promise<void>
}

interface TracingParts {
  readonly config: Config
  readonly log: Log
  readonly metrics: Registry
  readonly version: string
  readonly instance: string
}

/** Null if no collector is configured: then nothing is measured either. */
export function startTracing({ config, log, metrics, version, instance }: TracingParts): Tracing | null {
  const url = findTracesUrl(config)
  if (url === null) return null
  const { otlp_ca_file: caFile } = config
  const authorities = caFile === null ? null : readAuthorities(caFile)
  const exporter = newSpanExporter(
    {
      target: {
        client: new HttpClient({ authorities, isBlind: false }),
        url,
        headers: Object.fromEntries(config.otlp_headers.map(readPair)),
        timeoutMs: config.otlp_timeout_ms,
      },
      source: { version, resource: describeResource(config, version, instance) },
      queueMax: config.traces_queue_max,
      batchMax: config.traces_batch_max,
      delayMs: config.traces_delay_ms,
    },
    spanMetrics(metrics),
    log,
  )
  const sampler = makeSampler(config.traces_sampler, config.traces_sampler_ratio)
  return {
    tracer: new Tracer(sampler, span => exporter.add(span)),
    close: msMax => exporter.close(msMax),
  }
}

function findTracesUrl(config: Config): string | null {
  if (config.traces_exporter === 'none' || config.otel_sdk_disabled) return null
  if (config.otlp_traces_endpoint !== null) return config.otlp_traces_endpoint
  return config.otlp_endpoint === null ? null : `${config.otlp_endpoint}/v1/traces`
}

function describeResource(config: Config, version: string, instance: string): Map<string, AttributeValue> {
  return new Map<string, AttributeValue>([
    ['service.version', version],
    ['service.instance.id', instance],
    ['telemetry.sdk.name', 'berth'],
    ['telemetry.sdk.language', 'nodejs'],
    ['telemetry.sdk.version', version],
    ...config.traces_resource_attributes.map(readPair),
    ['service.name', config.traces_service_name],
  ])
}

/** Searches for candidates as spans. */
export const traceSearch: Pick<CandidateObserver, 'searching'> = {
  searching() {
    const span = startStep('candidates')
    if (span === null) return null
    return (candidates, steps) =>
      span.set('berth.candidates', candidates).set('berth.search.steps', steps).end()
  },
}

/** The steps of a choice of hosts as spans, one after the other. */
export const traceChoice: Pick<ScheduleObserver, 'choosing'> = {
  choosing() {
    const parent = findActiveSpan()
    if (parent?.isRecorded !== true) return null
    let startMs = nowMs()
    return {
      ended(step, hosts) {
        const endMs = nowMs()
        parent.startChild(`schedule ${step}`, 'internal', startMs).set('berth.hosts', hosts).end(endMs)
        startMs = endMs
      },
    }
  },
}
