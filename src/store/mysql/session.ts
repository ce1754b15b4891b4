import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { type Connection, createConnection } from 'mysql2'
import { LinkLost } from '../shared/link.ts'
import { classify, ServerError } from './failure.ts'

export type Answer =
  | { readonly ok: true; readonly rows: readonly (readonly unknown[])[] }
  | { readonly ok: false; readonly error: ServerError | LinkLost }

interface SessionOptions {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string | null
  readonly database: string
  readonly tls: TlsOptions | false
  readonly connectMsMax: number
}

interface SubmittedStatements {
  readonly statements: readonly string[]
  readonly answers: Answer[]
  readonly resolve: (answers: readonly Answer[]) => void
  readonly msMax: number
  timer: NodeJS.Timeout | null
}

const KEEP_ALIVE_MS = 10_000
/** Proxies cut connections on which nothing was sent for a while. */
const HEARTBEAT_MS = 10_000
const CLOSE_MS_MAX = 1_000
/** What a packet needs besides its statements; also the least that any server takes. */
const PACKET_BYTES_MIN = 1_024
/** Until the server says what it takes. */
const PACKET_BYTES_FIRST = 1_000_000

const ENDED_EARLY = Object.assign(new Error('the server ended the statements early'), {
  errno: 1213,
  sqlState: '40001',
})

/**
 * An open connection. Statements that are asked together are sent as one text, of which the server runs nothing after
 * the first failure: a COMMIT at the end is safe. One that is not answered in time ends the connection: later answers
 * could not be matched.
 */
export class Session {
  readonly where: string
  packetBytesMax = PACKET_BYTES_FIRST
  readonly #connection: Connection
  readonly #waiting: SubmittedStatements[] = []
  readonly #heartbeat: NodeJS.Timeout
  #running: SubmittedStatements | null = null
  #lost: LinkLost | null = null
  #askedAtMs = performance.now()

