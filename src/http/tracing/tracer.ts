import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Sampler } from './sampler.ts'
import { newSpanId, Span, type SpanSink } from './span.ts'
import { readTraceContext } from './trace-context.ts'

/** Begins the spans of requests. All other spans of a request are below its own. */
export class Tracer {
  readonly #sampler: Sampler
  readonly #sink: SpanSink

  constructor(sampler: Sampler, sink: SpanSink) {
    this.#sampler = sampler
    this.#sink = sink
  }

  startRequest({ method = '', headers }: IncomingMessage): Span {
    const parent = readTraceContext(headers)
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
    const isSampled = this.#sampler(traceId, parent)
    return new Span({
      context: { traceId, spanId: newSpanId(), isSampled, state: parent?.state ?? '' },
      parentSpanId: parent?.spanId ?? null,
      name: method,
      kind: 'server',
      sink: isSampled ? this.#sink : null,
    })
  }
}
