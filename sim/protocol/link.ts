import { type Link, LinkLost, type Turn, TurnAborted } from '../../src/store/shared/link.ts'
import type { Batch, Head, History, Retention } from '../../src/store/store.ts'
import type { PlainName, PlainPut } from '../../src/store/tables/plain-tables.ts'
import type { AnyRow, Value } from '../../src/world/table.ts'
import type { Database, Server } from './database.ts'
import type { Gate } from './gate.ts'
import { describeRequest, type Reply, type Request } from './request.ts'
import type { Timer } from './schedule.ts'
import { Session, type Wire } from './session.ts'

interface Pending {
  readonly request: Request
  readonly resolve: (value: never) => void
  readonly reject: (reason: unknown) => void
  readonly deadline: Timer
}

/** A client's side of a connection, and the network between the two. */
export class SimLink implements Link, Wire {
  readonly #name: string
  readonly #gate: Gate
  readonly #database: Database
  readonly #session: Session
  #pending: Pending[] = []
  #isLost = false
  #truncated = false
  /** The request whose answer will not come. */
  #unanswered: Request | null = null
  #upMs = 0
  #downMs = 0

  constructor(name: string, gate: Gate, database: Database, server: Server) {
    this.#name = `${name}@${server.name}`
    this.#gate = gate
    this.#database = database
    this.#session = new Session(server, this)
  }

  begin(afterRevision: number): Promise<Turn> {
    return this.#ask({ kind: 'begin', afterRevision })
  }

