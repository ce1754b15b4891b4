import type { SearchBounds } from '../request.ts'

/**
 * How much a request may search. A step is one partial candidate tried. Work counts the cost of steps beyond
 * one unit each, and of steps that led to no candidate. With many groups, one step can cost as much as a
 * hundred.
 */
export class Budget {
  readonly #stepsMax: number
  readonly #bounds: SearchBounds
  #providers = 0
  steps = 0
  /** A unit takes about as long as one step of a request with few groups. */
  work = 0
  /** The search needed more than the budget allows. */
  spent = false

  constructor(stepsMax: number, bounds: SearchBounds = UNBOUNDED) {
    this.#stepsMax = stepsMax
    this.#bounds = bounds
  }

  /** Resets the counters for the next of several searches. */
  refill(): void {
    this.steps = 0
    this.work = 0
    this.spent = false
  }

  /** Counts steps; false once the budget is spent. */
  step(count = 1): boolean {
    this.steps += count
    this.work += count
    if (this.steps > this.#stepsMax) {
      this.steps = this.#stepsMax
      this.spent = true
    } else if (this.work > this.#bounds.workMax) this.spent = true
    return !this.spent
  }

  spend(units: number): void {
    this.work += units
  }

  /** Credits a candidate with this many providers: the work for it was useful. */
  earn(providers: number): void {
    this.#providers += providers
    if (this.#providers > this.#bounds.providersMax) this.spent = true
    this.work = Math.max(0, this.work - WORK_PER_PROVIDER * providers)
  }
}

const WORK_PER_PROVIDER = 4
const UNBOUNDED: SearchBounds = {
  workMax: Number.POSITIVE_INFINITY,
  providersMax: Number.POSITIVE_INFINITY,
}