  private constructor(connection: Connection, where: string) {
    this.#connection = connection
    this.where = where
    connection.on('error', error => this.#lose(error.message))
    connection.on('end', () => this.#lose('the server closed it'))
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
    this.#heartbeat.unref()
  }

  /** Rejects with what the driver or the server says. */
  static connect({ tls, connectMsMax, password, ...place }: SessionOptions, where: string): Promise<Session> {
    const isSocket = place.host.startsWith('/')
    const connection = createConnection({
      ...place,
      ...(isSocket ? { socketPath: place.host } : {}),
      ...(password === null ? {} : { password }),
      ...(tls === false ? {} : { ssl: toDriverTls(tls) }),
      connectTimeout: connectMsMax,
      charset: 'utf8mb4_bin',
      multipleStatements: true,
      rowsAsArray: true,
      enableKeepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      // A server must never ask for files of ours.
      flags: ['-LOCAL_FILES'],
      connectAttributes: { program_name: 'berth' },
    })
    return new Promise((resolve, reject) => {
      // Late events of an abandoned connection.
      connection.on('error', () => undefined)
      connection.connect(error => {
        if (error === null) return resolve(new Session(connection, where))
        connection.destroy()
        reject(error)
      })
    })
  }

  get isLost(): boolean {
    return this.#lost !== null
  }

  /** Never rejects: each statement has its answer; those after a failure have the same one. */
  ask(statements: readonly string[], msMax: number): Promise<readonly Answer[]> {
    return new Promise(resolve => {
      if (this.#lost !== null || statements.length === 0)
        return resolve(statements.map(() => this.#answerLost()))
      this.#waiting.push({ statements, answers: [], resolve, msMax, timer: null })
      this.#runNext()
    })
  }

  /** Closes gracefully if nothing is open, and disconnects in any case. */
  close(): Promise<void> {
    const isIdle = this.#lost === null && this.#running === null
    if (!isIdle) {
      this.#lose('it was closed')
      return Promise.resolve()
    }
    clearInterval(this.#heartbeat)
    this.#lost = new LinkLost(`the connection to ${this.where} was closed`)
    return new Promise(resolve => {
      const timer = setTimeout(() => this.#destroy(resolve), CLOSE_MS_MAX)
      this.#connection.end(() => {
        clearTimeout(timer)
        this.#destroy(resolve)
      })
    })
  }

  #destroy(then: () => void): void {
    this.#hangUp()
    then()
  }

  /** The driver's own `destroy` waits for the other side. */
  #hangUp(): void {
    ;(this.#connection as unknown as { stream: { destroy(): void } }).stream.destroy()
    this.#connection.destroy()
  }

  #beat(): void {
    const isIdle = this.#running === null && performance.now() - this.#askedAtMs >= HEARTBEAT_MS
    if (isIdle) void this.ask(['DO 0'], HEARTBEAT_MS)
  }

  #runNext(): void {
    const next = this.#waiting[0]
    if (this.#running !== null || next === undefined) return
    this.#waiting.shift()
    this.#running = next
    this.#askedAtMs = performance.now()
    next.timer = setTimeout(() => this.#lose(`no answer within ${next.msMax} ms`), next.msMax)
    this.#send(next)
  }

  /** As many of the statements as fit into one packet, then the others. */
  #send(asked: SubmittedStatements): void {
    const first = asked.answers.length
    let bytes = PACKET_BYTES_MIN
    let count = 0
    for (const statement of asked.statements.slice(first)) {
      bytes += Buffer.byteLength(statement) + 1
      if (count > 0 && bytes > this.packetBytesMax) break
      count++
    }
    const answers: { rows: unknown[][] | null; ok: true }[] = []
    const query = this.#connection.query({
      sql: asked.statements.slice(first, first + count).join(';'),
      rowsAsArray: true,
    })
    query.on('fields', (fields: unknown) => {
      answers.push({ ok: true, rows: fields === undefined ? null : [] })
    })
    query.on('result', (row: unknown) => answers.at(-1)?.rows?.push(row as unknown[]))
    query.on('error', (error: NodeJS.ErrnoException) =>
      this.#takeError(asked, answers.slice(0, countFinished(query)), error),
    )
    query.on('end', () => {
      if (asked !== this.#running) return
      // A node of Galera that rolls back ends the text early, without an error.
      if (answers.length < count) {
        this.#takeError(asked, answers, ENDED_EARLY)
        return
      }
      asked.answers.push(...answers.map(({ rows }) => ({ ok: true as const, rows: rows ?? [] })))
      if (asked.answers.length < asked.statements.length) this.#send(asked)
      else this.#finish(asked)
    })
  }

  #takeError(
    asked: SubmittedStatements,
    answers: { readonly rows: unknown[][] | null }[],
    error: NodeJS.ErrnoException & { sqlState?: string },
  ): void {
    if (asked !== this.#running) return
    if (error.errno === undefined || error.sqlState === undefined) {
      this.#lose(error.message)
      return
    }
    asked.answers.push(...answers.map(({ rows }) => ({ ok: true as const, rows: rows ?? [] })))
    const answer: Answer = { ok: false, error: new ServerError(error.errno, error.sqlState, error.message) }
    while (asked.answers.length < asked.statements.length) asked.answers.push(answer)
    // It is of no use any more, whether or not the server closes it.
    if (classify(error.errno) === 'gone') setImmediate(() => this.#lose(error.message))
    this.#finish(asked)
  }

  #finish(asked: SubmittedStatements): void {
    if (asked.timer !== null) clearTimeout(asked.timer)
    this.#running = null
    asked.resolve(asked.answers)
    this.#runNext()
  }

  #lose(reason: string): void {
    if (this.#lost !== null) return
    clearInterval(this.#heartbeat)
    this.#lost = new LinkLost(`the connection to MariaDB at ${this.where} is lost: ${reason}`)
    this.#hangUp()
    const unanswered = [...(this.#running === null ? [] : [this.#running]), ...this.#waiting.splice(0)]
    this.#running = null
    for (const { statements, answers, resolve, timer } of unanswered) {
      if (timer !== null) clearTimeout(timer)
      resolve(statements.map((_, at) => answers[at] ?? this.#answerLost()))
    }
  }

  #answerLost(): Answer {
    return { ok: false, error: this.#lost as LinkLost }
  }
}

/** How many statements of a text were fully answered: a query can fail after its columns and some of its rows. */
const countFinished = (query: unknown): number => (query as { _resultIndex: number })._resultIndex

/** The driver checks the name only if this is set. */
function toDriverTls(tls: TlsOptions) {
  const { ca, cert, key, passphrase, rejectUnauthorized = true, checkServerIdentity } = tls
  return {
    ...(ca === undefined ? {} : { ca: ca as string }),
    ...(cert === undefined ? {} : { cert: cert as string }),
    ...(key === undefined ? {} : { key: key as string }),
    ...(passphrase === undefined ? {} : { passphrase }),
    rejectUnauthorized,
    verifyIdentity: rejectUnauthorized && checkServerIdentity === undefined,
  }
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
