import { createHash, type Hash } from 'node:crypto'
import type { BerthRules } from '../../commands.ts'
import type { Credentials } from '../../http/api.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Recording } from '../../store/sequencer/batch-decider.ts'
import type { AnswerOf, CommandOf, RefusalOf, Sequencer } from '../../store/sequencer/sequencer.ts'
import { PlainRowTaken, type Store } from '../../store/store.ts'
import type { PlainPut, PlainRow } from '../../store/tables/plain-tables.ts'
import type { Outcome } from '../../world/decision.ts'
import { Problem } from './problem.ts'

declare const made: unique symbol

/** The answer of a write. Only an IdempotentWrite makes one, so no writing route can answer without it. */
export interface WriteResponse {
  readonly [made]: true
  readonly status: number
  readonly text: string
  /** True if an earlier request with the same key was answered with this. */
  readonly isReplay: boolean
}

export interface Reply<Answer> {
  readonly status: number
  readonly body: Answer
}

type Kind = keyof BerthRules & string
type Command<K extends Kind> = { kind: K } & CommandOf<BerthRules[K]>
type CommandOutcome<K extends Kind> = Outcome<AnswerOf<BerthRules[K]>, RefusalOf<BerthRules[K]>>

/** Further rows for the commit of the command, even if it is refused. */
type CommandRecording<K extends Kind> = Recording<AnswerOf<BerthRules[K]>, RefusalOf<BerthRules[K]>>

/** How a writing route submits its last, or only, command. */
export interface IdempotentWrite<Answer> {
  /**
   * Makes the answer from the outcome and, with an Idempotency-Key, stores it in the commit of the command.
   * Throws a problem without storing it: nothing was changed, so the client may retry the same request. `revision` is
   * that of the change, if the command changes something.
   */
  submit<K extends Kind>(
    command: Command<K>,
    answer: (outcome: CommandOutcome<K>, revision: number) => Reply<Answer> | Problem,
    record?: CommandRecording<K>,
  ): Promise<WriteResponse>

  /** Like `submit`, but the answer may be null: then a later command gives it. */
  trySubmit<K extends Kind>(
    command: Command<K>,
    answer: (outcome: CommandOutcome<K>, revision: number) => Reply<Answer> | Problem | null,
    record?: CommandRecording<K>,
  ): Promise<WriteResponse | null>
}

interface KeyParts {
  readonly store: Pick<Store, 'plainRow'>
  readonly sequencer: Sequencer<BerthRules>
  readonly clock: Clock
}

const KEY = /^[\x21-\x7e]{1,255}$/

/** The Idempotency-Key of writes: a repeated request has one effect and gets the same answer. */
export class IdempotencyKeys {
  readonly #parts: KeyParts
  /** Requests in progress, by caller and key. */
  readonly #running = new Set<string>()

  constructor(parts: KeyParts) {
    this.#parts = parts
  }

  /** Begins a write; the key is held until `end`. `what` is the method and URL. */
  async begin(caller: Credentials, key: string | undefined, what: string): Promise<KeyedWrite> {
    const { sequencer } = this.#parts
    if (key === undefined)
      return new KeyedWrite(
        sequencer,
        null,
        async () => null,
        what,
        () => undefined,
      )
    if (!KEY.test(key))
      throw new Problem(
        400,
        'idempotency.bad-key',
        'An Idempotency-Key must have 1 to 255 visible ASCII characters and no spaces.',
      )
    // Keys of different callers are independent.
    const owner = JSON.stringify([caller.projectId, caller.userId])
    const held = `${owner} ${key}`
    if (this.#running.has(held))
      throw new Problem(409, 'idempotency.running', `A request with the key ${key} is in progress.`, { key })
    this.#running.add(held)
    const end = (): void => void this.#running.delete(held)
    try {
      const attempt = new KeyedWrite(
        sequencer,
        { caller: owner, key },
        () => this.#findKept(owner, key),
        what,
        end,
      )
      await attempt.lookUp()
      return attempt
    } catch (error) {
      end()
      throw error
    }
  }

  #findKept(owner: string, key: string): Promise<Kept | null> {
    const { store, clock } = this.#parts
    return store.plainRow('idempotency_keys', [owner, key], clock.nowMs())
  }
}

