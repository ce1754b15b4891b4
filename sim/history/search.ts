import type { Operation } from './operation.ts'
import type { Clash, Timeline } from './timeline.ts'

/** One option: this operation made the event, or the operation lies between two events. */
export type Option =
  | { readonly kind: 'doer'; readonly event: number; readonly by: Operation }
  /** After at least `first` events and at most `last`. */
  | { readonly kind: 'place'; readonly first: number; readonly last: number; readonly by: Operation }

/** Exactly one of the options is true. */
export interface Choice {
  readonly atMs: number
  readonly options: readonly Option[]
}

const STEPS_MAX = 200_000

/** Assignments so far; an operation makes one event, unless a failover has undone the first. */
export class Search {
  readonly #timeline: Timeline
  readonly #mayRepeat: (earlier: number, later: number) => boolean
  readonly #deeds = new Map<Operation, number[]>()
  #steps = 0

  constructor(timeline: Timeline, mayRepeat: (earlier: number, later: number) => boolean) {
    this.#timeline = timeline
    this.#mayRepeat = mayRepeat
  }

  hasDone(operation: Operation): boolean {
    return (this.#deeds.get(operation)?.length ?? 0) > 0
  }

  isPossible(option: Option): boolean {
    const { by } = option
    if (option.kind === 'place')
      return (
        this.#timeline.earliestMs(option.first) <= by.endMs &&
        (option.last >= this.#timeline.events || this.#timeline.latestMs(option.last + 1) >= by.startMs)
      )
    const deeds = this.#deeds.get(by) ?? []
    if (deeds.some(other => !this.#mayRepeat(Math.min(other, option.event), Math.max(other, option.event))))
      return false
    return (
      this.#timeline.latestMs(option.event) >= by.startMs &&
      this.#timeline.earliestMs(option.event) <= latestOf(by)
    )
  }

  /** Assumes it; returns the conflict, if any. */
  take(option: Option): Clash | null {
    const { by } = option
    if (option.kind === 'place')
      return (
        this.#timeline.notAfter(option.first, by.endMs, by) ??
        this.#timeline.notBefore(option.last + 1, by.startMs, by)
      )
    this.#deeds.set(by, [...(this.#deeds.get(by) ?? []), option.event])
    return (
      this.#timeline.notBefore(option.event, by.startMs, by) ??
      this.#timeline.notAfter(option.event, latestOf(by), by)
    )
  }

  /** Assumes everything that has a single option. The rest have several options; some have none. */
  settle(choices: readonly Choice[]): { readonly left: Choice[]; readonly impossible: Choice[] } {
    let left = [...choices]
    const impossible: Choice[] = []
    for (let before = -1; before !== left.length; ) {
      before = left.length
      left = left.flatMap(choice => {
        const options = choice.options.filter(option => this.isPossible(option))
        if (options.length > 1) return [{ ...choice, options }]
        const [only] = options
        if (only === undefined || this.take(only) !== null) impossible.push(choice)
        return []
      })
    }
    this.#timeline.settle()
    return { left, impossible }
  }

  /**
   * Tries all combinations of the rest, least constraining first. Returns the choice at which the furthest attempt
   * failed; null if there is a solution.
   */
  solve(choices: readonly Choice[], isComplete: () => boolean): Choice | 'incomplete' | 'too-many' | null {
    const ordered = choices.toSorted((a, b) => a.atMs - b.atMs)
    this.#steps = 0
    let furthest = -1
    const go = (at: number): boolean => {
      furthest = Math.max(furthest, at)
      const choice = ordered[at]
      if (choice === undefined) return isComplete()
      for (const option of choice.options.toSorted(leastHarmFirst)) {
        if (++this.#steps > STEPS_MAX) return false
        if (!this.isPossible(option)) continue
        const mark = this.#timeline.mark()
        if (this.take(option) === null && go(at + 1)) return true
        this.#timeline.rollBack(mark)
        if (option.kind === 'doer') this.#deeds.get(option.by)?.pop()
      }
      return false
    }
    if (go(0)) return null
    if (this.#steps > STEPS_MAX) return 'too-many'
    return ordered[furthest] ?? 'incomplete'
  }
}

/** One that was never answered may take effect at any later time. */
const latestOf = ({ result, endMs }: Operation): number =>
  result.kind === 'unknown' ? Number.POSITIVE_INFINITY : endMs

function leastHarmFirst(a: Option, b: Option): number {
  if (a.kind === 'place' && b.kind === 'place') return a.first - b.first
  return latestOf(a.by) - latestOf(b.by)
}
