import { type Turn, TurnAborted } from '../../src/store/shared/link.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import type { Database } from './database.ts'
import { type Commit, done, failed, type Reply, type Request } from './request.ts'
import type { Timer } from './schedule.ts'
import { changesAfter, holds, plainRow } from './state.ts'

/** How the server reaches the other end. */
export interface Wire {
  answer(request: Request, reply: Reply): void
  /** The server closed its end. */
  ended(): void
}

/** The server's side of a connection: does what it is asked, one thing after the other. */
export class Session {
  readonly #database: Database
  readonly #wire: Wire
  readonly #inbox: Request[] = []
  #isBusy = false
  #isAlive = true
  #inTransaction = false
  /** Something failed in the transaction: it is over, but for a ROLLBACK nothing is done any more. */
  #isSpoilt = false
  #idle: Timer | null = null
  /** A commit that is being made durable: nobody knows yet whether it will be. */
  #flushing: Commit | null = null

  constructor(database: Database, wire: Wire) {
    this.#database = database
    this.#wire = wire
    database.opened(this)
  }

  receive(request: Request): void {
    if (!this.#isAlive) return
    this.#idle?.cancel()
    this.#inbox.push(request)
    if (!this.#isBusy) this.#next()
  }

  /** The server ends it, with whatever it was doing. */
  die(): void {
    const flushing = this.#flushing
    if (flushing !== null) {
      const { chance, met } = this.#database.surroundings
      met('a commit was cut short by the end of the database')
      if (chance.happens(0.5)) this.#database.commit(flushing)
    }
    this.#end()
    this.#wire.ended()
  }

  #end(): void {
    this.#isAlive = false
    this.#inTransaction = false
    this.#flushing = null
    this.#idle?.cancel()
    this.#database.ended(this)
  }

  #next(): void {
    const { schedule, chance, weather, met } = this.#database.surroundings
    const request = this.#inbox.shift()
    this.#isBusy = request !== undefined
    if (request !== undefined) {
      this.#later(chance.delayMs(weather.serverMs), () => this.#do(request))
      return
    }
    if (this.#inTransaction)
      this.#idle = schedule.after(weather.timeouts.idleMs, () => {
        met('a process froze with the lock, and lost it')
        this.die()
      })
  }

  #later(ms: number, run: () => void): void {
    this.#database.surroundings.schedule.after(ms, () => {
      if (this.#isAlive) run()
    })
  }

  #reply(request: Request, reply: Reply): void {
    this.#wire.answer(request, reply)
    if (this.#isAlive) this.#next()
  }

  #do(request: Request): void {
    const { chance, weather } = this.#database.surroundings
    if (request.kind === 'gone') this.#end()
    else if (request.kind !== 'rollback' && (this.#isSpoilt || chance.happens(weather.saysNo))) {
      // Links take a turn back that could not begin, and a COMMIT ends it in any case.
      const isOver = !this.#inTransaction || request.kind === 'begin' || request.kind === 'commit'
      this.#refuse(request, new StoreUnavailable('the database says no'))
      this.#isSpoilt = !isOver
    } else if (request.kind === 'begin') this.#begin(request)
    else if (request.kind === 'commit') this.#commit(request)
    else this.#reply(request, this.#look(request))
  }

  #begin(request: Request & { kind: 'begin' }): void {
    const { chance, weather, sabotage, met } = this.#database.surroundings
    if (this.#inTransaction) {
      this.#refuse(request, new Error('a transaction is open already'))
      return
    }
    this.#inTransaction = true
    if (chance.happens(weather.aborts / 4)) {
      this.#refuse(request, new TurnAborted('a deadlock'))
      return
    }
    const granted = () => {
      const { state } = this.#database
      const history = changesAfter(state, request.afterRevision, this.#pageMax())
      if (!history.kept) met('what a process missed was no longer kept')
      const turn: Turn = { head: state.head, history }
      this.#reply(request, done(turn))
    }
    if (sabotage.skipLock) granted()
    else
      this.#database.lock.take(this, weather.timeouts.lockMs, granted, () => {
        met('the lock could not be had in time')
        this.#refuse(request, new StoreUnavailable('the head lock could not be had in time'))
      })
  }

  #commit(request: Commit): void {
    const { chance, weather, met } = this.#database.surroundings
    const attempt = (deed: () => void) => {
      try {
        if (!this.#inTransaction) throw new Error('there is no transaction to commit')
        deed()
      } catch (error) {
        this.#refuse(request, error as Error)
      }
    }
    attempt(() => {
      if (chance.happens(weather.aborts)) {
        met('the database took a transaction back')
        throw new TurnAborted('could not serialize access')
      }
      this.#database.check(request)
      this.#flushing = request
      if (chance.happens(weather.diesAtCommit)) {
        this.#database.restart(chance.between(0, 300))
        return
      }
      this.#later(chance.delayMs(weather.serverMs), () => {
        this.#flushing = null
        attempt(() => {
          this.#database.commit(request)
          this.#closeTransaction()
          this.#reply(request, done())
        })
      })
    })
  }

  /** After an error nothing is left of the transaction. */
  #refuse(request: Request, error: Error): void {
    this.#closeTransaction()
    this.#reply(request, failed(error))
  }

  #look(request: Exclude<Request, { kind: 'begin' | 'commit' | 'gone' }>): Reply {
    const { state } = this.#database
    switch (request.kind) {
      case 'rollback':
        this.#closeTransaction()
        return done()
      case 'head':
        return done(state.head)
      case 'changes':
        return done(changesAfter(state, request.afterRevision, Math.min(request.limit, this.#pageMax())))
      case 'plain':
        return done(plainRow(state, request.table, request.key))
      case 'holds':
        return done(holds(state, request.puts))
      default:
        return request satisfies never
    }
  }

  #closeTransaction(): void {
    this.#inTransaction = this.#isSpoilt = false
    this.#database.lock.release(this)
  }

  /** Pages are short, so that catching up takes several. */
  #pageMax(): number {
    return this.#database.surroundings.chance.whole(1, 4)
  }
}