  commit(from: Head, batch: Batch, retention: Retention): Promise<void> {
    // A real link may know that it never sent anything.
    if (this.#isLost && this.#database.surroundings.chance.happens(0.5))
      return Promise.reject(new TurnAborted('the turn was cut short'))
    return this.#ask({ kind: 'commit', from, batch, retention })
  }

  rollback(): Promise<void> {
    return this.#ask({ kind: 'rollback' })
  }

  fence(): Promise<void> {
    return this.#ask({ kind: 'fence' })
  }

  release(): Promise<void> {
    return this.#ask({ kind: 'release' })
  }

  head(): Promise<Head> {
    return this.#ask({ kind: 'head' })
  }

  changesAfter(afterRevision: number, limit: number): Promise<History> {
    return this.#ask({ kind: 'changes', afterRevision, limit })
  }

  plainRow(table: PlainName, key: readonly Value[]): Promise<AnyRow | null> {
    return this.#ask({ kind: 'plain', table, key })
  }

  plainRows(): Promise<AnyRow[]> {
    return Promise.reject(new Error('the simulation lists no rows'))
  }

  holds(puts: readonly PlainPut[]): Promise<boolean> {
    return this.#ask({ kind: 'holds', puts })
  }

  async close(): Promise<void> {
    this.#lose('it was closed')
    this.#send({ kind: 'gone' })
  }

  /** The process has died: the operating system closes its end. */
  abandon(): void {
    this.#isLost = true
    this.#send({ kind: 'gone' })
  }

  /** The network fails: nothing passes any more, and each end notices in its own time. */
  cut(): void {
    if (this.#truncated) return
    this.#truncated = true
    const { schedule, chance, say } = this.#database.surroundings
    say?.(`${this.#name}: cut`)
    const noticeMs = () => (chance.happens(0.3) ? chance.between(100, 8_000) : chance.delayMs(5))
    schedule.after(noticeMs(), () => this.#gate.enter('database', () => this.#lose('the connection was cut')))
    schedule.after(noticeMs(), () => this.#session.receive({ kind: 'gone' }))
  }

  answer(request: Request, reply: Reply): void {
    const { chance, weather, met } = this.#database.surroundings
    if (request === this.#unanswered) this.cut()
    if (request.kind === 'commit' && reply.ok) {
      if (this.#isLost) met('a commit was done after its client had given up')
      else if (this.#truncated) met('the answer to a commit was lost')
    }
    // The process freezes while it holds the lock, before it has the answer.
    if (request.kind === 'begin' && chance.happens(weather.pausesInTurn)) this.#freeze()
    this.#database.surroundings.say?.(
      `${this.#name}: ${describeRequest(request)}: ${reply.ok ? 'done' : `${reply.error.name}, ${reply.error.message}`}${this.#truncated ? ', not heard' : ''}`,
    )
    this.#down(() => this.#settle(request, reply))
  }

  ended(): void {
    this.#down(() => this.#lose('the server closed the connection'))
  }

  #freeze(): void {
    const { schedule, chance, weather } = this.#database.surroundings
    const ms = chance.between(50, 5_000)
    this.#gate.pauseFor(ms)
    if (chance.happens(weather.losesInTurn))
      schedule.after(chance.between(0, ms), () => {
        if (weather.losesInTurn > 0) this.#database.failHard(chance.between(0, 300))
      })
  }

  #ask<T>(request: Request): Promise<T> {
    if (this.#isLost) return Promise.reject(new LinkLost('the connection is gone'))
    const { weather } = this.#database.surroundings
    return new Promise<T>((resolve, reject) => {
      const deadline = this.#gate.after(weather.timeouts.deadlineMs, () =>
        this.#lose(`no answer to ${request.kind} in time`),
      )
      this.#pending.push({ request, resolve, reject, deadline })
      this.#misfortune(request)
      this.#send(request)
    })
  }

  /** The fate of a request is drawn when it is sent. */
  #misfortune(request: Request): void {
    const { chance, weather, met } = this.#database.surroundings
    const isCommit = request.kind === 'commit'
    if (chance.happens(isCommit ? weather.cutBeforeCommit : weather.cutBefore)) {
      if (isCommit) met('a commit never arrived')
      this.cut()
    } else if (chance.happens(isCommit ? weather.cutAfterCommit : weather.cutAfter))
      this.#unanswered = request
  }

  #send(request: Request): void {
    if (this.#truncated) return
    const { schedule, chance, weather } = this.#database.surroundings
    const delayMs = chance.happens(request.kind === 'commit' ? weather.lateCommit : weather.lateMessage)
      ? this.#computeLateMs()
      : chance.delayMs(weather.networkMs)
    // A connection keeps its order.
    this.#upMs = Math.max(this.#upMs, schedule.nowMs + delayMs)
    schedule.after(this.#upMs - schedule.nowMs, () => {
      if (!this.#truncated) this.#session.receive(request)
    })
  }

  /** At any time, or while the client that gave up looks for the outcome. */
  #computeLateMs(): number {
    const { chance, weather } = this.#database.surroundings
    if (chance.happens(0.5)) return chance.between(100, 6_000)
    return weather.timeouts.deadlineMs + chance.between(0, 60 * weather.networkMs)
  }

  #down(arrive: () => void): void {
    if (this.#truncated) return
    const { schedule, chance, weather } = this.#database.surroundings
    const isLate = chance.happens(weather.lateMessage)
    const delayMs = isLate ? chance.between(100, 6_000) : chance.delayMs(weather.networkMs)
    this.#downMs = Math.max(this.#downMs, schedule.nowMs + delayMs)
    schedule.after(this.#downMs - schedule.nowMs, () => {
      if (!this.#truncated) this.#gate.enter('database', arrive)
    })
  }

  #settle(request: Request, reply: Reply): void {
    const pending = this.#pending.find(one => one.request === request)
    if (pending === undefined) return
    this.#pending = this.#pending.filter(one => one !== pending)
    pending.deadline.cancel()
    if (reply.ok) pending.resolve(reply.value as never)
    else pending.reject(reply.error)
  }

  #lose(why: string): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#database.surroundings.say?.(`${this.#name}: lost, ${why}`)
    for (const { reject, deadline } of this.#pending.splice(0)) {
      deadline.cancel()
      reject(new LinkLost(why))
    }
  }
}
