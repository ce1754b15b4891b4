import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { Client, DatabaseError } from 'pg'
import {
  type ConnectFailure,
  describePlace,
  describeReason,
  NoConnection,
  Unfit,
} from '../shared/connecting.ts'
import { answerLimit, type Timeouts } from '../shared/timeouts.ts'
import type { ConnectionOptions, Host } from './connection-options.ts'
import { rowsOrThrow, Session } from './session.ts'
import { valueTypes } from './values.ts'

const KEEP_ALIVE_MS = 10_000

/** A session with the first server that accepts writes. Rejects with NoConnection, which names all failures. */
export async function connect(options: ConnectionOptions, timeouts: Timeouts): Promise<Session> {
  const failures: (ConnectFailure & { where: string })[] = []
  for (const host of options.hosts) {
    const where = describePlace(host)
    const found = await connectTo(host, where, options, timeouts)
    if (found instanceof Session) return found
    failures.push({ ...found, where })
  }
  throw NoConnection.from('PostgreSQL', failures)
}

async function connectTo(
  host: Host,
  where: string,
  options: ConnectionOptions,
  timeouts: Timeouts,
): Promise<Session | ConnectFailure> {
  let failure: ConnectFailure = { reason: 'it was not tried', isLasting: false }
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
  if (readOnly === 'on') throw new Unfit('it does not accept writes', false)
  if (encoding !== 'UTF8') throw new Unfit(`the encoding of its database is ${encoding}, not UTF8`, true)
  return session
}

/** With "prefer" the server may still accept us without TLS, and with "allow" only with it. */
function isAboutTls(error: Error): boolean {
  if (error instanceof DatabaseError) return error.code === '28000'
  return /SSL|TLS|certificate/i.test(`${error.message} ${(error as NodeJS.ErrnoException).code}`)
}

function describeFailure(error: Error, { passwordHint }: ConnectionOptions): ConnectFailure {
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