type Kept = PlainRow<'idempotency_keys'>

/** One write request, from its first byte to its answer. */
export class KeyedWrite implements IdempotentWrite<unknown> {
  readonly #sequencer: Sequencer<BerthRules>
  readonly #name: Pick<Kept, 'caller' | 'key'> | null
  readonly #find: () => Promise<Kept | null>
  readonly #digest: Hash | null
  readonly #end: () => void
  #kept: Kept | null = null
  #complete = false

  constructor(
    sequencer: Sequencer<BerthRules>,
    name: Pick<Kept, 'caller' | 'key'> | null,
    find: () => Promise<Kept | null>,
    what: string,
    end: () => void,
  ) {
    this.#sequencer = sequencer
    this.#name = name
    this.#find = find
    this.#digest = name === null ? null : createHash('sha256').update(`${what}\n`)
    this.#end = end
  }

  /** Looks for the answer to an earlier request with the key. */
  async lookUp(): Promise<void> {
    this.#kept = await this.#find()
  }

  /** The request was answered before. */
  get isKnown(): boolean {
    return this.#kept !== null
  }

  addBytes(bytes: Uint8Array): void {
    this.#digest?.update(bytes)
  }

  /** Adds the rest of the body, which is then complete. */
  finishBody(rest: string): void {
    this.#digest?.update(rest)
    this.#complete = true
  }

  /** The earlier answer. Refuses if that answered another request. */
  replay(): WriteResponse {
    assert(this.#kept !== null && this.#complete, 'a known request, read to its end')
    if (this.#kept.request !== this.#computeDigest())
      throw new Problem(
        422,
        'idempotency.other-request',
        `The key ${this.#kept.key} was used for another request; choose a new one.`,
        { key: this.#kept.key },
      )
    return { status: this.#kept.status, text: this.#kept.answer, isReplay: true } as WriteResponse
  }

  async submit<K extends Kind>(
    command: Command<K>,
    answer: (outcome: CommandOutcome<K>, revision: number) => Reply<unknown> | Problem,
    record?: CommandRecording<K>,
  ): Promise<WriteResponse> {
    const response = await this.trySubmit(command, answer, record)
    assert(response !== null, 'a command that was decided has an answer')
    return response
  }

  async trySubmit<K extends Kind>(
    command: Command<K>,
    answer: (outcome: CommandOutcome<K>, revision: number) => Reply<unknown> | Problem | null,
    record?: CommandRecording<K>,
  ): Promise<WriteResponse | null> {
    assert(this.#complete, 'the body is read before the last command')
    const request = this.#computeDigest()
    let reply: Reply<unknown> | Problem | null = null
    try {
      await this.#sequencer.submit<K>(command, (outcome, nowMs, revision): readonly PlainPut[] => {
        reply = answer(outcome, revision + 1)
        const also = record?.(outcome, nowMs, revision) ?? []
        if (this.#name === null || reply === null || reply instanceof Problem) return also
        const text = JSON.stringify(reply.body)
        const row = { ...this.#name, request, status: reply.status, answer: text, at_ms: nowMs }
        return [...also, { table: 'idempotency_keys', row, isNew: true }]
      })
    } catch (error) {
      if (!(error instanceof PlainRowTaken)) throw error
      // Another process handled the same key at the same time and committed first.
      await this.lookUp()
      return this.replay()
    }
    const given = reply as Reply<unknown> | Problem | null
    if (given === null || given instanceof Problem) {
      // Another process may have just done the same request, and this one is refused because of that.
      if (this.#name !== null) await this.lookUp()
      if (this.isKnown) return this.replay()
      if (given === null) return null
      throw given
    }
    return { status: given.status, text: JSON.stringify(given.body), isReplay: false } as WriteResponse
  }

  end(): void {
    this.#end()
  }

  #computeDigest(): string {
    return this.#digest?.copy().digest('hex') ?? ''
  }
}
