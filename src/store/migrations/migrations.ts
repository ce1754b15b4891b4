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
  {
    version: 7,
    title: 'decisions know their share',
    sqlite: ['ALTER TABLE "decisions" ADD COLUMN "share" TEXT'],
    postgres: ['ALTER TABLE "decisions" ADD COLUMN "share" TEXT COLLATE "C"'],
  },
  {
    version: 8,
    title: 'decisions know their servers',
    sqlite: [
      `CREATE TABLE "decision_servers" (
  "instance" TEXT NOT NULL,
  "decision" TEXT NOT NULL,
  "at_ms" INTEGER NOT NULL,
  PRIMARY KEY ("instance", "decision")
) STRICT, WITHOUT ROWID`,
      'CREATE INDEX "decision_servers_by_age" ON "decision_servers" ("at_ms")',
    ],
    postgres: [
      `CREATE TABLE "decision_servers" (
  "instance" TEXT COLLATE "C" NOT NULL,
  "decision" TEXT COLLATE "C" NOT NULL,
  "at_ms" BIGINT NOT NULL,
  PRIMARY KEY ("instance", "decision")
)`,
      'CREATE INDEX "decision_servers_by_age" ON "decision_servers" ("at_ms")',
    ],
  },
]

export function newestVersion(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? FIRST_VERSION
}
