import type { DatabaseEngine, OpenedLinks, StoredVersions } from '../engines.ts'
import { findNewestVersion, type Migration, migrations } from '../migrations/migrations.ts'
import {
  type Connector,
  connectOrRefuse,
  fillLimits,
  type LinksLimits,
  PooledLinks,
} from '../shared/pooled-links.ts'
import { connect, findBefore, type HostFailures, type Server } from './connect.ts'
import { type ConnectionEnvironment, resolveOptions } from './connection-options.ts'
import { FailBack } from './fail-back.ts'
import { fill } from './fill.ts'
import { MysqlLink } from './link.ts'
import { countRows, prepareSchema, readVersion } from './schema.ts'
import { MysqlSnapshot } from './snapshot.ts'

type MysqlRequest = ConnectionEnvironment &
  Partial<LinksLimits> & { readonly mustExist?: boolean; readonly failBackMs?: number }

/** How often to look whether a host that the address prefers is back. */
const FAIL_BACK_MS = 10_000

export const engine: DatabaseEngine = { openLinks: openMysqlLinks, openVersions: openMysqlVersions }

/**
 * Creates or migrates the tables of a database. Rejects with StoreRefused, in one line, if that can never work, and
 * with StoreUnavailable if it may later.
 */
export async function openMysqlLinks(
  url: string,
  request: MysqlRequest,
  steps: readonly Migration[] = migrations,
): Promise<OpenedLinks> {
  const limits = fillLimits(request)
  const connector = makeConnector(url, request, limits, findNewestVersion(steps))
  const server = await connectOrRefuse(connector, limits)
  try {
    await prepareSchema(server, steps, request.mustExist)
  } finally {
    await server.session.close()
  }
  const links = new PooledLinks(connector, limits)
  return { links, warnings: listWarnings(server), mayLose: describeLoss(server) }
}

/** One connection to a database as it is: creates nothing. */
export function openMysqlServer(url: string, request: MysqlRequest): Promise<Server> {
  const limits = fillLimits(request)
  return connectOrRefuse(makeConnector(url, request, limits, 0), limits)
}

async function openMysqlVersions(url: string, request: MysqlRequest): Promise<StoredVersions> {
  const server = await openMysqlServer(url, request)
  return {
    readVersion: () => readVersion(server),
    countRows: sql => countRows(server, sql),
    close: () => server.session.close(),
  }
}

function makeConnector(
  url: string,
  request: MysqlRequest,
  limits: LinksLimits,
  newestVersion: number,
): Connector<Server> {
  const found = resolveOptions(url, request)
  const options = { ...found, connectMsMax: found.connectMsMax ?? limits.answerMsMax }
  const failed: HostFailures = new Map()
  const failBack = new FailBack({
    findBefore: rank => findBefore(rank, options, limits, failed),
    nowMs: () => performance.now(),
    everyMs: request.failBackMs ?? FAIL_BACK_MS,
  })
  return {
    connect: timeouts => connect(options, timeouts, failed),
    disconnect: server => server.session.close(),
    link(server, timeouts) {
      failBack.connected(server.rank)
      return new MysqlLink(server, timeouts, newestVersion, () => failBack.isOutranked(server.rank))
    },
    snapshot: (server, pageMsMax, onClosed) =>
      MysqlSnapshot.begin(server, { pageMsMax, newestVersion }, onClosed),
    fill: (connect, answerMsMax, source, took) => fill({ connect, answerMsMax, newestVersion }, source, took),
  }
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
