import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Change } from '../world/change.ts'
import type { Decision, Rules } from '../world/decision.ts'
import type { World } from '../world/world.ts'
import { type Batch, type Committed, type Head, type Store, StoreUnavailable } from './store.ts'

type CommandOf<R> = R extends (world: World, command: infer C, nowMs: number) => unknown ? C : never
type AnswerOf<R> = R extends (...args: never[]) => Decision<infer A, unknown> ? A : never
type RefusalOf<R> = R extends (...args: never[]) => Decision<unknown, infer F> ? F : never

export type Outcome<Answer, Refusal> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly refusal: Refusal }

interface Waiting {
  readonly kind: string
  readonly command: unknown
  readonly resolve: (outcome: Outcome<unknown, unknown>) => void
  readonly reject: (reason: unknown) => void
}

interface Job {
  readonly run: () => Promise<void>
  readonly reject: (reason: unknown) => void
}

/** What the sequencer tells about each batch, for metrics and logs. */
export interface SequencerObserver {
  batchCommitted(commands: number, changes: number): void
  batchFailed(commands: number, reason: unknown): void
  /** A change is durable and in memory. Called once everything of its batch is. */
  applied(committed: Change, revision: number): void
  /** Memory can no longer be trusted, nothing is taken any more: end the process and start again. */
  broken(reason: unknown): void
}

/** Memory can no longer be trusted. The cause says why. */
export class SequencerBroken extends Error {
  override name = 'SequencerBroken'
}

export interface SequencerLimits {
  readonly commandsPerBatchMax: number
  /** A batch closes once it holds so many row ops; one command that has more goes alone. */
  readonly opsPerBatchMax: number
  readonly waitingMax: number
}

const LIMITS: SequencerLimits = { commandsPerBatchMax: 512, opsPerBatchMax: 20_000, waitingMax: 50_000 }

/**
 * The only place where writes are decided. It takes the commands that wait, runs the rule of each on a world
 * that already contains the earlier ones, takes all of it back, commits the batch, and only then applies it
 * for good and answers. So no reader ever sees what is not durable, and a failed commit leaves nothing behind.
 */
export class Sequencer<R extends Rules> {
  readonly #world: World
  readonly #store: Store
  readonly #rules: R
  readonly #clock: Clock
  readonly #newBatchId: () => string
  readonly #observer: SequencerObserver | undefined
  readonly #limits: SequencerLimits
  #head: Head
  #queue: Waiting[] = []
  #jobs: Job[] = []
  #turn: Promise<void> | null = null
  #broken: SequencerBroken | null = null

  constructor(parts: {
    world: World
    store: Store
    rules: R
    clock: Clock
    head: Head
    newBatchId: () => string
    observer?: SequencerObserver
    limits?: Partial<SequencerLimits>
  }) {
    assert(parts.world.revision === parts.head.revision, 'the world stands at the head it came with')
    this.#world = parts.world
    this.#store = parts.store
    this.#rules = parts.rules
    this.#clock = parts.clock
    this.#head = parts.head
    this.#newBatchId = parts.newBatchId
    this.#observer = parts.observer
    this.#limits = { ...LIMITS, ...parts.limits }
  }

  get head(): Head {
    return this.#head
  }

