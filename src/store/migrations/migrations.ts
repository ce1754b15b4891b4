import { catalogTablesInPostgres, catalogTablesInSqlite } from './catalog-tables.ts'
import { computeTablesInPostgres, computeTablesInSqlite } from './compute-tables.ts'
import { identityTablesInPostgres, identityTablesInSqlite } from './identity-tables.ts'
import { schedulingTablesInPostgres, schedulingTablesInSqlite } from './scheduling-tables.ts'
import { shareTablesInPostgres, shareTablesInSqlite } from './share-tables.ts'

/**
 * A new store is made from the table descriptions as they are now; these steps lead an older one to the same.
 * A change of a description needs one: `migrations.test.ts` fails until it is there.
 */
export interface Migration {
  readonly version: number
  readonly title: string
  readonly sqlite: readonly string[]
  readonly postgres: readonly string[]
}

export const FIRST_VERSION = 1

/** Oldest first, one version each, from FIRST_VERSION + 1. Never edit one that was released. */
export const migrations: readonly Migration[] = [
  {
    version: 2,
    title: 'the catalog',
    sqlite: catalogTablesInSqlite,
    postgres: catalogTablesInPostgres,
  },
  {
    version: 3,
    title: 'compute',
    sqlite: computeTablesInSqlite,
    postgres: computeTablesInPostgres,
  },
  {
    version: 4,
    title: 'scheduling',
    sqlite: schedulingTablesInSqlite,
    postgres: schedulingTablesInPostgres,
  },
  {
    version: 5,
    title: 'identity',
    sqlite: identityTablesInSqlite,
    postgres: identityTablesInPostgres,
  },
  {
    version: 6,
    title: 'shares',
    sqlite: shareTablesInSqlite,
    postgres: shareTablesInPostgres,
  },
]

export function newestVersion(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? FIRST_VERSION
}
