import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Change } from '../world/change.ts'
import type { Decision, Rules } from '../world/decision.ts'
import { type NamedChange, namesOf } from '../world/naming.ts'
import type { World } from '../world/world.ts'
import type { PlainPut } from './plain-tables.ts'
import {
  type Batch,
  type Committed,
  type Head,
  type Store,
  StoreRejected,
  StoreUnavailable,
} from './store.ts'

export type CommandOf<R> = R extends (world: World, command: infer C, nowMs: number) => unknown ? C : never
export type AnswerOf<R> = R extends (...args: never[]) => Decision<infer A, unknown> ? A : never
export type RefusalOf<R> = R extends (...args: never[]) => Decision<unknown, infer F> ? F : never

export type Outcome<Answer, Refusal> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly refusal: Refusal }

/** Plain rows to put in the commit of a command, once its outcome is known. It may be asked more than once. */
export type Recording<Answer, Refusal> = (
  outcome: Outcome<Answer, Refusal>,
  nowMs: number,
) => readonly PlainPut[]

interface Waiting {
  readonly kind: string
  readonly command: unknown
  readonly record: Recording<unknown, unknown> | undefined
  readonly resolve: (outcome: Outcome<unknown, unknown>) => void
  readonly reject: (reason: unknown) => void
}

interface Job {
  readonly run: () => Promise<void>
  readonly reject: (reason: unknown) => void
}

/** A change that is durable and in memory. */
export interface Applied extends NamedChange {
  readonly revision: number
  readonly atMs: number
}

/** What the sequencer tells about each batch, for metrics, logs and those who follow the changes. */
export interface SequencerObserver {
  batchCommitted(commands: number, changes: number): void
  batchFailed(commands: number, reason: unknown): void
  /** Called once everything of the change's batch is in memory, in order of the revisions. */
  applied(change: Applied): void
  /** A rule said no, for a reason of this kind. */
  refused?(kind: string): void
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
  /** How many commands are still to be committed each by itself. */
  #oneByOne = 0

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
    record?: Recording<AnswerOf<R[K]>, RefusalOf<R[K]>>,
  ): Promise<Outcome<AnswerOf<R[K]>, RefusalOf<R[K]>>> {
    if (this.#broken !== null) return Promise.reject(this.#broken)
    if (this.#queue.length >= this.#limits.waitingMax)
      return Promise.reject(new StoreUnavailable(`${this.#queue.length} writes are waiting already`))
    return new Promise((resolve, reject) => {
      this.#queue.push({
        kind: command.kind,
        command,
        record: record as Waiting['record'],
        resolve: resolve as Waiting['resolve'],
        reject,
      })
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
    let batch: Batch | null = null
    try {
      const head = await this.#store.write(this.#head, missed => {
        this.#catchUp(missed)
        decided = this.#decideAll()
        batch = this.#batch(decided)
        return batch
      })
      const { changes, atMs } = (batch as Batch | null) ?? NO_BATCH
      this.#applyForGood(changes, atMs, head)
      this.#observer?.batchCommitted(decided.length, changes.length)
    } catch (reason) {
      const commands = decided.length || Math.min(this.#queue.length, this.#limits.commandsPerBatchMax)
      this.#observer?.batchFailed(commands, reason)
      if (reason instanceof StoreRejected && commands > 1) {
        // One of them is at fault: each goes by itself, so that the others are not turned down with it.
        this.#oneByOne = commands
        return
      }
      this.#oneByOne = Math.max(0, this.#oneByOne - 1)
      if (!(reason instanceof StoreUnavailable || reason instanceof StoreRejected)) return this.#break(reason)
      for (const one of this.#queue.splice(0, commands)) one.reject(reason)
      return
    }
    this.#oneByOne = Math.max(0, this.#oneByOne - decided.length)
    this.#queue.splice(0, decided.length)
    for (const one of decided) {
      if (one.refusal !== null) this.#observer?.refused?.(one.refusal)
      one.answer()
    }
  }

  #batch(decided: readonly Decided[]): Batch | null {
    const changes = decided.flatMap(({ change, names }) => (change.ops.length > 0 ? [{ change, names }] : []))
    const plain = decided.flatMap(one => one.plain)
    if (changes.length === 0 && plain.length === 0) return null
    return { id: this.#newBatchId(), atMs: this.#clock.nowMs(), changes, plain }
  }

  #catchUp(missed: readonly Committed[]): void {
    for (const committed of missed) {
      const { revision, chain, atMs } = committed
      assert(revision === this.#head.revision + 1, `revision ${revision} follows ${this.#head.revision}`)
      this.#applyForGood([committed], atMs, { revision, chain })
    }
  }

  #applyForGood(changes: readonly NamedChange[], atMs: number, head: Head): void {
    for (const { change } of changes) this.#world.apply(change)
    const before = this.#world.revision
    this.#world.revision += changes.length
    assert(this.#world.revision === head.revision, `the head is at ${head.revision}, memory is elsewhere`)
    this.#head = head
    changes.forEach(({ change, names }, at) => {
      this.#observer?.applied({ change, names, revision: before + at + 1, atMs })
    })
  }

  /**
   * Every waiting command in turn, on a world that holds the earlier ones; afterwards the world is as it was.
   * When the world itself throws, half a change may be in it and nothing can be taken back: let it out.
   */
  #decideAll(): Decided[] {
    const nowMs = this.#clock.nowMs()
    const decided: Decided[] = []
    const commandsMax = this.#oneByOne > 0 ? 1 : this.#limits.commandsPerBatchMax
    let ops = 0
    for (const one of this.#queue) {
      if (decided.length >= commandsMax || ops >= this.#limits.opsPerBatchMax) break
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
      const outcome: Outcome<unknown, unknown> = decision.ok
        ? { ok: true, answer: decision.answer }
        : { ok: false, refusal: decision.refusal }
      const change = decision.ok ? decision.change : NOTHING
      const names = namesOf(this.#world, change)
      const plain = one.record?.(outcome, nowMs) ?? []
      const refusal = decision.ok ? null : kindOf(decision.refusal)
      return { change, names, plain, refusal, answer: () => one.resolve(outcome) }
    } catch (bug) {
      // One command that trips over a bug of ours must not take its neighbours down.
      return { change: NOTHING, names: {}, plain: [], refusal: null, answer: () => one.reject(bug) }
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

function kindOf(refusal: unknown): string {
  return typeof refusal === 'object' && refusal !== null && 'kind' in refusal ? String(refusal.kind) : 'other'
}

interface Decided extends NamedChange {
  readonly plain: readonly PlainPut[]
  /** The kind of the refusal; null where the rule said yes. */
  readonly refusal: string | null
  readonly answer: () => void
}

const NOTHING: Change = { ops: [] }
const NO_BATCH = { changes: [], atMs: 0 }
