import type { AttributeValue, SpanKind, SpanRecord } from './span.ts'

/** The sender, which is the same for all spans of a server. */
export interface OtlpSource {
  readonly resource: ReadonlyMap<string, AttributeValue>
  readonly version: string
}

/** SpanKind of opentelemetry/proto/trace/v1. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
const STATUS_ERROR = 2
const FLAG_SAMPLED = 1

const VALUE_CHARS_MAX = 1_024

/** ExportTraceServiceRequest in the JSON form of OTLP: ids in hexadecimal, times as decimal texts, enums as numbers. */
export function renderOtlp({ resource, version }: OtlpSource, spans: readonly SpanRecord[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: renderAttributes(resource) },
        scopeSpans: [{ scope: { name: 'berth', version }, spans: spans.map(renderSpan) }],
      },
    ],
  })
}

function renderSpan(span: SpanRecord) {
  const { traceId, spanId, state } = span.context
  return {
    traceId,
    spanId,
    ...(state === '' ? {} : { traceState: state }),
    ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
    flags: FLAG_SAMPLED,
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: renderNanoseconds(span.startMs),
    endTimeUnixNano: renderNanoseconds(span.endMs),
    attributes: renderAttributes(span.attributes),
    status: span.failure === null ? {} : { code: STATUS_ERROR, message: shorten(span.failure) },
  }
}

/** Microseconds of today are exact in a number, nanoseconds are not. */
const renderNanoseconds = (ms: number): string => `${Math.round(ms * 1_000)}000`

const renderAttributes = (attributes: ReadonlyMap<string, AttributeValue>) =>
  [...attributes].map(([key, value]) => ({ key, value: renderValue(value) }))

function renderValue(value: AttributeValue) {
  if (typeof value === 'string') return { stringValue: shorten(value) }
  if (typeof value === 'boolean') return { boolValue: value }
  // A 64 bit number is a text in JSON.
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const shorten = (text: string): string => text.slice(0, VALUE_CHARS_MAX).toWellFormed()
