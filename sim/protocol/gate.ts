import type { Chance, Schedule, Timer } from './schedule.ts'

/** Where something comes from. Within a lane things come in order; between lanes there is none. */
type Lane = 'timer' | 'client' | 'database'

const LANES: readonly Lane[] = ['timer', 'client', 'database']

interface Held {
  readonly lane: Lane
  readonly run: () => void
}

/** Between a process and everything else: one that is paused takes nothing in, one that died never again. */
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

  /** All that came meanwhile comes at once. Which lane comes first is random. */
  #resume(): void {
    const held = this.#held ?? []
    this.#held = null
    const lanes = this.#chance.shuffled(LANES)
    // One after the other, so that what each of them sets off can run before the next.
    for (const lane of lanes)
      for (const one of held) if (one.lane === lane) this.#schedule.after(0, () => this.enter(lane, one.run))
  }

  shut(): void {
    this.#isShut = true
    this.#held = null
  }
}
