import { createHash, type Hash } from 'node:crypto'
import type { BerthRules } from '../../commands.ts'
import type { Credentials } from '../../http/api.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AnswerOf, CommandOf, Recording, RefusalOf, Sequencer } from '../../store/sequencer/sequencer.ts'
import { PlainRowTaken, type Store } from '../../store/store.ts'
import type { PlainPut, PlainRow } from '../../store/tables/plain-tables.ts'
import type { Outcome } from '../../world/decision.ts'
import { Problem } from './problem.ts'

declare const made: unique symbol

/** What a write answered. Only `Once` makes one, so no writing route can answer without it. */
export interface WriteResponse {
  readonly [made]: true
  readonly status: number
  readonly text: string
  /** The answer is that of an earlier request with the same key. */
  readonly isReplay: boolean
}

export interface Reply {
  readonly status: number
  readonly body: unknown
}

type Kind = keyof BerthRules & string
type Command<K extends Kind> = { kind: K } & CommandOf<BerthRules[K]>
type CommandOutcome<K extends Kind> = Outcome<AnswerOf<BerthRules[K]>, RefusalOf<BerthRules[K]>>

/** Further rows to put in the commit of the command, also where it is refused. */
type CommandRecording<K extends Kind> = Recording<AnswerOf<BerthRules[K]>, RefusalOf<BerthRules[K]>>

/** How a writing route does its last, or only, command. */
export interface IdempotentWrite {
  /**
   * The answer is made from the outcome and kept in the very commit of the command, if the caller named its
   * request. A problem is thrown and not kept: nothing was changed, so the same request may be tried again.
   */
  submit<K extends Kind>(
    command: Command<K>,
    answer: (outcome: CommandOutcome<K>) => Reply | Problem,
    record?: CommandRecording<K>,
  ): Promise<WriteResponse>

  /** The same; but where the answer is null there is none yet, and the next command may bring it. */
  trySubmit<K extends Kind>(
    command: Command<K>,
    answer: (outcome: CommandOutcome<K>) => Reply | Problem | null,
    record?: CommandRecording<K>,
  ): Promise<WriteResponse | null>
}

interface KeyParts {
  readonly store: Pick<Store, 'plainRow'>
  readonly sequencer: Sequencer<BerthRules>
  readonly clock: Clock
}

const KEY = /^[\x21-\x7e]{1,255}$/

/** The Idempotency-Key of writes: a request that is sent again has one effect and one answer. */
export class IdempotencyKeys {
  readonly #parts: KeyParts
  /** By caller and key, the requests under way. */
  readonly #running = new Set<string>()

  constructor(parts: KeyParts) {
    this.#parts = parts
  }

  /** Begins a write; the key is held until `end`. `what` is the method and URL. */
  async begin(caller: Credentials, key: string | undefined, what: string): Promise<Attempt> {
    const { sequencer } = this.#parts
    if (key === undefined)
      return new Attempt(
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
        'An Idempotency-Key has 1 to 255 visible ASCII characters and no blank.',
      )
    // Two callers who happen to choose the same key have nothing to do with each other.
    const owner = JSON.stringify([caller.projectId, caller.userId])
    const held = `${owner} ${key}`
    if (this.#running.has(held))
      throw new Problem(409, 'idempotency.running', `A request with the key ${key} is under way.`, { key })
    this.#running.add(held)
    const end = (): void => void this.#running.delete(held)
    try {
      const attempt = new Attempt(sequencer, { caller: owner, key }, () => this.#kept(owner, key), what, end)
      await attempt.lookUp()
      return attempt
    } catch (error) {
      end()
      throw error
    }
  }

  #kept(owner: string, key: string): Promise<Kept | null> {
    const { store, clock } = this.#parts
    return store.plainRow('idempotency_keys', [owner, key], clock.nowMs())
  }
}

type Kept = PlainRow<'idempotency_keys'>

/** One write request, from its first byte to its answer. */
export class Attempt implements IdempotentWrite {
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

  /** Looks for the answer that an earlier request with the key got. */
  async lookUp(): Promise<void> {
    this.#kept = await this.#find()
  }

  /** The request was answered before. */
  get isKnown(): boolean {
    return this.#kept !== null
  }

  saw(bytes: Uint8Array): void {
    this.#digest?.update(bytes)
  }

  /** With this, all of the body was seen. */
  sawAll(rest: string): void {
    this.#digest?.update(rest)
    this.#complete = true
  }

  /** The earlier answer, if this is the same request. */
  replay(): WriteResponse {
    assert(this.#kept !== null && this.#complete, 'a known request, read to its end')
    if (this.#kept.request !== this.#requestDigest())
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
    answer: (outcome: CommandOutcome<K>) => Reply | Problem,
    record?: CommandRecording<K>,
  ): Promise<WriteResponse> {
    const response = await this.trySubmit(command, answer, record)
    assert(response !== null, 'a command that was decided has an answer')
    return response
  }

  async trySubmit<K extends Kind>(
    command: Command<K>,
    answer: (outcome: CommandOutcome<K>) => Reply | Problem | null,
    record?: CommandRecording<K>,
  ): Promise<WriteResponse | null> {
    assert(this.#complete, 'the body is read before the last command')
    const request = this.#requestDigest()
    let reply: Reply | Problem | null = null
    try {
      await this.#sequencer.submit<K>(command, (outcome, nowMs, revision): readonly PlainPut[] => {
        reply = answer(outcome)
        const also = record?.(outcome, nowMs, revision) ?? []
        if (this.#name === null || reply === null || reply instanceof Problem) return also
        const text = JSON.stringify(reply.body)
        const row = { ...this.#name, request, status: reply.status, answer: text, at_ms: nowMs }
        return [...also, { table: 'idempotency_keys', row, isNew: true }]
      })
    } catch (error) {
      if (!(error instanceof PlainRowTaken)) throw error
      // The same key reached another process at the same moment, and its commit came first.
      await this.lookUp()
      return this.replay()
    }
    const given = reply as Reply | Problem | null
    if (given === null || given instanceof Problem) {
      // It may be refused for what an earlier attempt of the same request, at another process, has just done.
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

  #requestDigest(): string {
    return this.#digest?.copy().digest('hex') ?? ''
  }
}
