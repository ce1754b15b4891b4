import { type Migration, migrations, newestVersion } from '../migrations/migrations.ts'
import type { Links } from '../shared/link.ts'
import { connect, NoConnection } from './connect.ts'
import { connectionOptions, type Place } from './connection-options.ts'
import { type LinksLimits, PostgresLinks } from './links.ts'
import { prepareSchema } from './schema.ts'
import type { Session } from './session.ts'

export { withoutPassword } from './connection-url.ts'

export type PostgresRequest = Place & Partial<LinksLimits> & { readonly mustExist?: boolean }

const DEFAULTS: LinksLimits = { connectionsMax: 8, answerMsMax: 10_000, frozenMsMax: 5_000 }

/**
 * Makes or migrates the tables of a database and resolves with the way to it. Rejects with StoreRefused, in one
 * plain line, where that can never work, and with StoreUnavailable where it may later.
 */
export async function openPostgresLinks(
  url: string,
  request: PostgresRequest,
  steps: readonly Migration[] = migrations,
): Promise<Links> {
  const { options, limits } = settingsOf(url, request)
  const session = await connectOrRefuse(options, limits)
  try {
    await prepareSchema(session, steps, request.mustExist)
  } finally {
    await session.close()
  }
  return new PostgresLinks(options, limits, newestVersion(steps))
}

/** One connection to a database as it is: nothing is made there. */
export async function openPostgresSession(url: string, request: PostgresRequest): Promise<Session> {
  const { options, limits } = settingsOf(url, request)
  return connectOrRefuse(options, limits)
}

function settingsOf(url: string, request: PostgresRequest) {
  const { connectionsMax, answerMsMax, frozenMsMax } = { ...DEFAULTS, ...request }
  const found = connectionOptions(url, request)
  const options = { ...found, connectMsMax: found.connectMsMax ?? answerMsMax }
  return { options, limits: { connectionsMax, answerMsMax, frozenMsMax } }
}

function connectOrRefuse(...[options, limits]: Parameters<typeof connect>): Promise<Session> {
  return connect(options, limits).catch((reason: unknown) => {
    throw reason instanceof NoConnection ? reason.asRefusal() : reason
  })
}
