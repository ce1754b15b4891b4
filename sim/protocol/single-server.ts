import { describeHead, isSameHead } from '../../src/store/chain.ts'
import { StoreDiverged } from '../../src/store/store.ts'
import type { Database, Server, Surroundings } from './database.ts'
import { HeadLock } from './head-lock.ts'
import type { Commit, Fence } from './request.ts'
import type { Timer } from './schedule.ts'
import type { Session } from './session.ts'
import { type State, withBatch } from './state.ts'
import { Timeline } from './timeline.ts'

/** A database server in memory, with sessions, one lock, and commits that a failover can lose. */
export class SingleServer implements Database, Server {
  readonly name = 'database'
  readonly lock: HeadLock
  readonly timeline: Timeline
  readonly surroundings: Surroundings
  readonly blows: Database['blows'] = {
    restart: briefMs => this.restart(briefMs),
    'lose commits': briefMs => this.failHard(briefMs),
  }
  /** The lock suffices: no transaction that has read is overtaken by another. */
  readonly position = 0
  readonly isFrozen = false
  isUp = true
  hasForgotten = false
  life = 1
  readonly #sessions = new Set<Session>()
  #states: State[]
  /** The state after the batch that was checked last. */
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

  pickServer(): Server {
    return this
  }

  opened(session: Session): void {
    this.#sessions.add(session)
  }

  ended(session: Session): void {
    this.#sessions.delete(session)
    this.lock.release(session)
  }

  after(ms: number, run: () => void): Timer {
    return this.surroundings.schedule.after(ms, run)
  }

  catchUp(done: () => void): void {
    done()
  }

  flushMs(): number {
    return this.surroundings.chance.delayMs(this.surroundings.weather.serverMs)
  }

  check(request: Commit | Fence): void {
    if (request.kind === 'commit') this.#staged = { base: this.state, request, after: this.#after(request) }
  }

  commit(request: Commit | Fence): void {
    if (request.kind === 'fence') return
    const { base, request: staged, after } = this.#staged ?? {}
    const { state, passed } =
      staged === request && base === this.state && after !== undefined ? after : this.#after(request)
    this.#states.push(state)
    this.timeline.committed(passed)
    this.surroundings.say?.(`database: ${request.batch.id} is committed, ${describeHead(state.head)}`)
  }

  /** Killed and restarted. A commit in progress may have taken effect. */
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

  /** Promotes a standby that never had the last commits and has made its own since. */
  failHard(downMs: number): void {
    const { chance, met, say } = this.surroundings
    this.restart(downMs)
    const kept = Math.max(1, this.#states.length - chance.whole(1, 4))
    if (kept < this.#states.length) met('a failover lost commits')
    this.#states = this.#states.slice(0, kept)
    this.hasForgotten = true
    this.timeline.wentBack(this.state.head)
    say?.(`database: a standby without the last commits, ${describeHead(this.state.head)}`)
  }

  #after({ from, batch, retention }: Commit): ReturnType<typeof withBatch> {
    const { head } = this.state
    const isCompared = batch.changes.length > 0 && !this.surroundings.sabotage.skipCompare
    if (isCompared && !isSameHead(from, head))
      throw new StoreDiverged(`the batch follows ${describeHead(from)}, the head is ${describeHead(head)}`)
    return withBatch(this.state, batch, retention)
  }
}
