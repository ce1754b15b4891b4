import { Random } from '../../src/kernel/random.ts'

export interface Timer {
  cancel(): void
}

interface Event {
  readonly atMs: number
  readonly order: number
  run: (() => void) | null
}

/** Seeded random numbers, in the forms that a simulation needs. */
export class Chance {
  readonly #random: Random

  constructor(seed: number) {
    this.#random = new Random(seed)
  }

  happens(probability: number): boolean {
    return probability > 0 && this.#random.below(1_000_000) < probability * 1_000_000
  }

  between(low: number, high: number): number {
    return low + ((high - low) * this.#random.below(1_000_000)) / 1_000_000
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + this.#random.below(high - low + 1)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)] as T
  }

  shuffled<T>(items: readonly T[]): T[] {
    return this.#random.shuffle([...items])
  }

  /** Mostly the short time, now and then up to twenty times as long. */
  delayMs(usualMs: number): number {
    const factor = this.#random.below(12) === 0 ? 20 : 1
    return this.between(0, usualMs * factor)
  }
}

/** Virtual time: the event that is due first comes next; durations are random. */
export class Schedule {
  nowMs = 0
  /** An event ran code whose promises must settle before the next event. */
  isTouched = false
  readonly #events: Event[] = []
  #order = 0

  after(ms: number, run: () => void): Timer {
    const event: Event = { atMs: this.nowMs + Math.max(0, ms), order: this.#order++, run }
    push(this.#events, event)
    return {
      cancel: () => {
        event.run = null
      },
    }
  }

  /** Runs the next event; false if none is left. */
  step(): boolean {
    for (;;) {
      const event = pop(this.#events)
      if (event === undefined) return false
      if (event.run === null) continue
      this.nowMs = event.atMs
      event.run()
      return true
    }
  }
}

const isEarlier = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

function push(heap: Event[], event: Event): void {
  let at = heap.length
  heap.push(event)
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above] as Event
    if (isEarlier(parent, event)) break
    heap[at] = parent
    at = above
  }
  heap[at] = event
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (first === undefined || last === undefined || heap.length === 0) return first
  let at = 0
  for (;;) {
    let below = at * 2 + 1
    if (below >= heap.length) break
    if (below + 1 < heap.length && isEarlier(heap[below + 1] as Event, heap[below] as Event)) below++
    const child = heap[below] as Event
    if (isEarlier(last, child)) break
    heap[at] = child
    at = below
  }
  heap[at] = last
  return first
}

/** Lets all promises settle, so that the next event meets a defined state. */
export function drained(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
