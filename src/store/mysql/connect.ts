import {
  type ConnectFailure,
  describePlace,
  describeReason,
  NoConnection,
  Unfit,
} from '../shared/connecting.ts'
import type { Timeouts } from '../shared/timeouts.ts'
import type { ConnectionOptions, Host } from './connection-options.ts'
import { ServerError } from './failure.ts'
import { rowsOrThrow, Session } from './session.ts'
import type { Flavor } from './statements.ts'

/** A connection, and what the server at its other end is. */
export interface Server {
  readonly session: Session
  readonly flavor: Flavor
  readonly isGalera: boolean
  /** The place of its host in the address: 0 is the preferred one. */
  readonly rank: number
  /** `innodb_flush_log_at_trx_commit`: 1 is durable. */
  readonly flushAtCommit: number
}

/** A host that failed is tried last for so long. */
const AVOID_MS = 5_000
/** With several hosts, one that does not answer must not use up the time of the others. */
const CONNECT_MS_MIN = 1_000

/** Which hosts failed lately; shared by the connections of a process. */
export type HostFailures = Map<string, number>

/**
 * The first server that accepts writes, in the order of the address. A node of Galera that lags behind the others (a
 * donor, for example) is taken only if there is no better one. Rejects with NoConnection, which names all failures.
 */
export async function connect(
  options: ConnectionOptions,
  timeouts: Timeouts,
  failed: HostFailures = new Map(),
): Promise<Server> {
  const failures: (ConnectFailure & { where: string })[] = []
  const lagging: Server[] = []
  for (const { host, rank } of orderHosts(options.hosts, failed)) {
    const where = describePlace(host)
    const found = await connectTo(host, where, { ...options, rank }, timeouts)
    if ('reason' in found) {
      failed.set(where, performance.now())
      failures.push({ ...found, where })
    } else if (found.isLagging) lagging.push(found)
    else {
      await Promise.all(lagging.map(({ session }) => session.close()))
      return found
    }
  }
  const [best, ...others] = lagging
  await Promise.all(others.map(({ session }) => session.close()))
  if (best !== undefined) return best
  throw NoConnection.from('MariaDB', failures)
}

/** The place of the first host before `rank` that can be used and has all that the others have; null if there is none. */
export async function findBefore(
  rank: number,
  options: ConnectionOptions,
  timeouts: Timeouts,
  failed: HostFailures,
): Promise<number | null> {
  for (const [at, host] of options.hosts.slice(0, rank).entries()) {
    const where = describePlace(host)
    const found = await connectTo(host, where, { ...options, rank: at }, timeouts)
    if ('reason' in found) continue
    await found.session.close()
    if (found.isLagging) continue
    failed.delete(where)
    return at
  }
  return null
}

function orderHosts(hosts: readonly Host[], failed: HostFailures) {
  const sinceMs = performance.now() - AVOID_MS
  const ranked = hosts.map((host, rank) => ({ host, rank }))
  const isAvoided = ({ host }: { host: Host }) => (failed.get(describePlace(host)) ?? -Infinity) > sinceMs
  return [...ranked.filter(one => !isAvoided(one)), ...ranked.filter(isAvoided)]
}

type Ranked = ConnectionOptions & { readonly rank: number }

async function connectTo(
  { host, port, tls: tries }: Host,
  where: string,
  { user, password, database, connectMsMax, hosts, rank }: Ranked,
  timeouts: Timeouts,
): Promise<(Server & { isLagging: boolean }) | ConnectFailure> {
  const wholeMsMax = connectMsMax ?? timeouts.answerMsMax
  const msMax = Math.max(wholeMsMax / hosts.length, Math.min(wholeMsMax, CONNECT_MS_MIN))
  let failure: ConnectFailure = { reason: 'it was not tried', isLasting: false }
  for (const [at, tls] of tries.entries()) {
    let session: Session | null = null
    try {
      session = await Session.connect(
        { host, port, user, password, database, tls, connectMsMax: msMax },
        where,
      )
      return { ...(await inspectServer(session, msMax)), rank }
    } catch (error) {
      await session?.close()
      failure = describeFailure(error as Error)
      if (at + 1 < tries.length && !isAboutTls(error as Error)) return failure
    }
  }
  return failure
}

/** SHOW is what a node outside of the primary component still answers. */
const GALERA = `SHOW GLOBAL STATUS WHERE Variable_name IN
  ('wsrep_ready', 'wsrep_connected', 'wsrep_cluster_status', 'wsrep_local_state_comment')`
/** A node is one also while it has lost the others. */
const IS_GALERA = "SHOW GLOBAL VARIABLES WHERE Variable_name = 'wsrep_on' AND Value = 'ON'"
const SETTINGS = `SELECT @@version, @@max_allowed_packet, @@read_only, @@innodb_flush_log_at_trx_commit`

/** Rejects if the server does not accept writes. */
async function inspectServer(session: Session, msMax: number) {
  const answers = await session.ask([GALERA, IS_GALERA, SETTINGS], msMax)
  const [states = [], found = [], settings = []] = rowsOrThrow(answers, error => error)
  const galera = new Map(states as [string, string][])
  const [version, packetBytes, readOnly, flush] = settings[0] as [string, number, number, number]
  const isGalera = found.length > 0
  const isPart = galera.get('wsrep_connected') === 'ON' && galera.get('wsrep_ready') === 'ON'
  if (isGalera && !(isPart && galera.get('wsrep_cluster_status') === 'Primary'))
    throw new Unfit('its node is not part of the primary component', false)
  if (readOnly !== 0) throw new Unfit('it takes no writes', false)
  session.packetBytesMax = packetBytes
  return {
    session,
    flavor: checkVersion(version),
    isGalera,
    flushAtCommit: flush,
    isLagging: isGalera && galera.get('wsrep_local_state_comment') !== 'Synced',
  }
}

/** MariaDB since 10.6 and MySQL since 8.0.17 have all that the statements need. */
function checkVersion(version: string): Flavor {
  const [major = 0, minor = 0, patch = 0] = (version.match(/\d+/g) ?? []).map(Number)
  const isMariadb = /mariadb/i.test(version)
  const isNewEnough = isMariadb ? major * 100 + minor >= 1006 : (major * 100 + minor) * 100 + patch >= 80_017
  if (!isNewEnough)
    throw new Unfit(`its version is ${version}, and berth needs MariaDB 10.6 or MySQL 8.0.17`, true)
  return isMariadb ? 'mariadb' : 'mysql'
}

/** With "PREFERRED" the server may still accept us without TLS. */
const isAboutTls = (error: Error): boolean =>
  /SSL|TLS|certificate|secure connection/i.test(`${error.message} ${(error as NodeJS.ErrnoException).code}`)

/** Access denied, no such database, no such plugin. */
const LASTING: ReadonlySet<number> = new Set([1044, 1045, 1049, 1130, 1251, 1524, 1698])

function describeFailure(error: Error): ConnectFailure {
  if (error instanceof Unfit) return { reason: error.message, isLasting: error.isLasting }
  const code = error instanceof ServerError ? error.code : Number((error as NodeJS.ErrnoException).errno)
  if (code === 1047) return { reason: 'its node is not part of the primary component', isLasting: false }
  return {
    reason: describeReason(error),
    isLasting: LASTING.has(code) || /certificate/i.test(error.message),
  }
}
