import type { Operation } from './operation.ts'

/** The earliest and latest time of an event, and the operations that bound it. */
interface Bound {
  readonly ms: number
  readonly by: Operation | null
}

/** Two operations that contradict each other about the time of an event. */
export interface Clash {
  readonly at: number
  readonly notBefore: Operation | null
  readonly notAfter: Operation | null
}

/**
 * The times of events of which only the order is known. Each bound on one event is a bound on all before or after
 * it. As long as no event must be later than it may be, times can be given to all of them that respect every
 * bound: the earliest possible ones, for instance.
 */
export class Timeline {
  /** By number of the event, from 1. Neither ever falls with the number. */
  readonly #earliest: Bound[]
  readonly #latest: Bound[]
  #undo: (() => void)[] = []

  constructor(events: number) {
    this.#earliest = Array.from({ length: events + 2 }, () => ({ ms: Number.NEGATIVE_INFINITY, by: null }))
    this.#latest = Array.from({ length: events + 2 }, () => ({ ms: Number.POSITIVE_INFINITY, by: null }))
  }

  get events(): number {
    return this.#earliest.length - 2
  }

  earliestMs(event: number): number {
    return (this.#earliest[event] as Bound).ms
  }

  latestMs(event: number): number {
    return (this.#latest[event] as Bound).ms
  }

  /** The event happened at this time or later. Changes nothing if that is impossible. */
  notBefore(event: number, ms: number, by: Operation | null): Clash | null {
    if (event > this.events) return null
    const { ms: latestMs, by: other } = this.#latest[event] as Bound
    if (ms > latestMs) return { at: event, notBefore: by, notAfter: other }
    this.#spread(this.#earliest, event, 1, { ms, by }, bound => bound.ms < ms)
    return null
  }

  notAfter(event: number, ms: number, by: Operation | null): Clash | null {
    if (event < 1) return null
    const { ms: earliestMs, by: other } = this.#earliest[event] as Bound
    if (ms < earliestMs) return { at: event, notBefore: other, notAfter: by }
    this.#spread(this.#latest, event, -1, { ms, by }, bound => bound.ms > ms)
    return null
  }

  /** The places in the order, as numbers of events before it, that fit two times. */
  places(startMs: number, endMs: number): { readonly first: number; readonly last: number } {
    return {
      first: this.#firstWhere(event => this.latestMs(event) >= startMs) - 1,
      last: this.#firstWhere(event => this.earliestMs(event) > endMs) - 1,
    }
  }

  /** `rollBack` with the returned value undoes what comes later. */
  mark(): number {
    return this.#undo.length
  }

  rollBack(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.()
  }

  /** Nothing before this can be undone any more. */
  settle(): void {
    this.#undo = []
  }

  #spread(
    bounds: Bound[],
    from: number,
    step: 1 | -1,
    bound: Bound,
    isLooser: (old: Bound) => boolean,
  ): void {
    for (let event = from; event >= 1 && event <= this.events; event += step) {
      const old = bounds[event] as Bound
      if (!isLooser(old)) break
      bounds[event] = bound
      this.#undo.push(() => {
        bounds[event] = old
      })
    }
  }

  /** The first event for which a condition holds, or one past the last; it holds for all later ones too. */
  #firstWhere(isSo: (event: number) => boolean): number {
    let low = 1
    let high = this.events + 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (isSo(middle)) high = middle
      else low = middle + 1
    }
    return low
  }
}
