import { type Turn, TurnAborted } from '../../src/store/shared/link.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import type { Server } from './database.ts'
import { type Commit, done, type Fence, failed, type Reply, type Request } from './request.ts'
import type { Timer } from './schedule.ts'
import { changesAfter, holds, plainRow } from './state.ts'

/** How the server reaches the other end. */
export interface Wire {
  answer(request: Request, reply: Reply): void
  /** The server closed its end. */
  ended(): void
}

const ENDS_TURN: ReadonlySet<Request['kind']> = new Set(['begin', 'commit', 'fence', 'release'])

/** The server's side of a connection: runs requests in order. */
export class Session {
  readonly #server: Server
  readonly #wire: Wire
  readonly #inbox: Request[] = []
  #isBusy = false
  #isAlive = true
  #inTransaction = false
  /** The transaction has failed: only a ROLLBACK works now. */
  #isSpoilt = false
  /** The server rolled back the transaction. */
  #isAborted = false
  /** The same, but it reports nothing and goes on in a new one: later reads are newer, and a commit fails. */
  #isReplaced = false
  /** It holds the lock and has read the head at this position. */
  #hasRead = false
  #since = 0
  #idle: Timer | null = null
  /** A commit that is being made durable: its outcome is not known yet. */
  #flushing: Commit | Fence | null = null

  constructor(server: Server, wire: Wire) {
    this.#server = server
    this.#wire = wire
    server.opened(this)
  }

  /** Its transaction has read a row that a commit of another node changes. */
  get isOvertaken(): boolean {
    return this.#hasRead && this.#flushing === null
  }

  /** The server rolls back the transaction for a commit of another node; the client learns it with its next request. */
  abort(): void {
    const { chance, weather, met } = this.#server.surroundings
    met('a node aborted a transaction for a commit of another')
    if (chance.happens(weather.replaces)) {
      met('a node said nothing of a transaction that it aborted')
      this.#isReplaced = true
    } else this.#isAborted = true
    this.#hasRead = false
    this.#server.lock.release(this)
  }

