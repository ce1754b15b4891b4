import type { DatabaseEngine, StoredVersions } from '../engines.ts'
import { findNewestVersion, type Migration, migrations } from '../migrations/migrations.ts'
import type { Links } from '../shared/link.ts'
import {
  type Connector,
  connectOrRefuse,
  fillLimits,
  type LinksLimits,
  PooledLinks,
} from '../shared/pooled-links.ts'
import { connect } from './connect.ts'
import { type ConnectionEnvironment, resolveOptions } from './connection-options.ts'
import { fill } from './fill.ts'
import { PostgresLink } from './link.ts'
import { countRows, prepareSchema, readVersion } from './schema.ts'
import type { Session } from './session.ts'
import { PostgresSnapshot } from './snapshot.ts'

type PostgresRequest = ConnectionEnvironment & Partial<LinksLimits> & { readonly mustExist?: boolean }

export const engine: DatabaseEngine = {
  openLinks: async (url, request) => ({
    links: await openPostgresLinks(url, request),
    warnings: [],
    mayLose: null,
  }),
  openVersions: openPostgresVersions,
}

/**
 * Creates or migrates the tables of a database. Rejects with StoreRefused, in one line, if that can never work, and
 * with StoreUnavailable if it may later.
 */
export async function openPostgresLinks(
  url: string,
  request: PostgresRequest,
  steps: readonly Migration[] = migrations,
): Promise<Links> {
  const limits = fillLimits(request)
  const connector = makeConnector(url, request, limits, findNewestVersion(steps))
  const session = await connectOrRefuse(connector, limits)
  try {
    await prepareSchema(session, steps, request.mustExist)
  } finally {
    await session.close()
  }
  return new PooledLinks(connector, limits)
}

/** Looks at a database as it is: creates nothing. */
async function openPostgresVersions(url: string, request: PostgresRequest): Promise<StoredVersions> {
  const limits = fillLimits(request)
  const session = await connectOrRefuse(makeConnector(url, request, limits, 0), limits)
  return {
    readVersion: () => readVersion(session),
    countRows: sql => countRows(session, sql),
    close: () => session.close(),
  }
}

function makeConnector(
  url: string,
  environment: ConnectionEnvironment,
  { answerMsMax }: LinksLimits,
  newestVersion: number,
): Connector<Session> {
  const found = resolveOptions(url, environment)
  const options = { ...found, connectMsMax: found.connectMsMax ?? answerMsMax }
  return {
    connect: timeouts => connect(options, timeouts),
    disconnect: session => session.close(),
    link: (session, timeouts) => new PostgresLink(session, timeouts, newestVersion),
    snapshot: (session, pageMsMax, onClosed) =>
      PostgresSnapshot.begin(session, { pageMsMax, newestVersion }, onClosed),
    fill: (connect, answerMsMax, source, took) => fill({ connect, answerMsMax, newestVersion }, source, took),
  }
}
