import { describeHead, isSameHead } from '../../src/store/chain.ts'
import { StoreDiverged } from '../../src/store/store.ts'
import { HeadLock } from './head-lock.ts'
import type { Commit } from './request.ts'
import type { Chance, Schedule } from './schedule.ts'
import type { Session } from './session.ts'
import { type State, withBatch } from './state.ts'
import { Timeline } from './timeline.ts'
import type { Weather } from './weather.ts'

export const ENCOUNTERS = [
  'a commit never arrived',
  'the answer to a commit was lost',
  'a commit was done after its client had given up',
  'a commit was cut short by the end of the database',
  'the database took a transaction back',
  'a process froze with the lock, and lost it',
  'the lock could not be had in time',
  'the database was down',
  'a failover lost commits',
  'a process was paused',
  'a process crashed',
  'a process was stopped',
  'memory was loaded anew',
  'what a process missed was no longer kept',
  'nobody knew what became of a write',
  'a write was known by its key',
] as const

export type Encounter = (typeof ENCOUNTERS)[number]

/** What the simulation can be told to get wrong inside the database. */
interface Sabotage {
  readonly skipLock: boolean
  readonly skipCompare: boolean
  readonly tornSnapshot: boolean
}

/** Everything around a run that its parts share. */
export interface Surroundings {
  readonly schedule: Schedule
  readonly chance: Chance
  readonly weather: Weather
  readonly sabotage: Sabotage
  /** Counts what was met, so that it can be seen that the runs meet everything. */
  readonly met: (what: Encounter) => void
  readonly say: ((what: string) => void) | undefined
}

/** A database server in memory, with sessions, one lock, and commits that can be lost by a failover. */
export class Database {
  readonly lock: HeadLock
  readonly timeline: Timeline
  readonly surroundings: Surroundings
  isUp = true
  /** A failover took commits away. */
  hasForgotten = false
  /** Counts its lives: what was opened in an earlier one is gone. */
  life = 1
  readonly #sessions = new Set<Session>()
  readonly #listeners = new Set<() => void>()
  #states: State[]
  /** What was checked last, as it would be after it. */
  #staged: { base: State; request: Commit; after: ReturnType<typeof withBatch> } | null = null

  constructor(surroundings: Surroundings, first: State) {
    this.surroundings = surroundings
    this.lock = new HeadLock(surroundings.schedule)
    this.#states = [first]
    this.timeline = new Timeline(surroundings.schedule, first)
  }

  get state(): State {
    return this.#states.at(-1) as State
  }

  opened(session: Session): void {
    this.#sessions.add(session)
  }

  ended(session: Session): void {
    this.#sessions.delete(session)
    this.lock.release(session)
  }

  /** Throws what the database says where it does not take a batch. */
  check(request: Commit): void {
    this.#staged = { base: this.state, request, after: this.#after(request) }
  }

  commit(request: Commit): void {
    const { base, request: staged, after } = this.#staged ?? {}
    const { state, passed } =
      staged === request && base === this.state && after !== undefined ? after : this.#after(request)
    this.#states.push(state)
    this.timeline.committed(passed)
    this.surroundings.say?.(`database: ${request.batch.id} is committed, ${describeHead(state.head)}`)
    this.#notify()
  }

  listen(wake: () => void): () => void {
    this.#listeners.add(wake)
    return () => this.#listeners.delete(wake)
  }

  /** Killed and started again. A commit that was just being written may have made it. */
  restart(downMs: number): void {
    this.surroundings.say?.(`database: down for ${downMs.toFixed(0)} ms`)
    this.surroundings.met('the database was down')
    this.isUp = false
    this.life++
    this.lock.forget()
    for (const session of [...this.#sessions]) session.die()
    this.surroundings.schedule.after(downMs, () => {
      this.isUp = true
      this.surroundings.say?.('database: up again')
    })
  }

  /** A standby takes over that never had the last commits; it has had a life of its own since. */
  failOver(downMs: number, lost: number): void {
    this.restart(downMs)
    const kept = Math.max(1, this.#states.length - lost)
    if (kept < this.#states.length) this.surroundings.met('a failover lost commits')
    this.#states = this.#states.slice(0, kept)
    this.hasForgotten = true
    this.timeline.wentBack(this.state.head)
    this.surroundings.say?.(`database: a standby without the last commits, ${describeHead(this.state.head)}`)
  }

  #after({ from, batch, retention }: Commit): ReturnType<typeof withBatch> {
    const { head } = this.state
    const isCompared = batch.changes.length > 0 && !this.surroundings.sabotage.skipCompare
    if (isCompared && !isSameHead(from, head))
      throw new StoreDiverged(`the batch follows ${describeHead(from)}, the head is ${describeHead(head)}`)
    return withBatch(this.state, batch, retention)
  }

  #notify(): void {
    const { schedule, chance, weather } = this.surroundings
    for (const wake of this.#listeners) {
      const times = chance.happens(weather.notifyLost) ? 0 : chance.happens(weather.notifyTwice) ? 2 : 1
      for (let nth = 0; nth < times; nth++) schedule.after(chance.delayMs(weather.networkMs), wake)
    }
  }
}
