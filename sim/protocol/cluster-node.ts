import type { Cluster } from './cluster.ts'
import type { Server, Surroundings } from './database.ts'
import { HeadLock } from './head-lock.ts'
import type { Commit, Fence } from './request.ts'
import type { Timer } from './schedule.ts'
import type { Session } from './session.ts'
import type { State } from './state.ts'

interface Waiter {
  readonly position: number
  readonly done: () => void
}

/** One node of a cluster: shows commits of other nodes late, and then aborts the transactions they conflict with. */
export class ClusterNode implements Server {
  readonly name: string
  readonly surroundings: Surroundings
  readonly lock: HeadLock
  isUp = true
  life = 1
  position = 0
  readonly #cluster: Cluster
  readonly #sessions = new Set<Session>()
  #waiting: Waiter[] = []
  /** Events that are due since it froze. */
  #held: (() => void)[] | null = null

  constructor(name: string, cluster: Cluster) {
    this.name = name
    this.surroundings = cluster.surroundings
    this.lock = new HeadLock(cluster.surroundings.schedule)
    this.#cluster = cluster
  }

  get state(): State {
    return this.#cluster.stateAt(this.position)
  }

  get isFrozen(): boolean {
    return this.#held !== null
  }

  opened(session: Session): void {
    this.#sessions.add(session)
  }

  ended(session: Session): void {
    this.#sessions.delete(session)
    this.lock.release(session)
  }

  after(ms: number, run: () => void): Timer {
    let isCancelled = false
    const due = () => {
      if (this.#held !== null) this.#held.push(due)
      else if (!isCancelled) run()
    }
    const timer = this.surroundings.schedule.after(ms, due)
    return {
      cancel: () => {
        timer.cancel()
        isCancelled = true
      },
    }
  }

  catchUp(done: () => void): void {
    const { position } = this.#cluster
    if (position <= this.position || this.surroundings.sabotage.skipSyncWait) {
      done()
      return
    }
    this.surroundings.met('a read waited for its node')
    this.#waiting.push({ position, done })
  }

  flushMs(): number {
    const { chance, weather } = this.surroundings
    return chance.delayMs(weather.serverMs) + this.#cluster.stalledMs
  }

  check(request: Commit | Fence, since: number): void {
    this.#cluster.check(request, since)
  }

  commit(request: Commit | Fence, since: number): void {
    this.#cluster.commit(this, request, since)
  }

  /** A commit of another node: shown some time later. */
  receive(position: number): void {
    const { chance, weather } = this.surroundings
    this.after(chance.delayMs(weather.applyMs), () => {
      if (this.isUp) this.show(position)
    })
  }

  show(position: number): void {
    if (position <= this.position) return
    const overtaken = [...this.#sessions].filter(session => session.isOvertaken)
    this.position = position
    for (const session of overtaken) session.abort()
    const done = this.#waiting.filter(one => one.position <= position)
    this.#waiting = this.#waiting.filter(one => one.position > position)
    for (const one of done) one.done()
  }

  /** It dies, or is cut off from the majority: its clients are disconnected until it has caught up. */
  restart(downMs: number): void {
    if (!this.isUp || this.isFrozen) return
    this.#leave(downMs)
  }

  /** It freezes. For a while the others wait for it; then they evict it. */
  freeze(ms: number, rejoinMs: number): void {
    if (!this.isUp || this.isFrozen) return
    const { schedule, weather, met, say } = this.surroundings
    say?.(`${this.name}: frozen for ${ms.toFixed(0)} ms`)
    this.#held = []
    const { evictMs } = weather.timeouts
    const isEvicted = ms > evictMs
    this.#cluster.stall(Math.min(ms, evictMs))
    if (isEvicted)
      schedule.after(evictMs, () => {
        say?.(`${this.name}: evicted`)
        for (const session of [...this.#sessions]) session.cutShort()
      })
    schedule.after(ms, () => {
      const held = this.#held ?? []
      this.#held = null
      met(isEvicted ? 'a node was frozen, and evicted' : 'a node was frozen, and went on')
      if (isEvicted) this.#leave(rejoinMs)
      else for (const run of held) run()
    })
  }

  #leave(downMs: number): void {
    const { schedule, met, say } = this.surroundings
    say?.(`${this.name}: away for ${downMs.toFixed(0)} ms`)
    met('the database was down')
    this.isUp = false
    this.life++
    this.lock.forget()
    this.#waiting = []
    for (const session of [...this.#sessions]) session.die()
    schedule.after(downMs, () => {
      this.isUp = true
      this.position = this.#cluster.position
      say?.(`${this.name}: back, ${this.position} commits`)
    })
  }
}
