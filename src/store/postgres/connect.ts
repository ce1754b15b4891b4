import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { Client, DatabaseError } from 'pg'
import { StoreRefused, StoreUnavailable } from '../store.ts'
import type { ConnectionOptions, Host } from './connection-options.ts'
import { rowsOrThrow, Session } from './session.ts'
import { valueTypes } from './values.ts'

export interface Timeouts {
  /** To connect, to get the head lock, to answer. */
  readonly answerMsMax: number
  /** A server that holds the lock and says nothing loses it after this time. */
  readonly frozenMsMax: number
}

/** The database times out first and reports it; we close the connection if it does not. */
const SLACK_MS = 500

export const answerLimit = ({ answerMsMax }: Timeouts): number => answerMsMax + SLACK_MS

/** First the lock, then the missed changes. */
export const computeTurnLimit = ({ answerMsMax }: Timeouts): number => 2 * answerMsMax + SLACK_MS

const KEEP_ALIVE_MS = 10_000

/** Why a server could not be used; `isLasting` if retrying will not help. */
interface Failure {
  readonly reason: string
  readonly isLasting: boolean
}

/** No server could be used. */
export class NoConnection extends StoreUnavailable {
  /** Whether retrying cannot help with any of them. */
  readonly isLasting: boolean

  constructor(message: string, isLasting: boolean) {
    super(message)
    this.isLasting = isLasting
  }

  /** For the start: a lasting failure is a reason not to start. */
  asRefusal(): StoreRefused | this {
    return this.isLasting ? new StoreRefused(this.message) : this
  }
}

/** A session with the first server that accepts writes. Rejects with NoConnection, which names all failures. */
export async function connect(options: ConnectionOptions, timeouts: Timeouts): Promise<Session> {
  const failures: (Failure & { where: string })[] = []
  for (const host of options.hosts) {
    const where = host.host.startsWith('/') ? host.host : `${bracketHost(host.host)}:${host.port}`
    const found = await connectTo(host, where, options, timeouts)
    if (found instanceof Session) return found
    failures.push({ ...found, where })
  }
  const reasons = failures.map(({ where, reason }) => `${where}: ${reason}`).join('; ')
  throw new NoConnection(
    `no PostgreSQL can be used: ${reasons}`,
    failures.every(({ isLasting }) => isLasting),
  )
}

const bracketHost = (host: string) => (host.includes(':') ? `[${host}]` : host)

async function connectTo(
  host: Host,
  where: string,
  options: ConnectionOptions,
  timeouts: Timeouts,
): Promise<Session | Failure> {
  let failure: Failure = { reason: 'it was not tried', isLasting: false }
  for (const [at, tls] of host.tls.entries()) {
    const client = makeClient(host, tls, options, timeouts)
    try {
      await client.connect()
      return await applySettings(new Session(client, where), timeouts)
    } catch (error) {
      hangUp(client)
      failure = describeFailure(error as Error, options)
      if (at + 1 < host.tls.length && !isAboutTls(error as Error)) return failure
    }
  }
  return failure
}

function makeClient(
  { host, port, password }: Host,
  ssl: TlsOptions | false,
  { user, database, applicationName, startupOptions, connectMsMax }: ConnectionOptions,
  { answerMsMax }: Timeouts,
): Client {
  const client = new Client({
    host,
    port,
    user,
    database,
    // As a function, so that pg looks nowhere else.
    password: () => password ?? '',
    ssl,
    application_name: applicationName,
    ...(startupOptions === null ? {} : { options: startupOptions }),
    connectionTimeoutMillis: connectMsMax ?? answerMsMax,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: valueTypes,
    pipeline: true,
  })
  // Late events of an abandoned connection.
  client.on('error', () => undefined)
  return client
}

function hangUp(client: Client): void {
  ;(client as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

const SETTINGS = `SELECT pg_is_in_recovery(), current_setting('transaction_read_only'),
  current_setting('server_encoding'),
  set_config('client_encoding', 'UTF8', false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('extra_float_digits', '3', false),
  set_config('statement_timeout', $1, false),
  set_config('lock_timeout', $1, false),
  set_config('idle_in_transaction_session_timeout', $2, false),
  set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
    THEN 'on' ELSE current_setting('synchronous_commit') END, false)`

/**
 * All statements find rows by key, but plans may date from when a table was small and a full scan was cheapest. Servers
 * without these settings go without.
 */
const PLANS = `SELECT set_config(name, 'off', false) FROM pg_settings
  WHERE name IN ('enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit')`

/** Rejects if the server does not accept writes. */
async function applySettings(session: Session, timeouts: Timeouts): Promise<Session> {
  const values = [String(timeouts.answerMsMax), String(timeouts.frozenMsMax)]
  const answers = await session.ask([{ text: SETTINGS, values }, { text: PLANS }], answerLimit(timeouts))
  const [row] = rowsOrThrow(answers, error => error)[0] ?? []
  const [isStandby, readOnly, encoding] = row as [boolean, string, string]
  if (isStandby) throw new Unfit('it is a standby', false)
  if (readOnly === 'on') throw new Unfit('it takes no writes', false)
  if (encoding !== 'UTF8') throw new Unfit(`the encoding of its database is ${encoding}, not UTF8`, true)
  return session
}

class Unfit extends Error {
  readonly isLasting: boolean

  constructor(message: string, isLasting: boolean) {
    super(message)
    this.isLasting = isLasting
  }
}

/** With "prefer" the server may still accept us without TLS, and with "allow" only with it. */
function isAboutTls(error: Error): boolean {
  if (error instanceof DatabaseError) return error.code === '28000'
  return /SSL|TLS|certificate/i.test(`${error.message} ${(error as NodeJS.ErrnoException).code}`)
}

function describeFailure(error: Error, { passwordHint }: ConnectionOptions): Failure {
  if (error instanceof Unfit) return { reason: error.message, isLasting: error.isLasting }
  const hint = passwordHint === null ? '' : ` (${passwordHint})`
  if (!(error instanceof DatabaseError)) {
    if (/password must be a/.test(error.message))
      return { reason: `it asks for a password, and there is none${hint}`, isLasting: true }
    return { reason: describeReason(error), isLasting: /certificate/i.test(error.message) }
  }
  const isNotLetIn = error.code?.startsWith('28') ?? false
  const isLasting = isNotLetIn || error.code === '3D000' || error.code === '42501'
  return { reason: `${error.message}${isNotLetIn ? hint : ''}`, isLasting }
}

const PLAIN_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ECONNRESET: 'it hung up',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name cannot be looked up at the moment',
  ETIMEDOUT: 'it did not answer in time',
}

function describeReason(error: Error): string {
  // All addresses of one name fail together.
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error
  const { code } = first as NodeJS.ErrnoException
  if (first.message === 'timeout expired') return 'it did not answer in time'
  if (first.message.startsWith('Connection terminated')) return 'it hung up'
  return (code && PLAIN_REASONS[code]) || first.message || code || 'unknown'
}
