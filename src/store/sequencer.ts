import type { Clock } from '../kernel/clock.ts'
import type { Change } from '../world/change.ts'
import type { Decision, Rules } from '../world/decision.ts'
import type { World } from '../world/world.ts'
import type { Batch, Committed, Head, Store } from './store.ts'

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

/** What the sequencer tells about each batch, for metrics and logs. */
export interface SequencerObserver {
  batchCommitted(commands: number, changes: number): void
  batchFailed(commands: number, reason: unknown): void
  applied(committed: Change): void
}

const COMMANDS_PER_BATCH_MAX = 512

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
  #head: Head
  #queue: Waiting[] = []
  #turn: Promise<void> | null = null
  #exclusive: (() => Promise<void>)[] = []

  constructor(parts: {
    world: World
    store: Store
    rules: R
    clock: Clock
    head: Head
    newBatchId: () => string
    observer?: SequencerObserver
  }) {
    this.#world = parts.world
    this.#store = parts.store
    this.#rules = parts.rules
    this.#clock = parts.clock
    this.#head = parts.head
    this.#newBatchId = parts.newBatchId
    this.#observer = parts.observer
  }

  get head(): Head {
    return this.#head
  }

  submit<K extends keyof R & string>(
    command: { kind: K } & CommandOf<R[K]>,
  ): Promise<Outcome<AnswerOf<R[K]>, RefusalOf<R[K]>>> {
    return new Promise((resolve, reject) => {
      this.#queue.push({
        kind: command.kind,
        command,
        resolve: resolve as Waiting['resolve'],
        reject,
      })
      this.#wake()
    })
  }

  /** Runs a job between two batches: while it runs the world stands still at the stored head. */
  alone<T>(job: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#exclusive.push(() => job().then(resolve, reject))
      this.#wake()
    })
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#turn !== null) await this.#turn
  }

  #wake(): void {
    if (this.#turn !== null) return
    this.#turn = this.#run().finally(() => {
      this.#turn = null
    })
  }

  async #run(): Promise<void> {
    // Everything that arrives in the same tick shares the first commit.
    await Promise.resolve()
    while (this.#queue.length > 0 || this.#exclusive.length > 0) {
      const job = this.#exclusive.shift()
      if (job !== undefined) await job()
      else await this.#commitBatch(this.#queue.splice(0, COMMANDS_PER_BATCH_MAX))
    }
  }

  async #commitBatch(waiting: readonly Waiting[]): Promise<void> {
    let decided: Decided[] = []
    let batch: Batch | null = null
    try {
      const head = await this.#store.write(this.#head, missed => {
        this.#catchUp(missed)
        decided = this.#decideAll(waiting)
        const changes = decided.flatMap(d => (d.change.ops.length > 0 ? [d.change] : []))
        batch = changes.length > 0 ? { id: this.#newBatchId(), atMs: this.#clock.nowMs(), changes } : null
        return batch
      })
      for (const { change } of decided) if (change.ops.length > 0) this.#applyForGood(change)
      this.#head = head
      this.#observer?.batchCommitted(waiting.length, (batch as Batch | null)?.changes.length ?? 0)
    } catch (reason) {
      this.#observer?.batchFailed(waiting.length, reason)
      for (const one of waiting) one.reject(reason)
      return
    }
    for (const one of decided) one.answer()
  }

  #catchUp(missed: readonly Committed[]): void {
    for (const committed of missed) {
      this.#applyForGood(committed.change)
      this.#head = { revision: committed.revision, chain: committed.chain }
    }
  }

  #applyForGood(change: Change): void {
    this.#world.apply(change)
    this.#world.revision++
    this.#observer?.applied(change)
  }

  /** Every command in turn, on a world that holds the earlier ones; afterwards the world is as it was. */
  #decideAll(waiting: readonly Waiting[]): Decided[] {
    const nowMs = this.#clock.nowMs()
    const decided: Decided[] = []
    try {
      for (const one of waiting) {
        const entry = this.#decide(one, nowMs)
        this.#world.apply(entry.change)
        decided.push(entry)
      }
    } finally {
      for (let at = decided.length - 1; at >= 0; at--) this.#world.undo((decided[at] as Decided).change)
    }
    return decided
  }

  #decide(one: Waiting, nowMs: number): Decided {
    const rule = this.#rules[one.kind]
    if (rule === undefined) throw new Error(`no rule for command ${one.kind}`)
    try {
      const decision = rule(this.#world, one.command, nowMs)
      if (decision.ok)
        return { change: decision.change, answer: () => one.resolve({ ok: true, answer: decision.answer }) }
      return { change: NOTHING, answer: () => one.resolve({ ok: false, refusal: decision.refusal }) }
    } catch (bug) {
      // One command that trips over a bug of ours must not take its neighbours down.
      return { change: NOTHING, answer: () => one.reject(bug) }
    }
  }
}

interface Decided {
  readonly change: Change
  readonly answer: () => void
}

const NOTHING: Change = { ops: [] }
