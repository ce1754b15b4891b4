import { findNewestVersion, type Migration, migrations } from '../migrations/migrations.ts'
import { NoConnection } from '../shared/connecting.ts'
import type { Links } from '../shared/link.ts'
import { connect, type Server } from './connect.ts'
import { type ConnectionEnvironment, resolveOptions } from './connection-options.ts'
import { type LinksLimits, MysqlLinks } from './links.ts'
import { prepareSchema } from './schema.ts'

type MysqlRequest = ConnectionEnvironment & Partial<LinksLimits> & { readonly mustExist?: boolean }

const DEFAULTS: LinksLimits = {
  connectionsMax: 8,
  answerMsMax: 10_000,
  frozenMsMax: 5_000,
  failBackMs: 10_000,
}

/**
 * Creates or migrates the tables of a database. Rejects with StoreRefused, in one line, if that can never work, and
 * with StoreUnavailable if it may later.
 */
export async function openMysqlLinks(
  url: string,
  request: MysqlRequest,
  steps: readonly Migration[] = migrations,
): Promise<{
  readonly links: Links
  readonly warnings: readonly string[]
  readonly mayLose: string | null
}> {
  const { options, limits } = resolveSettings(url, request)
  const server = await openMysqlServer(url, request)
  try {
    await prepareSchema(server, steps, request.mustExist)
  } finally {
    await server.session.close()
  }
  const links = new MysqlLinks(options, limits, findNewestVersion(steps))
  return { links, warnings: listWarnings(server), mayLose: describeLoss(server) }
}

/** One connection to a database as it is: creates nothing. */
export async function openMysqlServer(url: string, request: MysqlRequest): Promise<Server> {
  const { options, limits } = resolveSettings(url, request)
  try {
    return await connect(options, limits)
  } catch (reason) {
    throw reason instanceof NoConnection ? reason.asRefusal() : reason
  }
}

function resolveSettings(url: string, request: MysqlRequest) {
  const { connectionsMax, answerMsMax, frozenMsMax, failBackMs } = { ...DEFAULTS, ...request }
  const found = resolveOptions(url, request)
  const options = { ...found, connectMsMax: found.connectMsMax ?? answerMsMax }
  return { options, limits: { connectionsMax, answerMsMax, frozenMsMax, failBackMs } }
}

/** What `innodb_flush_log_at_trx_commit` leaves to chance; null if nothing. */
function describeLoss({ isGalera, flushAtCommit }: Server): string | null {
  if (flushAtCommit === 1) return null
  const cause =
    flushAtCommit === 0 ? 'of the database server or its machine' : 'of the machine of the database'
  const place = isGalera ? ' at all nodes at once' : ''
  return `a crash ${cause}${place} loses acknowledged writes of the last second`
}

function listWarnings(server: Server): string[] {
  const loss = describeLoss(server)
  if (loss === null) return []
  const { flushAtCommit, session } = server
  return [`innodb_flush_log_at_trx_commit is ${flushAtCommit} at ${session.where}: ${loss}; set it to 1`]
}
