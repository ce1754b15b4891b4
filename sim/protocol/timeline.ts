import type { Committed, Head } from '../../src/store/store.ts'
import type { Schedule } from './schedule.ts'
import type { Passed, Rows, State } from './state.ts'

/** A state that the database was in, and when it was the newest. */
export interface Moment {
  readonly head: Head
  readonly rows: Rows
  /** Null for the state that a run begins with. */
  readonly committed: Committed | null
  readonly before: Moment | null
  readonly committedMs: number
  /** When a failover lost it. */
  lostMs: number
  /** From when until when it was the head; a failover may make it the head again. */
  readonly periods: { readonly fromMs: number; untilMs: number }[]
}

/** All commits ever, reported by the database itself: what processes know is compared with it. */
export class Timeline {
  readonly #schedule: Schedule
  readonly #byChain = new Map<string, Moment>()
  /** In order of commits, including those that a failover lost. */
  readonly moments: Moment[] = []
  newest: Moment

  constructor(schedule: Schedule, { head, rows }: State) {
    this.#schedule = schedule
    this.newest = this.#add({ head, rows, committed: null, before: null })
  }

  find(head: Head): Moment | undefined {
    return this.#byChain.get(head.chain)
  }

  committed(passed: readonly Passed[]): void {
    for (const { committed, rows } of passed) {
      this.#close()
      this.newest = this.#add({ head: committed, rows, committed, before: this.newest })
    }
  }

  wentBack(to: Head): void {
    const nowMs = this.#schedule.nowMs
    this.#close()
    while (this.newest.head.chain !== to.chain) {
      this.newest.lostMs = nowMs
      this.newest = this.newest.before as Moment
    }
    this.newest.periods.push({ fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY })
  }

  /** The current history, oldest first. */
  history(): Moment[] {
    return this.moments.filter(moment => moment.lostMs === Number.POSITIVE_INFINITY)
  }

  #close(): void {
    const last = this.newest.periods.at(-1)
    if (last !== undefined) last.untilMs = this.#schedule.nowMs
  }

  #add(parts: Pick<Moment, 'head' | 'rows' | 'committed' | 'before'>): Moment {
    const nowMs = this.#schedule.nowMs
    const moment: Moment = {
      ...parts,
      committedMs: nowMs,
      lostMs: Number.POSITIVE_INFINITY,
      periods: [{ fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY }],
    }
    this.#byChain.set(parts.head.chain, moment)
    this.moments.push(moment)
    return moment
  }
}

/** Whether a state was the newest at some time between two. */
export function wasHeadBetween(moment: Moment, fromMs: number, untilMs: number): boolean {
  return moment.periods.some(period => period.fromMs <= untilMs && period.untilMs >= fromMs)
}
