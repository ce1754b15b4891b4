import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Decision, Outcome, Rules } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { computeHeads, describeHead, follows, isSameHead } from '../chain.ts'
import { loadWorld } from '../load-world.ts'
import {
  type Batch,
  type Committed,
  type Head,
  HistoryBroken,
  type Store,
  StoreRejected,
  StoreSilent,
  StoreUnavailable,
} from '../store.ts'
import {
  BatchDecider,
  type CommitRecorder,
  type Decided,
  type Recording,
  type Waiting,
} from './batch-decider.ts'
import type { CommandTrace, TraceCommand } from './command-trace.ts'
import { isPassing, SequencerBroken, toUncertain } from './failures.ts'
import { LIMITS, type SequencerLimits } from './limits.ts'
import { type Applied, type SequencerObserver, SequencerObservers } from './observer.ts'

export type CommandOf<R> = R extends (world: World, command: infer C, nowMs: number) => unknown ? C : never
export type AnswerOf<R> = R extends (...args: never[]) => Decision<infer A, unknown> ? A : never
export type RefusalOf<R> = R extends (...args: never[]) => Decision<unknown, infer F> ? F : never

/** Changes per read to catch up with other processes. */
const CHANGES_PER_PAGE = 1_000
/** A batch fails after this many incompatible histories in a row. */
const RELOADS_PER_BATCH_MAX = 5

/**
 * The only place where writes are decided. It takes the waiting commands, runs the rule of each on a world with the
 * earlier ones, undoes everything, commits the batch, and only then applies it and answers. So no reader ever sees what
 * is not durable, and a failed commit leaves nothing behind.
 */
export class Sequencer<R extends Rules> {
  readonly #world: World
  readonly #store: Store
  readonly #rules: R
  readonly #clock: Clock
  readonly #decider: BatchDecider
  readonly #newBatchId: () => string
  readonly #observers = new SequencerObservers()
  readonly #limits: SequencerLimits
  readonly #recorder: CommitRecorder | undefined
  readonly #traceCommand: TraceCommand | undefined
  #head: Head
  #queue: Waiting[] = []
  #turn: Promise<void> | null = null
  /** Pending from the decision of a batch until its outcome is known: meanwhile memory must not move. */
  #committing: Promise<void> | null = null
  #reloading: Promise<void> | null = null
  /** The heads of memory since it was loaded: if one of them is wrong, so is all that followed. */
  #passed = new WeakSet<Head>()
  #reloadsInRow = 0
  #broken: SequencerBroken | null = null
  /** Commands at the front of the queue that are in the batch being written. */
  #inFlight = 0
  /** Why the batch being written was given up; null while its commands wait. */
  #stalled: StoreSilent | null = null
  /** Commands that are still to be committed one by one. */
  #oneByOne = 0

