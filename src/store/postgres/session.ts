import type { Duplex } from 'node:stream'
import { type Client, DatabaseError, type QueryArrayConfig, type QueryArrayResult } from 'pg'
import { LinkLost } from '../shared/link.ts'
import { classify } from './failure.ts'

export interface Question {
  readonly text: string
  /** The server keeps the statement's plan under this name while the connection lasts. */
  readonly name?: string
  readonly values?: readonly (string | number | null)[]
}

export type Answer =
  | { readonly ok: true; readonly command: string; readonly rows: readonly (readonly unknown[])[] }
  | { readonly ok: false; readonly error: DatabaseError | LinkLost }

interface SubmittedStatements {
  readonly answers: Answer[]
  left: number
  readonly timer: NodeJS.Timeout
  readonly resolve: (answers: Answer[]) => void
}

/**
 * An open connection. Statements are sent at once, together, and answered in order. One that is not answered in time
 * ends the connection: later answers could not be matched.
 */
export class Session {
  readonly where: string
  readonly #client: Client
  readonly #asked = new Set<SubmittedStatements>()
  #lost: LinkLost | null = null

  constructor(client: Client, where: string) {
    this.#client = client
    this.where = where
    client.on('error', error => this.#lose(error.message))
    client.on('end', () => this.#lose('it ended'))
  }

  get isLost(): boolean {
    return this.#lost !== null
  }

  /** Never rejects: each statement has its answer, even if the connection is lost. */
  ask(questions: readonly Question[], msMax: number): Promise<readonly Answer[]> {
    return new Promise(resolve => {
      if (this.#lost !== null || questions.length === 0)
        return resolve(questions.map(() => this.#answerLost()))
      const timer = setTimeout(() => this.#lose(`no answer within ${msMax} ms`), msMax)
      const asked: SubmittedStatements = { answers: [], left: questions.length, timer, resolve }
      this.#asked.add(asked)
      this.#send(questions, asked)
    })
  }

  /** Closes gracefully if nothing is open, and disconnects in any case. */
  close(): Promise<void> {
    const isIdle = this.#lost === null && this.#asked.size === 0
    if (!isIdle) {
      this.#lose('it was closed')
      return Promise.resolve()
    }
    this.#lost = new LinkLost(`the connection to ${this.where} was closed`)
    const ended = this.#client.end().catch(() => undefined)
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_MS_MAX)
    return ended.finally(() => clearTimeout(timer))
  }

  get #socket(): Duplex {
    return (this.#client as { connection: { stream: Duplex } }).connection.stream
  }

  /** In one packet if they fit. */
  #send(questions: readonly Question[], asked: SubmittedStatements): void {
    const socket = this.#socket
    socket.cork()
    questions.forEach(({ text, name, values }, at) => {
      const config: QueryArrayConfig = { text, values: [...(values ?? [])], rowMode: 'array' }
      if (name !== undefined) config.name = name
      this.#client.query(config, (error: Error | undefined, result: QueryArrayResult) =>
        this.#take(asked, at, error ? this.#toFailure(error) : toAnswer(result)),
      )
    })
    socket.uncork()
  }

  #take(asked: SubmittedStatements, at: number, answer: Answer): void {
    if (asked.answers[at] !== undefined) return
    asked.answers[at] = answer
    if (--asked.left > 0) return
    clearTimeout(asked.timer)
    this.#asked.delete(asked)
    asked.resolve(asked.answers)
  }

  #toFailure(error: Error): Answer {
    if (!(error instanceof DatabaseError)) {
      this.#lose(error.message)
      return this.#answerLost()
    }
    // It is of no use any more, whether or not the server closes it.
    if (classify(error.code ?? '') === 'gone') setImmediate(() => this.#lose(error.message))
    return { ok: false, error }
  }

  #lose(reason: string): void {
    if (this.#lost !== null) return
    this.#lost = new LinkLost(`the connection to PostgreSQL at ${this.where} is lost: ${reason}`)
    this.#socket.destroy()
    for (const asked of [...this.#asked])
      for (let at = 0; asked.left > 0; at++) this.#take(asked, at, this.#answerLost())
  }

  #answerLost(): Answer {
    return { ok: false, error: this.#lost as LinkLost }
  }
}

const CLOSE_MS_MAX = 1_000

function toAnswer({ command, rows }: { command: string; rows: unknown[] }): Answer {
  return { ok: true, command, rows: rows as unknown[][] }
}

/** The rows of each answer, or throws the first failure. */
export function rowsOrThrow(
  answers: readonly Answer[],
  asError: (error: Error) => Error,
): (readonly (readonly unknown[])[])[] {
  return answers.map(answer => {
    if (!answer.ok) throw asError(answer.error)
    return answer.rows
  })
}
