import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type HostAndPort, parseHostAndPort } from '../config/host-and-port.ts'
import type { Config } from '../config/keys.ts'
import { readCertificate, type TlsPaths, watchCertificate } from '../http/ops/certificates.ts'
import { createLog, type Log, type LogFields } from '../http/ops/log.ts'
import type { BerthServer, ServedRoute } from '../http/server.ts'
import { type AdminToken, ensureAdminToken } from '../identity/token-file.ts'
import { findEngineName } from '../store/engines.ts'
import { tightenDataDirectory } from '../store/files/file-modes.ts'
import { loadWorld } from '../store/load-world.ts'
import { type OpenedStore, openStore, type StoreRequest } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { readStoreStatus, type StoreStatus } from '../store/store-status.ts'
import { type VerifyReport, verifyWorld } from '../store/verify/verify-world.ts'
import { invariantChecks } from './check-world.ts'
import type { ComposedServer } from './compose.ts'

/** What the server needs from its process. */
export interface StartParts {
  readonly version: string
  /** Receives one line of the log, without its line feed. */
  readonly log: (line: string) => void
  /** The directory of the built console; absent or not built: no console. */
  readonly consoleDirectory?: string
  /** The configuration files. */
  readonly configFiles?: readonly string[]
  /** What to log about how the configuration was read. */
  readonly configNotices?: readonly ConfigNotice[]
  /** The environment, which may name passwords and certificates of a database, as its own tools do. */
  readonly libpq?: Libpq
  /** Use the database in the data directory, or create one, although the directory records another or a newer one. SQLite only. */
  readonly newLedger?: boolean
}

export interface ConfigNotice {
  readonly level: 'info' | 'warn'
  readonly msg: string
  readonly fields: LogFields
}

export interface Libpq {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
}

export interface RunningServer {
  /** Every address it listens on, as `host:port`. */
  readonly addresses: readonly string[]
  readonly url: string
  /** The admin token, if this start created it. */
  readonly firstStartToken: string | null
  /** Every route of every mount. */
  readonly routes: readonly ServedRoute[]
  /** Accepts no new connections, finishes running requests, and closes the store. */
  drain(): Promise<void>
  /** Resolves if the server fails. */
  readonly fatal: Promise<Error>
}

export async function startServer(config: Config, parts: StartParts): Promise<RunningServer> {
  const log = createLog({
    stream: { write: text => parts.log(text.endsWith('\n') ? text.slice(0, -1) : text) },
    level: config.log_level,
    format: config.log_format,
  })
  for (const { level, msg, fields } of parts.configNotices ?? []) log[level](msg, fields)
  for (const text of await tightenDataDirectory(config.data_dir)) log.warn('files open to others', { text })
  const paths = tlsPaths(config)
  // While code is loaded an answer of a database waits, and the time limit for it goes on: a good database would seem silent.
  if (findEngineName(config.database) !== 'sqlite') await import('./compose.ts')
  const opening = openConfiguredStore(config, parts.libpq, { newLedger: parts.newLedger === true })
  // Loading code takes half of the start. SQLite is opened meanwhile, by a thread that has to be started before.
  const coming = nextTurn().then(() => import('./compose.ts'))
  const { store, place, warnings, mayLose } = await opening
  for (const text of warnings) log.warn('doubtful store', { text })
  try {
    const token = await adminTokenOf(config, log)
    const { composeServer } = await coming
    const composed = await composeServer({
      config,
      store,
      place,
      mayLose,
      log,
      version: parts.version,
      token: token?.token ?? null,
      consoleDirectory: parts.consoleDirectory ?? null,
      configFiles: parts.configFiles ?? [],
      cloudPlace: { env: {}, homeDirectory: '', ...parts.libpq, workingDirectory: '.' },
      tls: paths === null ? null : await readCertificate(paths),
    })
    if (paths !== null) renewCertificate(composed, paths, log)
    const addresses = await composed.server.open({ host: config.host, port: config.port })
    if (config.health_listen !== null)
      await composed.server.openHealth(parseHostAndPort(config.health_listen) as HostAndPort)
    log.info('serving', { version: parts.version, revision: composed.world.revision })
    composed.follower.start()
    composed.watch.start()
    composed.shareWorker.start()
    composed.reconcileCheck.start()
    composed.reservationKeeper.start()
    composed.usageRecorder?.start()
    await composed.shadow?.start()
    return toRunning(config, composed, addresses.map(hostAndPort), store, log, token)
  } catch (error) {
    await store.close()
    throw error
  }
}

