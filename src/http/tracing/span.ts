import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { TraceContext } from './trace-context.ts'

export type AttributeValue = string | number | boolean
export type SpanKind = 'internal' | 'server' | 'client'

/** A finished span, as it is exported. */
export interface SpanRecord {
  readonly context: TraceContext
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: ReadonlyMap<string, AttributeValue>
  /** Why it failed; null if it did not. */
  readonly failure: string | null
}

/** Receives finished spans. */
export type SpanSink = (span: SpanRecord) => void

interface SpanStart {
  readonly context: TraceContext
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: SpanKind
  /** Null: not recorded. The ids are still passed on. */
  readonly sink: SpanSink | null
  readonly startMs?: number
}

/** Wall clock time with the resolution of the monotonic clock, so that no span ends before it starts. */
export const nowMs = (): number => performance.timeOrigin + performance.now()

export const newSpanId = (): string => randomBytes(8).toString('hex')

/** One piece of work in a trace. */
export class Span {
  readonly context: TraceContext
  name: string
  readonly #start: SpanStart
  readonly #startMs: number
  readonly #attributes = new Map<string, AttributeValue>()
  #failure: string | null = null

  constructor(start: SpanStart) {
    this.#start = start
    this.context = start.context
    this.name = start.name
    this.#startMs = start.startMs ?? nowMs()
  }

  get isRecorded(): boolean {
    return this.#start.sink !== null
  }

  startChild(name: string, kind: SpanKind = 'internal', startMs?: number): Span {
    const { context, sink } = this.#start
    return new Span({
      context: { ...context, spanId: newSpanId() },
      parentSpanId: context.spanId,
      name,
      kind,
      sink,
      ...(startMs === undefined ? {} : { startMs }),
    })
  }

  set(name: string, value: AttributeValue | null | undefined): this {
    if (value !== null && value !== undefined) this.#attributes.set(name, value)
    return this
  }

  fail(reason: unknown): this {
    this.#failure = reason instanceof Error ? reason.message : String(reason)
    return this
  }

  end(endMs = nowMs()): void {
    const { sink, context, parentSpanId, kind } = this.#start
    sink?.({
      context,
      parentSpanId,
      name: this.name,
      kind,
      startMs: this.#startMs,
      endMs: Math.max(endMs, this.#startMs),
      attributes: this.#attributes,
      failure: this.#failure,
    })
  }

  /** Runs work within this span, which ends with it. */
  around<T>(work: () => T): T {
    try {
      const result = active.run(this, work)
      if (result instanceof Promise) return this.#endWith(result) as T
      this.end()
      return result
    } catch (error) {
      this.fail(error).end()
      throw error
    }
  }

  async #endWith<T>(result: Promise<T>): Promise<T> {
    try {
      return await result
    } catch (error) {
      this.fail(error)
      throw error
    } finally {
      this.end()
    }
  }
}

/** The span of the current work. Without tracing there is none. */
const active = new AsyncLocalStorage<Span>()

export const findActiveSpan = (): Span | undefined => active.getStore()

export const runInSpan = <T>(span: Span, work: () => T): T => active.run(span, work)

/** For work that outlives the request that caused it. */
export const runOutsideSpans = <T>(work: () => T): T => active.exit(work)

/** A child of the active span; null where nothing is recorded. */
export function startStep(name: string): Span | null {
  const parent = active.getStore()
  return parent?.isRecorded === true ? parent.startChild(name) : null
}

export function traceStep<T>(name: string, work: () => T): T {
  const span = startStep(name)
  return span === null ? work() : span.around(work)
}