  constructor(parts: {
    world: World
    store: Store
    rules: R
    clock: Clock
    head: Head
    newBatchId: () => string
    limits?: Partial<SequencerLimits>
    recorder?: CommitRecorder | undefined
    traceCommand?: TraceCommand | undefined
  }) {
    assert(parts.world.revision === parts.head.revision, 'the world stands at the head it came with')
    this.#world = parts.world
    this.#store = parts.store
    this.#rules = parts.rules
    this.#clock = parts.clock
    this.#head = parts.head
    this.#passed.add(parts.head)
    this.#newBatchId = parts.newBatchId
    this.#recorder = parts.recorder
    this.#traceCommand = parts.traceCommand
    this.#limits = { ...LIMITS, ...parts.limits }
    this.#decider = new BatchDecider({
      world: parts.world,
      rules: parts.rules,
      recorder: parts.recorder,
      opsMax: this.#limits.opsPerBatchMax,
      observers: this.#observers,
    })
    // At once: until a batch fails, others would read part of a change.
    this.#world.onTorn(torn => this.giveUp(torn))
  }

  subscribe(observer: SequencerObserver): void {
    this.#observers.add(observer)
  }

  /** Why commands are no longer accepted; memory must not be read either. */
  get broken(): SequencerBroken | null {
    return this.#broken
  }

  get head(): Head {
    return this.#head
  }

  submit<K extends keyof R & string>(
    command: { kind: K } & CommandOf<R[K]>,
    record?: Recording<AnswerOf<R[K]>, RefusalOf<R[K]>>,
  ): Promise<Outcome<AnswerOf<R[K]>, RefusalOf<R[K]>>> {
    if (this.#broken !== null) return Promise.reject(this.#broken)
    if (this.#stalled !== null) return Promise.reject(this.#stalled)
    if (this.#queue.length >= this.#limits.waitingMax)
      return Promise.reject(new StoreUnavailable(`${this.#queue.length} writes are waiting already`))
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        kind: command.kind,
        seen: this.#recorder?.seen(),
        command,
        record: record as Waiting['record'],
        resolve: resolve as Waiting['resolve'],
        reject,
        trace: this.#traceCommand?.(command.kind) ?? null,
      }
      this.#queue.push(waiting.trace === null ? waiting : settleTrace(waiting, waiting.trace))
      this.#wake()
    })
  }

  /** What would come of a command now. Nothing is changed. */
  foresee<K extends keyof R & string>(
    command: { kind: K } & CommandOf<R[K]>,
  ): Outcome<AnswerOf<R[K]>, RefusalOf<R[K]>> {
    if (this.#broken !== null) throw this.#broken
    const rule = this.#rules[command.kind] as R[K]
    return rule(this.#world, command, this.#clock.nowMs())
  }

  /** Resolves when no command waits. */
  async waitUntilIdle(): Promise<void> {
    while (this.#turn !== null) await this.#turn
  }

  #wake(): void {
    if (this.#turn === null) this.#turn = this.#run()
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // Commands that have arrived by now share the commit, which costs the same for one as for many.
      await nextTurn()
      if (this.#queue.length > 0) await this.#commitBatch()
    }
    // Synchronous with the check of the queue: a later command starts a new turn.
    this.#turn = null
  }

  async #commitBatch(): Promise<void> {
    const from = this.#head
    const settled = Promise.withResolvers<void>()
    let decided: Decided[] = []
    let batch: Batch | null = null
    let failure: { readonly reason: unknown } | null = null
    const patience = this.#startTimeout()
    if (this.#traceCommand !== undefined)
      for (const one of this.#queue.slice(0, this.#limits.commandsPerBatchMax)) one.trace?.taken()
    try {
      const head = await this.#store.write(from, (missed, sharedNowMs) => {
        this.#committing = null
        // Nothing of an earlier attempt was stored, and nothing of this one yet.
        this.#inFlight = 0
        this.#catchUp(missed)
        // An earlier attempt may have brought in what a failover removed since; or the lock was lost meanwhile.
        const base = missed.at(-1) ?? from
        if (!isSameHead(this.#head, base))
          throw new HistoryBroken(
            `memory is at ${describeHead(this.#head)}, the turn at ${describeHead(base)}`,
          )
        // What several processes compare, such as the end of a lease, needs one clock.
        const nowMs = sharedNowMs ?? this.#clock.nowMs()
        const commandsMax = this.#oneByOne > 0 ? 1 : this.#limits.commandsPerBatchMax
        decided = this.#decider.decideAll(this.#queue, commandsMax, nowMs)
        batch = this.#makeBatch(decided, nowMs)
        if (batch !== null) this.#committing = settled.promise
        this.#inFlight = batch === null ? 0 : decided.length
        if (batch !== null) this.#observers.batchDecided()
        return batch
      })
      const { id, changes, atMs } = (batch as Batch | null) ?? NO_BATCH
      const heads = computeHeads(this.#head, id, changes.length)
      this.#applyForGood(changes.map((one, at) => ({ ...one, ...(heads[at] as Head), atMs })))
      assert(
        batch === null || isSameHead(this.#head, head),
        () => `the store is at ${describeHead(head)}, not memory`,
      )
      this.#reloadsInRow = 0
      this.#observers.batchCommitted(decided.length, changes.length)
    } catch (reason) {
      failure = { reason }
    }
    clearTimeout(patience)
    this.#stalled = null
    // Before a reload, which waits for it.
    this.#committing = null
    settled.resolve()
    if (failure !== null) {
      await this.#batchFailed(decided, from, failure.reason)
      this.#inFlight = 0
      return
    }
    this.#inFlight = 0
    this.#oneByOne = Math.max(0, this.#oneByOne - decided.length)
    this.#queue.splice(0, decided.length)
    for (const one of decided) {
      if (one.refusal !== null) this.#observers.refused(one.refusal)
      one.answer()
    }
  }

  /**
   * Rejects all commands when the store takes too long: those of the batch with unknown outcome, the others untried.
   */
  #startTimeout(): NodeJS.Timeout | undefined {
    const msMax = this.#limits.outcomeMsMax
    if (msMax === null) return undefined
    return setTimeout(() => {
      const why = new StoreSilent(msMax)
      this.#stalled = why
      // They stay in the queue: the batch is still being written.
      for (const one of this.#queue.slice(0, this.#inFlight)) one.reject(toUncertain(why))
      for (const one of this.#queue.splice(this.#inFlight)) one.reject(why)
    }, msMax)
  }

  async #batchFailed(decided: readonly Decided[], from: Head, reason: unknown): Promise<void> {
    let why = reason
    if (reason instanceof HistoryBroken)
      try {
        // They were not decided yet, or on a history that is gone: with memory right again they get another turn.
        if (++this.#reloadsInRow <= RELOADS_PER_BATCH_MAX) {
          // If memory has moved since, the next turn will see.
          if (this.#head === from) await this.#reload(from, reason.message)
          return
        }
        why = new StoreUnavailable(`the database was replaced ${this.#reloadsInRow} times in a row`)
      } catch (failed) {
        why = failed
      }
    this.#reloadsInRow = 0
    const commands = decided.length || Math.min(this.#queue.length, this.#limits.commandsPerBatchMax)
    this.#observers.batchFailed(commands, why)
    if (why instanceof StoreRejected && commands > 1) {
      // One of them is at fault: each is committed alone, so that the others do not fail with it.
      this.#oneByOne = commands
      return
    }
    this.#oneByOne = Math.max(0, this.#oneByOne - 1)
    if (!isPassing(why)) {
      this.giveUp(why)
      return
    }
    for (const one of this.#queue.splice(0, commands)) one.reject(why)
  }

  /**
   * Brings memory to the head that was seen; `before` was memory's head when the read began. This is how changes of
   * other processes come in between our own writes.
   */
  async catchUpTo(seen: Head, before: Head): Promise<void> {
    let reloads = 0
    // What memory holds was stored before this read: a store behind it has another history.
    const isBehind = seen.revision < before.revision
    if (isBehind || (seen.revision === before.revision && !isSameHead(seen, before))) {
      await this.#reload(
        before,
        `memory is at ${describeHead(before)}, the database was read at ${describeHead(seen)}`,
      )
      reloads++
    }
    while (this.#head.revision < seen.revision) {
      if (this.#broken !== null) throw this.#broken
      // What was seen may be gone by now, with its database.
      if (reloads > 1) throw new StoreUnavailable('the database is replaced again and again')
      // A head beyond ours while we commit is our own: it comes into memory with the answer.
      if (this.#committing !== null) await this.#committing
      else if (!(await this.#readOn())) reloads++
    }
  }

  /** False if memory had to be loaded again. */
  async #readOn(): Promise<boolean> {
    const from = this.#head
    const page = await this.#store.changesAfter(from.revision, CHANGES_PER_PAGE)
    // The other call that moved memory has read the same.
    if (this.#head !== from || this.#committing !== null) return true
    try {
      if (!page.kept || page.changes.length === 0)
        throw new HistoryBroken(`nothing that is stored follows ${describeHead(from)}`)
      this.#catchUp(page.changes)
      return true
    } catch (reason) {
      if (!(reason instanceof HistoryBroken)) throw this.giveUp(reason)
      await this.#reload(this.#head, reason.message)
      return false
    }
  }

  /** Loads everything again, unless that was done since memory was found wrong. */
  #reload(wrong: Head, why: string): Promise<void> {
    if (!this.#passed.has(wrong)) return Promise.resolve()
    this.#reloading ??= this.#loadAnew(wrong, why).finally(() => {
      this.#reloading = null
    })
    return this.#reloading
  }

  async #loadAnew(wrong: Head, why: string): Promise<void> {
    const { world, head } = await loadWorld(this.#store)
    while (this.#committing !== null) await this.#committing
    if (!this.#passed.has(wrong)) return
    this.#world.replaceBy(world)
    this.#passed = new WeakSet([head])
    this.#head = head
    this.#observers.reloaded(head, why)
  }

  #makeBatch(decided: readonly Decided[], atMs: number): Batch | null {
    const changes = decided.flatMap(({ change, names }) => (change.ops.length > 0 ? [{ change, names }] : []))
    const plain = decided.flatMap(one => one.plain)
    if (changes.length === 0 && plain.length === 0) return null
    return { id: this.#newBatchId(), atMs, changes, plain }
  }

  /** Changes of other processes. Some may be in memory already. */
  #catchUp(missed: readonly Committed[]): void {
    for (const committed of missed) {
      if (committed.revision <= this.#head.revision) continue
      if (!follows(committed, this.#head))
        throw new HistoryBroken(`${describeHead(committed)} does not follow ${describeHead(this.#head)}`)
      this.#applyForGood([committed])
    }
  }

  #applyForGood(changes: readonly Applied[]): void {
    for (const { change } of changes) this.#world.apply(change)
    const last = changes.at(-1)
    if (last === undefined) return
    this.#world.revision = last.revision
    this.#head = { revision: last.revision, chain: last.chain }
    this.#passed.add(this.#head)
    for (const { change, names, revision, chain, atMs } of changes)
      this.#observers.applied({ change, names, revision, chain, atMs })
  }

  /** Accepts no more commands, because memory or store cannot be used; the process has to end. */
  giveUp(reason: unknown): SequencerBroken {
    if (this.#broken !== null) return this.#broken
    const why = reason instanceof Error ? reason.message : String(reason)
    const broken = new SequencerBroken(`memory can no longer be trusted: ${why}`, { cause: reason })
    this.#broken = broken
    for (const one of this.#queue.splice(0, this.#inFlight)) one.reject(toUncertain(reason))
    for (const one of this.#queue.splice(0)) one.reject(broken)
    this.#observers.broken(reason)
    return broken
  }
}

/** The trace ends with the outcome, whichever way that comes. */
function settleTrace(waiting: Waiting, trace: CommandTrace): Waiting {
  return {
    ...waiting,
    resolve: outcome => {
      trace.settled(null)
      waiting.resolve(outcome)
    },
    reject: reason => {
      trace.settled(reason)
      waiting.reject(reason)
    },
  }
}

const NO_BATCH: Batch = { id: '', changes: [], atMs: 0 }
