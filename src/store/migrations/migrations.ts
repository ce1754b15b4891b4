/**
 * One step from a schema version to the next. A new store is created from the current table descriptions; these steps
 * migrate an older one to the same. A changed description needs a step: `migrations.test.ts` fails until there is one.
 */
export interface Migration {
  readonly version: number
  readonly title: string
  readonly sqlite: readonly string[]
  /** Each can run twice (IF NOT EXISTS): on some servers DDL is not part of a transaction. */
  readonly postgres: readonly string[]
  /** Statements that can be repeated (`IF NOT EXISTS`): DDL is not transactional there. */
  readonly mysql: readonly string[]
}

export const FIRST_VERSION = 1

/** Oldest first, one version each, from FIRST_VERSION + 1. Never edit a released one. */
export const migrations: readonly Migration[] = []

export function findNewestVersion(steps: readonly Migration[]): number {
  return steps.at(-1)?.version ?? FIRST_VERSION
}

export const CREATED = 'created'

/** What versions before the first release wrote instead; their version numbers have another meaning. */
export const CREATED_BEFORE_RELEASE = 'made new'

export const describeBeforeRelease = (store: string): string =>
  `${store} was created by a development version of berth, whose schema this one does not know: ` +
  "export it with that version ('berth export') and import the file into a new store ('berth import')"
