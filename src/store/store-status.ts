import { existsSync } from 'node:fs'
import { loadEngine } from './engines.ts'
import { findNewestVersion, migrations } from './migrations/migrations.ts'
import type { StoreRequest } from './open.ts'

/** What can be read of a store without taking it: also while a server uses it. */
export interface StoreStatus {
  /** Null: no store of Berth. */
  readonly version: number | null
  /** The newest version that this program knows. */
  readonly newest: number
  /** Providers whose parent does not exist. */
  readonly providersWithoutRoot: number
  /** Consumers of allocations that do not exist. */
  readonly missingConsumers: number
}

const WITHOUT_ROOT = `SELECT count(*) FROM resource_providers AS p
  LEFT JOIN resource_providers AS above ON above.id = p.parent_id
  WHERE p.parent_id IS NOT NULL AND above.id IS NULL`
const WITHOUT_CONSUMER = `SELECT count(DISTINCT a.consumer_id) FROM allocations AS a
  LEFT JOIN consumers AS c ON c.id = a.consumer_id WHERE c.id IS NULL`

const newest = findNewestVersion(migrations)
const NOTHING: StoreStatus = { version: null, newest, providersWithoutRoot: 0, missingConsumers: 0 }

/** Changes nothing. Rejects with StoreRefused or StoreUnavailable in one line. */
export function readStoreStatus(request: StoreRequest): Promise<StoreStatus> {
  return request.database === null
    ? readFileStatus(request.directory)
    : readDatabaseStatus(request, request.database)
}

async function readFileStatus(directory: string): Promise<StoreStatus> {
  const { databaseFile } = await import('./sqlite/directory.ts')
  const { toOpenError: whileOpening } = await import('./sqlite/failure.ts')
  const { readVersion: storedVersion } = await import('./sqlite/schema.ts')
  const { DatabaseSync } = await import('node:sqlite')
  const file = databaseFile(directory)
  if (!existsSync(file)) return NOTHING
  try {
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      const version = storedVersion(db, file)
      if (version === null) return NOTHING
      const count = (sql: string) =>
        Object.values(db.prepare(sql).get() as Record<string, number>)[0] as number
      return {
        version,
        newest,
        providersWithoutRoot: count(WITHOUT_ROOT),
        missingConsumers: count(WITHOUT_CONSUMER),
      }
    } finally {
      db.close()
    }
  } catch (error) {
    throw whileOpening(error, file)
  }
}

async function readDatabaseStatus(request: StoreRequest, url: string): Promise<StoreStatus> {
  const database = await (await loadEngine(url)).openVersions(url, request)
  try {
    const version = await database.readVersion()
    if (version === null) return NOTHING
    return {
      version,
      newest,
      providersWithoutRoot: await database.countRows(WITHOUT_ROOT),
      missingConsumers: await database.countRows(WITHOUT_CONSUMER),
    }
  } finally {
    await database.close()
  }
}
