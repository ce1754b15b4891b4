import type { Log } from '../ops/log.ts'
import type { Registry } from '../ops/metrics.ts'
import { type DeliveryObserver, DeliveryQueue } from '../outgoing/delivery-queue.ts'
import { type PostTarget, postJson } from '../outgoing/post.ts'
import { type OtlpSource, renderOtlp } from './otlp.ts'
import type { SpanRecord } from './span.ts'

/** Attempts for each batch: enough for the restart of a collector. */
const TRIES_MAX = 5

interface ExporterSettings {
  readonly target: PostTarget
  readonly source: OtlpSource
  readonly queueMax: number
  readonly batchMax: number
  readonly delayMs: number
  readonly retryMs?: number
}

/** Sends spans to a collector by OTLP over HTTP. */
export function newSpanExporter(
  settings: ExporterSettings,
  metrics: SpanMetrics,
  log: Log,
): DeliveryQueue<SpanRecord> {
  const { target, source, queueMax, batchMax, delayMs, retryMs } = settings
  return new DeliveryQueue<SpanRecord>({
    waitingMax: queueMax,
    batchMax: Math.min(batchMax, queueMax),
    delayMs,
    triesMax: TRIES_MAX,
    ...(retryMs === undefined ? {} : { retryMs }),
    observer: observeExports(metrics, log),
    send: async batch => {
      const { delivery, answer } = await postJson(target, renderOtlp(source, batch))
      if (delivery.kind === 'delivered') countRejected(answer.body, metrics, log)
      return delivery
    },
  })
}

interface SpanMetrics {
  exported(spans: number): void
  dropped(spans: number, reason: string): void
}

export function spanMetrics(registry: Registry): SpanMetrics {
  const exported = registry.counter('berth_trace_spans_exported_total', 'Spans that the collector accepted.')
  const dropped = registry.counter(
    'berth_trace_spans_dropped_total',
    'Spans that were lost: the queue was full, the collector refused them or was away too long, or the server stopped.',
    ['reason'],
  )
  return {
    exported: spans => exported.add([], spans),
    dropped: (spans, reason) => dropped.add([reason], spans),
  }
}

const observeExports = (metrics: SpanMetrics, log: Log): DeliveryObserver => ({
  delivered: spans => metrics.exported(spans),
  lost: (spans, reason) => metrics.dropped(spans, reason),
  failing: reason => log.warn('the trace collector does not accept spans', { reason }),
  works: () => log.info('the trace collector accepts spans again'),
})

/** A collector may accept a batch but reject some of its spans. */
function countRejected(body: string, metrics: SpanMetrics, log: Log): void {
  const partial = readPartialSuccess(body)
  const rejected = Number(partial?.rejectedSpans ?? 0)
  if (rejected > 0) metrics.dropped(rejected, 'rejected')
  if (partial?.errorMessage)
    log.warn('the trace collector refused some spans', { reason: partial.errorMessage })
}

interface PartialSuccess {
  readonly rejectedSpans?: string | number
  readonly errorMessage?: string
}

function readPartialSuccess(body: string): PartialSuccess | undefined {
  try {
    return (JSON.parse(body) as { partialSuccess?: PartialSuccess } | null)?.partialSuccess ?? undefined
  } catch {
    return undefined
  }
}
