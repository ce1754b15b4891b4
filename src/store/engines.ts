import type { StoreRequest } from './open.ts'
import type { Links } from './shared/link.ts'

/** An engine that several processes write to; `shared/shared-store.ts` turns its links into a store. */
export interface DatabaseEngine {
  /** Creates or migrates the tables. */
  openLinks(url: string, request: StoreRequest): Promise<OpenedLinks>
  /** Looks at a database as it is: creates nothing. */
  openVersions(url: string, request: StoreRequest): Promise<StoredVersions>
}

export interface OpenedLinks {
  readonly links: Links
  /** Warnings from opening it, one line each. */
  readonly warnings: readonly string[]
  /** What a crash of the database may lose of acknowledged writes; null is nothing. */
  readonly mayLose: string | null
}

export interface StoredVersions {
  /** The schema version; null if there are no tables of Berth. */
  readVersion(): Promise<number | null>
  countRows(sql: string): Promise<number>
  close(): Promise<void>
}

/** One line for each engine: how its addresses begin, and its folder, which is imported only if it is used. */
const engines = {
  postgres: { address: /^postgres(ql)?:/, load: () => import('./postgres/open.ts') },
  mysql: { address: /^(mysql|mariadb)[+:]/, load: () => import('./mysql/open.ts') },
}

export type EngineName = 'sqlite' | keyof typeof engines

/** By how the address begins; null is SQLite. */
export function findEngineName(url: string | null): EngineName {
  return url === null ? 'sqlite' : findDatabaseEngine(url)
}

/** An unknown address goes to PostgreSQL, which refuses it in one line. */
function findDatabaseEngine(url: string): keyof typeof engines {
  const names = Object.keys(engines) as (keyof typeof engines)[]
  return names.find(name => engines[name].address.test(url)) ?? 'postgres'
}

export async function loadEngine(url: string): Promise<DatabaseEngine> {
  return (await engines[findDatabaseEngine(url)].load()).engine
}