  submit<K extends keyof R & string>(
    command: { kind: K } & CommandOf<R[K]>,
  ): Promise<Outcome<AnswerOf<R[K]>, RefusalOf<R[K]>>> {
    if (this.#broken !== null) return Promise.reject(this.#broken)
    if (this.#queue.length >= this.#limits.waitingMax)
      return Promise.reject(new StoreUnavailable(`${this.#queue.length} writes are waiting already`))
    return new Promise((resolve, reject) => {
      this.#queue.push({ kind: command.kind, command, resolve: resolve as Waiting['resolve'], reject })
      this.#wake()
    })
  }

  /** Runs a job between two batches: while it runs the world stands still at the stored head. */
  alone<T>(job: () => Promise<T>): Promise<T> {
    if (this.#broken !== null) return Promise.reject(this.#broken)
    return new Promise((resolve, reject) => {
      const run = async () => {
        try {
          resolve(await job())
        } catch (reason) {
          reject(reason)
        }
      }
      this.#jobs.push({ run, reject })
      this.#wake()
    })
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#turn !== null) await this.#turn
  }

  #wake(): void {
    if (this.#turn === null) this.#turn = this.#run()
  }

  async #run(): Promise<void> {
    // Everything that arrives in the same tick shares the first commit.
    await Promise.resolve()
    while (this.#queue.length > 0 || this.#jobs.length > 0) {
      const job = this.#jobs.shift()
      if (job !== undefined) await job.run()
      if (this.#queue.length > 0) await this.#commitBatch()
    }
    // In the same breath as the look at the queue: whoever comes later starts a new turn.
    this.#turn = null
  }

  async #commitBatch(): Promise<void> {
    let decided: Decided[] = []
    let changes: Change[] = []
    try {
      const head = await this.#store.write(this.#head, missed => {
        this.#catchUp(missed)
        decided = this.#decideAll()
        changes = decided.flatMap(one => (one.change.ops.length > 0 ? [one.change] : []))
        return this.#batch(changes)
      })
      this.#applyForGood(changes, head)
      this.#observer?.batchCommitted(decided.length, changes.length)
    } catch (reason) {
      const commands = decided.length || Math.min(this.#queue.length, this.#limits.commandsPerBatchMax)
      this.#observer?.batchFailed(commands, reason)
      if (!(reason instanceof StoreUnavailable)) return this.#break(reason)
      for (const one of this.#queue.splice(0, commands)) one.reject(reason)
      return
    }
    this.#queue.splice(0, decided.length)
    for (const one of decided) one.answer()
  }

  #batch(changes: readonly Change[]): Batch | null {
    return changes.length === 0 ? null : { id: this.#newBatchId(), atMs: this.#clock.nowMs(), changes }
  }

  #catchUp(missed: readonly Committed[]): void {
    for (const { change, revision, chain } of missed) {
      assert(revision === this.#head.revision + 1, `revision ${revision} follows ${this.#head.revision}`)
      this.#applyForGood([change], { revision, chain })
    }
  }

  #applyForGood(changes: readonly Change[], head: Head): void {
    for (const change of changes) this.#world.apply(change)
    const before = this.#world.revision
    this.#world.revision += changes.length
    assert(this.#world.revision === head.revision, `the head is at ${head.revision}, memory is elsewhere`)
    this.#head = head
    changes.forEach((change, at) => {
      this.#observer?.applied(change, before + at + 1)
    })
  }

  /**
   * Every waiting command in turn, on a world that holds the earlier ones; afterwards the world is as it was.
   * When the world itself throws, half a change may be in it and nothing can be taken back: let it out.
   */
  #decideAll(): Decided[] {
    const nowMs = this.#clock.nowMs()
    const decided: Decided[] = []
    let ops = 0
    for (const one of this.#queue) {
      if (decided.length >= this.#limits.commandsPerBatchMax || ops >= this.#limits.opsPerBatchMax) break
      const entry = this.#decide(one, nowMs)
      const next = ops + entry.change.ops.length
      if (ops > 0 && next > this.#limits.opsPerBatchMax) break
      this.#world.apply(entry.change)
      decided.push(entry)
      ops = next
    }
    for (const { change } of decided.toReversed()) this.#world.undo(change)
    return decided
  }

  #decide(one: Waiting, nowMs: number): Decided {
    try {
      const rule = this.#rules[one.kind]
      if (rule === undefined) throw new Error(`no rule for command ${one.kind}`)
      const decision = rule(this.#world, one.command, nowMs)
      if (decision.ok)
        return { change: decision.change, answer: () => one.resolve({ ok: true, answer: decision.answer }) }
      return { change: NOTHING, answer: () => one.resolve({ ok: false, refusal: decision.refusal }) }
    } catch (bug) {
      // One command that trips over a bug of ours must not take its neighbours down.
      return { change: NOTHING, answer: () => one.reject(bug) }
    }
  }

  #break(reason: unknown): void {
    const why = reason instanceof Error ? reason.message : String(reason)
    const broken = new SequencerBroken(`memory can no longer be trusted: ${why}`, { cause: reason })
    this.#broken = broken
    for (const one of this.#queue.splice(0)) one.reject(broken)
    for (const job of this.#jobs.splice(0)) job.reject(broken)
    this.#observer?.broken(reason)
  }
}

interface Decided {
  readonly change: Change
  readonly answer: () => void
}

const NOTHING: Change = { ops: [] }
