import type { ConsumerClaim } from '../../src/placement/allocations/ledger.ts'
import { PlainRowTaken, StoreRejected, StoreUnavailable, StoreUncertain } from '../../src/store/store.ts'
import type { World } from '../../src/world/world.ts'
import { CAPACITY, CLASS, CONSUMERS, keyOf, makeKeyRow, PROVIDERS } from './cloud.ts'
import type { Encounter } from './database.ts'
import type { Gate } from './gate.ts'
import type { Answer, Attempt, Ledger, Read, Write } from './ledger.ts'
import { ProcessDied, type Running, type SimProcess } from './process.ts'
import type { Chance, Schedule } from './schedule.ts'

/** How often the clients of a run do what. */
interface Habits {
  readonly reads: number
  readonly keys: number
  /** They send a wrong generation, and are refused. */
  readonly wrongGenerations: number
}

export function habitsOf(chance: Chance): Habits {
  return {
    reads: chance.pick([0.2, 0.35, 0.7]),
    keys: chance.pick([0, 0.4, 0.8]),
    wrongGenerations: chance.pick([0, 0, 0.6]),
  }
}

interface ClientParts {
  readonly habits: Habits
  readonly schedule: Schedule
  readonly chance: Chance
  readonly outside: Gate
  readonly ledger: Ledger
  readonly say: ((what: string) => void) | undefined
  readonly met: (what: Encounter) => void
  /** What must never happen. */
  readonly violated: (what: string) => void
  /** Called at the moment a read is answered. */
  readonly onRead: (read: Read, running: Running) => void
}

const TRIES_MAX = 4

/** A client: claims, moves, resizes and releases, and reads in between. */
export class Client {
  readonly #parts: ClientParts

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  async work(processes: readonly SimProcess[], requests: number): Promise<void> {
    const { chance, outside, habits } = this.#parts
    const waiting: Promise<unknown>[] = []
    for (let nth = 0; nth < requests; nth++) {
      await outside.sleep(chance.delayMs(chance.pick([1, 20, 100])))
      const isRead = chance.happens(habits.reads)
      const answered = isRead ? this.read(chance.pick(processes)) : this.#write(processes)
      if (chance.happens(0.6)) await answered
      else waiting.push(answered)
    }
    await Promise.all(waiting)
  }

  /** True if it was answered. */
  async read(process: SimProcess): Promise<boolean> {
    const { schedule, ledger, onRead, say, violated } = this.#parts
    const startMs = schedule.nowMs
    try {
      await process.call(async running => {
        await running.follower.waitUntilFresh()
        const { head } = running.sequencer
        onRead({ process: process.name, startMs, endMs: schedule.nowMs, head }, running)
      })
      ledger.reads++
      return true
    } catch (reason) {
      if (!(reason instanceof StoreUnavailable || reason instanceof ProcessDied))
        violated(`a read on ${process.name} failed with ${reason}`)
      say?.(`client: a read on ${process.name} failed, ${reason}`)
      ledger.readsFailed++
      return false
    }
  }

  async #write(processes: readonly SimProcess[]): Promise<void> {
    const { chance, outside, ledger, habits } = this.#parts
    const process = chance.pick(processes)
    const claims = this.#claims(process.running?.world ?? null)
    const write = ledger.newWrite(claims, chance.happens(habits.keys))
    let answer = await this.attempt(process, write)
    // A keyed write can be sent again to learn its outcome.
    for (let tries = 1; write.isKeyed && isOpen(answer) && tries < TRIES_MAX; tries++) {
      await outside.sleep(chance.delayMs(200))
      answer = await this.attempt(chance.pick(processes), write)
    }
  }

  async attempt(process: SimProcess, write: Write): Promise<Answer> {
    const { schedule, say } = this.#parts
    const attempt: Attempt = {
      process: process.name,
      startMs: schedule.nowMs,
      endMs: Number.POSITIVE_INFINITY,
      answer: null,
    }
    write.attempts.push(attempt)
    say?.(`client: request ${write.request} to ${process.name}${write.isKeyed ? ' with a key' : ''}`)
    const isAgain = write.attempts.length > 1
    const answer = await process
      .call(running => this.#ask(running, write, isAgain))
      .catch(reason => this.#why(write, reason))
    attempt.endMs = schedule.nowMs
    attempt.answer = answer
    say?.(`client: request ${write.request}: ${JSON.stringify(answer)}`)
    return answer
  }

  async #ask({ store, sequencer, clock }: Running, write: Write, isAgain: boolean): Promise<Answer> {
    const { request, claims, isKeyed } = write
    if (isAgain) {
      const row = await store
        .plainRow('idempotency_keys', keyOf(request), clock.nowMs())
        .catch(reason =>
          Promise.reject(reason instanceof StoreUnavailable ? new ProcessDied(reason.message) : reason),
        )
      if (row !== null) this.#parts.met('a write was known by its key')
      if (row !== null) return { kind: 'known', status: row.status }
    }
    const record = (outcome: { readonly ok: boolean }, nowMs: number) => [
      makeKeyRow(request, outcome.ok, nowMs),
    ]
    const outcome = await sequencer.submit(
      { kind: 'act', request, claims, isAgain },
      isKeyed ? record : undefined,
    )
    if (!outcome.ok) return { kind: 'refused', refusal: outcome.refusal }
    return { kind: outcome.answer.isSigned ? 'done' : 'nothing' }
  }

  #why(write: Write, reason: unknown): Answer {
    const why = String(reason)
    if (reason instanceof StoreUncertain) this.#parts.met('nobody knew what became of a write')
    if (reason instanceof StoreUncertain || reason instanceof ProcessDied) return { kind: 'uncertain', why }
    if (reason instanceof PlainRowTaken) return { kind: 'taken' }
    if (reason instanceof StoreUnavailable) return { kind: 'failed', why }
    this.#parts.violated(
      `request ${write.request} failed with ${reason instanceof StoreRejected ? 'a rejection, ' : ''}${why}`,
    )
    return { kind: 'failed', why }
  }

  /** Few amounts on few hosts; the generation may be stale. */
  #claims(world: World | null): ConsumerClaim[] {
    const { chance, habits } = this.#parts
    const count = chance.happens(0.15) ? 2 : 1
    const first = chance.whole(0, CONSUMERS.length - 1)
    return Array.from({ length: count }, (_, nth) => {
      const consumer = CONSUMERS[(first + nth) % CONSUMERS.length] as string
      const slot = world?.consumers.find(consumer)
      const known = world === null || slot === undefined ? null : world.consumers.row(slot).generation
      return {
        consumer,
        projectId: 'p',
        userId: 'u',
        type: undefined,
        generation: chance.happens(habits.wrongGenerations) ? 99 : chance.happens(0.5) ? undefined : known,
        allocations: chance.happens(0.3) ? [] : this.#allocations(),
      }
    })
  }

  #allocations(): ConsumerClaim['allocations'] {
    const { chance } = this.#parts
    const first = chance.whole(0, PROVIDERS.length - 1)
    return Array.from({ length: chance.happens(0.3) ? 2 : 1 }, (_, nth) => ({
      provider: PROVIDERS[(first + nth) % PROVIDERS.length] as string,
      resources: [[CLASS, chance.whole(1, CAPACITY / 2)]] as const,
    }))
  }
}

const isOpen = ({ kind }: Answer): boolean => kind === 'uncertain' || kind === 'taken'
