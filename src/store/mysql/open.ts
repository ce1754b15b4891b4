import { findNewestVersion, type Migration, migrations } from '../migrations/migrations.ts'
import { NoConnection } from '../shared/connecting.ts'
import type { Links } from '../shared/link.ts'
import { connect, type Server } from './connect.ts'
import { type Place, resolveOptions } from './connection-options.ts'
import { type LinksLimits, MysqlLinks } from './links.ts'
import { prepareSchema } from './schema.ts'

type MysqlRequest = Place & Partial<LinksLimits> & { readonly mustExist?: boolean }

const DEFAULTS: LinksLimits = { connectionsMax: 8, answerMsMax: 10_000, frozenMsMax: 5_000 }

/**
 * Creates or migrates the tables of a database. Rejects with StoreRefused, in one line, if that can never work, and
 * with StoreUnavailable if it may later. Also returns warnings, one line each.
 */
export async function openMysqlLinks(
  url: string,
  request: MysqlRequest,
  steps: readonly Migration[] = migrations,
): Promise<{ readonly links: Links; readonly warnings: readonly string[] }> {
  const { options, limits } = resolveSettings(url, request)
  const server = await openMysqlServer(url, request)
  try {
    await prepareSchema(server, steps, request.mustExist)
  } finally {
    await server.session.close()
  }
  return { links: new MysqlLinks(options, limits, findNewestVersion(steps)), warnings: listWarnings(server) }
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
  const { connectionsMax, answerMsMax, frozenMsMax } = { ...DEFAULTS, ...request }
  const found = resolveOptions(url, request)
  const options = { ...found, connectMsMax: found.connectMsMax ?? answerMsMax }
  return { options, limits: { connectionsMax, answerMsMax, frozenMsMax } }
}

/** What is promised less than that acknowledged writes survive a loss of power. */
function listWarnings({ session, isGalera, flushAtCommit }: Server): string[] {
  if (flushAtCommit === 1) return []
  const cause = flushAtCommit === 0 ? 'a crash of the server or its machine' : 'a crash of its machine'
  const loss = isGalera
    ? `acknowledged writes of the last second are lost if all nodes fail at once by ${cause}`
    : `${cause} loses acknowledged writes of the last second`
  return [`innodb_flush_log_at_trx_commit is ${flushAtCommit} at ${session.where}: ${loss}; set it to 1`]
}
