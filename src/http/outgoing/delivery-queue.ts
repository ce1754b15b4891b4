import { runOutsideSpans } from '../tracing/span.ts'

/** The result of sending a batch. */
export type Delivery =
  | { readonly kind: 'delivered' }
  /** A retry may help, after a time that the receiver may name. */
  | { readonly kind: 'again'; readonly why: string; readonly waitMs?: number }
  | { readonly kind: 'refused'; readonly why: string }

export type LossReason = 'queue-full' | 'refused' | 'unreachable' | 'stopped'

export interface DeliveryObserver {
  delivered(items: number): void
  lost(items: number, reason: LossReason): void
  /** Logged once, until something is delivered again. */
  failing(why: string): void
  works(): void
}

interface DeliveryParts<T> {
  readonly send: (batch: readonly T[]) => Promise<Delivery>
  readonly waitingMax: number
  readonly batchMax: number
  /** How long an item waits for others to share its batch. */
  readonly delayMs: number
  /** Attempts for each batch. */
  readonly triesMax: number
  readonly observer: DeliveryObserver
  /** The wait before the first retry; doubled for each further one. Default: a second. */
  readonly retryMs?: number
}

const RETRY_MS = 1_000
const RETRY_MS_MAX = 30_000

/**
 * Sends items in batches, in the background, to a receiver that may be slow or unavailable. Holds a limited number of
 * items and counts those it loses. Adding never waits.
 */
export class DeliveryQueue<T> {
  readonly #parts: DeliveryParts<T>
  readonly #waiting: T[] = []
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> | null = null
  #isClosed = false
  #isFailing = false
  /** Ends the wait before a retry. */
  #wake: () => void = () => undefined

  constructor(parts: DeliveryParts<T>) {
    this.#parts = parts
  }

  add(item: T): void {
    const { waitingMax, batchMax, delayMs, observer } = this.#parts
    if (this.#isClosed || this.#waiting.length >= waitingMax) {
      observer.lost(1, this.#isClosed ? 'stopped' : 'queue-full')
      return
    }
    this.#waiting.push(item)
    if (this.#sending !== null) return
    if (this.#waiting.length >= batchMax) this.#start()
    else this.#timer ??= runOutsideSpans(() => setTimeout(() => this.#start(), delayMs).unref())
  }

  /** Sends what waits, each batch once, until the time is up. Takes no more items. */
  async close(msMax: number): Promise<void> {
    this.#isClosed = true
    this.#wake()
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(patience.resolve, msMax)
    this.#start()
    await Promise.race([this.#sending, patience.promise])
    clearTimeout(timer)
    this.#lose(this.#waiting.length, 'stopped')
  }

  #start(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#sending ??= runOutsideSpans(() => this.#run())
  }

  async #run(): Promise<void> {
    const { batchMax, delayMs } = this.#parts
    // A further batch goes at once only if it is full: others may join it.
    do await this.#sendFirst()
    while (this.#waiting.length >= (this.#isClosed ? 1 : batchMax))
    this.#sending = null
    if (this.#waiting.length > 0 && !this.#isClosed)
      this.#timer = setTimeout(() => this.#start(), delayMs).unref()
  }

  /** The batch stays in the queue until it is settled, so that the limit counts it. */
  async #sendFirst(): Promise<void> {
    const batch = this.#waiting.slice(0, this.#parts.batchMax)
    if (batch.length === 0) return
    for (let tries = 1; ; tries++) {
      const result = await this.#send(batch)
      if (result.kind === 'delivered') return this.#settle(batch.length)
      this.#fail(result.why)
      if (result.kind === 'refused') return this.#lose(batch.length, 'refused')
      if (this.#isClosed) return this.#lose(batch.length, 'stopped')
      if (tries >= this.#parts.triesMax) return this.#lose(batch.length, 'unreachable')
      const { retryMs = RETRY_MS } = this.#parts
      await this.#pause(Math.min(result.waitMs ?? retryMs * 2 ** (tries - 1), RETRY_MS_MAX))
    }
  }

  async #send(batch: readonly T[]): Promise<Delivery> {
    try {
      return await this.#parts.send(batch)
    } catch (error) {
      return { kind: 'again', why: error instanceof Error ? error.message : String(error) }
    }
  }

  #settle(count: number): void {
    const { observer } = this.#parts
    // Batches that were dropped meanwhile are counted already.
    const { length } = this.#waiting.splice(0, count)
    if (length > 0) observer.delivered(length)
    if (this.#isFailing) observer.works()
    this.#isFailing = false
  }

  #lose(count: number, reason: LossReason): void {
    const { length } = this.#waiting.splice(0, count)
    if (length > 0) this.#parts.observer.lost(length, reason)
  }

  #fail(why: string): void {
    if (!this.#isFailing) this.#parts.observer.failing(why)
    this.#isFailing = true
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms).unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
