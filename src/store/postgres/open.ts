import { findNewestVersion, type Migration, migrations } from '../migrations/migrations.ts'
import { NoConnection } from '../shared/connecting.ts'
import type { Links } from '../shared/link.ts'
import { connect } from './connect.ts'
import { type ConnectionEnvironment, resolveOptions } from './connection-options.ts'
import { type LinksLimits, PostgresLinks } from './links.ts'
import { prepareSchema } from './schema.ts'
import type { Session } from './session.ts'

export type PostgresRequest = ConnectionEnvironment & Partial<LinksLimits> & { readonly mustExist?: boolean }

const DEFAULTS: LinksLimits = { connectionsMax: 8, answerMsMax: 10_000, frozenMsMax: 5_000 }

/**
 * Creates or migrates the tables of a database. Rejects with StoreRefused, in one line, if that can never work, and
 * with StoreUnavailable if it may later.
 */
export async function openPostgresLinks(
  url: string,
  request: PostgresRequest,
  steps: readonly Migration[] = migrations,
): Promise<Links> {
  const { options, limits } = resolveSettings(url, request)
  const session = await connectOrRefuse(options, limits)
  try {
    await prepareSchema(session, steps, request.mustExist)
  } finally {
    await session.close()
  }
  return new PostgresLinks(options, limits, findNewestVersion(steps))
}

/** One connection to a database as it is: creates nothing. */
export async function openPostgresSession(url: string, request: PostgresRequest): Promise<Session> {
  const { options, limits } = resolveSettings(url, request)
  return connectOrRefuse(options, limits)
}

function resolveSettings(url: string, request: PostgresRequest) {
  const { connectionsMax, answerMsMax, frozenMsMax } = { ...DEFAULTS, ...request }
  const found = resolveOptions(url, request)
  const options = { ...found, connectMsMax: found.connectMsMax ?? answerMsMax }
  return { options, limits: { connectionsMax, answerMsMax, frozenMsMax } }
}

function connectOrRefuse(...[options, limits]: Parameters<typeof connect>): Promise<Session> {
  return connect(options, limits).catch((reason: unknown) => {
    throw reason instanceof NoConnection ? reason.asRefusal() : reason
  })
}
