import type { Chance, Schedule, Timer } from './schedule.ts'

/** The origin of an event. Events of a lane stay in order; lanes are independent. */
type Lane = 'timer' | 'client' | 'database'

const LANES: readonly Lane[] = ['timer', 'client', 'database']

interface Held {
  readonly lane: Lane
  readonly run: () => void
}

/** Between a process and everything else: a paused process receives nothing, a dead one never again. */
export class Gate {
  readonly #schedule: Schedule
  readonly #chance: Chance
  #held: Held[] | null = null
  #isShut = false

  constructor(schedule: Schedule, chance: Chance) {
    this.#schedule = schedule
    this.#chance = chance
  }

  enter(lane: Lane, run: () => void): void {
    if (this.#isShut) return
    if (this.#held !== null) {
      this.#held.push({ lane, run })
      return
    }
    this.#schedule.isTouched = true
    run()
  }

  /** A timer of the process: late when it is paused. */
  after(ms: number, run: () => void): Timer {
    let isCancelled = false
    const timer = this.#schedule.after(ms, () =>
      this.enter('timer', () => {
        if (!isCancelled) run()
      }),
    )
    return {
      cancel: () => {
        timer.cancel()
        // It may be due already, and held.
        isCancelled = true
      },
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise(resolve => this.after(ms, resolve))
  }

  pauseFor(ms: number): void {
    if (this.#held !== null) return
    this.#held = []
    this.#schedule.after(ms, () => this.#resume())
  }

  /** Delivers everything that was held. The order of lanes is random. */
  #resume(): void {
    const held = this.#held ?? []
    this.#held = null
    const lanes = this.#chance.shuffled(LANES)
    // One by one, so that what each of them triggers runs before the next.
    for (const lane of lanes)
      for (const one of held) if (one.lane === lane) this.#schedule.after(0, () => this.enter(lane, one.run))
  }

  shut(): void {
    this.#isShut = true
    this.#held = null
  }
}