/** For a relative path on a read-only file system, Node reports ENOENT. */
const READ_ONLY = ['EACCES', 'EPERM', 'EROFS', 'ENOENT']

/** With the state in a database and the users in Keystone, a read-only file system lacks only the admin token. */
async function adminTokenOf(config: Config, log: Log): Promise<AdminToken | null> {
  if (config.auth === 'noauth2') return null
  try {
    return await ensureAdminToken(config.data_dir)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (config.auth !== 'keystone' || config.database === null || !READ_ONLY.includes(code)) throw error
    const text = `${config.data_dir} cannot be written (${code}); callers need tokens of Keystone`
    log.warn('no admin token', { text })
    return null
  }
}

function tlsPaths({ tls_cert, tls_key }: Config): TlsPaths | null {
  return tls_cert === null || tls_key === null ? null : { cert: tls_cert, key: tls_key }
}

function renewCertificate({ server }: ComposedServer, paths: TlsPaths, log: Log): void {
  const stop = watchCertificate(paths, log, files => server.renewCertificate(files))
  server.http.once('close', stop)
}

/** Opens the store of a stopped server and checks its consistency. */
export async function verifyOffline(config: Config, libpq?: Libpq): Promise<VerifyReport> {
  const { store, place } = await openConfiguredStore(config, libpq, { mustExist: true })
  try {
    const { world, head } = await loadWorld(store)
    return await verifyWorld(place, store, { world, head, reach: async () => undefined }, invariantChecks)
  } finally {
    await store.close()
  }
}

export function openConfiguredStore(
  config: Config,
  libpq: Libpq = { env: {}, homeDirectory: '' },
  how: Pick<StoreRequest, 'mustExist' | 'newLedger'> = {},
): Promise<OpenedStore> {
  return openStore({ ...how, ...storeRequest(config, libpq) })
}

/** What is in the store that a server with this configuration would use. Creates and locks nothing. */
export const readConfiguredStatus = (config: Config, libpq: Libpq): Promise<StoreStatus> =>
  readStoreStatus(storeRequest(config, libpq))

function storeRequest(config: Config, libpq: Libpq): StoreRequest {
  return {
    database: config.database,
    directory: config.data_dir,
    changesAgeMsMax: config.changes_keep_days * 86_400_000,
    changesCountMax: config.changes_keep_rows,
    connectionsMax: config.database_connections_max,
    answerMsMax: config.database_timeout_ms,
    frozenMsMax: config.database_frozen_ms,
    ...libpq,
  }
}

function toRunning(
  config: Config,
  composed: ComposedServer,
  addresses: readonly string[],
  store: Store,
  log: Log,
  token: AdminToken | null,
): RunningServer {
  const { server, world, sequencer, follower, watch, shareWorker, refusals, tracing, cadf, broken } = composed
  return {
    addresses,
    url: `${config.tls_cert === null ? 'http' : 'https'}://${addresses[0]}`,
    routes: server.routes,
    firstStartToken: token?.created === true ? token.token : null,
    fatal: broken.then(reason => leave(server, reason)),
    async drain() {
      const finished = await server.drain({
        lingerMs: config.drain_linger_ms,
        finishMsMax: config.drain_timeout_ms,
      })
      await shareWorker.stop(config.drain_timeout_ms)
      await refusals?.stop()
      await composed.reconcileCheck.stop()
      await composed.reservationKeeper.stop()
      await composed.usageRecorder?.stop()
      await composed.shadow?.stop()
      await sequencer.waitUntilIdle()
      follower.stop()
      watch.stop()
      await Promise.all([tracing?.close(EXPORT_MS_MAX), cadf?.close(EXPORT_MS_MAX)])
      await store.close()
      log.info('stopped', { finished, revision: world.revision })
      log.flush()
    },
  }
}

/** How long a stopping server waits to deliver what is queued. */
const EXPORT_MS_MAX = 3_000

/** How long a failed server still answers its clients. */
const LEAVE_MS_MAX = 1_000

/** Every request now gets 503, which makes proxies try another process; a cut connection would not. */
async function leave(server: BerthServer, reason: Error): Promise<Error> {
  await server.drain({ finishMsMax: LEAVE_MS_MAX })
  return reason
}

function hostAndPort({ address, family, port }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}