  receive(request: Request): void {
    if (!this.#isAlive) return
    this.#idle?.cancel()
    this.#inbox.push(request)
    if (!this.#isBusy) this.#next()
  }

  /** The server ends it. */
  die(): void {
    this.cutShort()
    this.#end()
    this.#wire.ended()
  }

  /** The server has died, or left the cluster: a commit in progress may have taken effect. */
  cutShort(): void {
    const flushing = this.#flushing
    this.#flushing = null
    if (flushing === null) return
    const { chance, met } = this.#server.surroundings
    met('a commit was cut short by the end of the database')
    if (chance.happens(0.5))
      try {
        this.#server.commit(flushing, this.#since)
      } catch {
        // It was not accepted, and no answer is sent.
      }
  }

  #end(): void {
    this.#isAlive = false
    this.#inTransaction = this.#hasRead = false
    this.#flushing = null
    this.#idle?.cancel()
    this.#server.ended(this)
  }

  #next(): void {
    const { chance, weather, met } = this.#server.surroundings
    const request = this.#inbox.shift()
    this.#isBusy = request !== undefined
    if (request !== undefined) {
      this.#later(chance.delayMs(weather.serverMs), () => this.#do(request))
      return
    }
    if (this.#inTransaction)
      this.#idle = this.#server.after(weather.timeouts.idleMs, () => {
        met('a process froze with the lock, and lost it')
        this.die()
      })
  }

  #later(ms: number, run: () => void): void {
    this.#server.after(ms, () => {
      if (this.#isAlive) run()
    })
  }

  #reply(request: Request, reply: Reply): void {
    this.#wire.answer(request, reply)
    if (this.#isAlive) this.#next()
  }

  #do(request: Request): void {
    const { chance, weather } = this.#server.surroundings
    if (request.kind === 'gone') this.#end()
    else if (this.#isAborted && request.kind !== 'rollback')
      this.#refuse(request, new TurnAborted('deadlock: overtaken by another node (1213)'))
    else if (this.#isReplaced && (request.kind === 'commit' || request.kind === 'fence'))
      this.#refuseReplaced(request)
    else if (request.kind !== 'rollback' && (this.#isSpoilt || chance.happens(weather.saysNo))) {
      // Links roll back a turn that could not begin, and a COMMIT ends it in any case.
      const isOver = !this.#inTransaction || ENDS_TURN.has(request.kind)
      this.#refuse(request, new StoreUnavailable('the database says no'))
      this.#isSpoilt = !isOver
    } else if (request.kind === 'begin') this.#begin(request)
    else if (request.kind === 'commit' || request.kind === 'fence') this.#commit(request)
    else if (request.kind === 'release') this.#release(request)
    else if (this.#inTransaction || request.kind === 'rollback') this.#reply(request, this.#look(request))
    else this.#catchUp(() => this.#reply(request, this.#look(request)))
  }

  /** Its first statement changes no row, as the head has another turn. */
  #refuseReplaced(request: Commit | Fence): void {
    if (request.kind === 'commit' || !this.#server.surroundings.sabotage.fenceWithoutTurn) {
      this.#refuse(request, new TurnAborted('another process wrote during the turn'))
      return
    }
    this.#closeTransaction()
    this.#reply(request, done())
  }

  #catchUp(run: () => void): void {
    this.#server.catchUp(() => {
      if (this.#isAlive) run()
    })
  }

  /** Nothing was written: the head that was read must still be the newest. */
  #release(request: Request): void {
    this.#catchUp(() => {
      if (this.#hasRead && this.#server.position === this.#since) {
        this.#closeTransaction()
        this.#reply(request, done())
        return
      }
      this.#server.surroundings.met('a turn that refused was not the newest any more')
      this.#refuse(request, new TurnAborted('the head has moved'))
    })
  }

  #begin(request: Request & { kind: 'begin' }): void {
    const { chance, weather, sabotage, met } = this.#server.surroundings
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
      const { head } = this.#server.state
      this.#hasRead = true
      this.#since = this.#server.position
      // Two statements.
      this.#later(chance.delayMs(weather.serverMs), () => {
        if (this.#isAborted) {
          this.#refuse(request, new TurnAborted('deadlock: overtaken by another node (1213)'))
          return
        }
        const history = changesAfter(this.#server.state, request.afterRevision, this.#pageMax())
        if (!history.kept) met('what a process missed was no longer kept')
        const turn: Turn = { head, history }
        this.#reply(request, done(turn))
      })
    }
    const take = () =>
      this.#server.lock.take(this, weather.timeouts.lockMs, granted, () => {
        met('the lock could not be had in time')
        this.#refuse(request, new StoreUnavailable('the head lock could not be had in time'))
      })
    const isBehind = this.#server.state.head.revision < request.afterRevision
    // Only memory that is ahead waits for a node: in all other cases a turn that read too early cannot commit.
    if (weather.turnsWait || isBehind) this.#catchUp(sabotage.skipLock ? granted : take)
    else if (sabotage.skipLock) granted()
    else take()
  }

  #commit(request: Commit | Fence): void {
    const { chance, weather, met } = this.#server.surroundings
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
      this.#server.check(request, this.#since)
      this.#flushing = request
      if (chance.happens(weather.diesAtCommit)) {
        this.#server.restart(chance.between(0, 300))
        return
      }
      this.#later(this.#server.flushMs(), () => {
        // The server may be gone by now, and the commit with it.
        if (this.#flushing === null) return
        attempt(() => {
          this.#server.commit(request, this.#since)
          this.#flushing = null
          this.#closeTransaction()
          this.#reply(request, done())
        })
      })
    })
  }

  /** After an error the transaction is gone. */
  #refuse(request: Request, error: Error): void {
    this.#flushing = null
    this.#closeTransaction()
    this.#reply(request, failed(error))
  }

  #look(request: Exclude<Request, { kind: 'begin' | 'commit' | 'fence' | 'release' | 'gone' }>): Reply {
    const { state } = this.#server
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
    this.#inTransaction = this.#isSpoilt = this.#isAborted = this.#isReplaced = this.#hasRead = false
    this.#server.lock.release(this)
  }

  /** Pages are short, so that catching up takes several. */
  #pageMax(): number {
    return this.#server.surroundings.chance.whole(1, 4)
  }
}
