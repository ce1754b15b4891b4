/**
 * Defects that can be planted into servers; the checks must find each of them. A defect replaces a text
 * when a source file is loaded; `mutate.ts` does that. The files themselves stay as they are.
 */

interface Replacement {
  readonly file: string
  readonly text: RegExp
  readonly by: string
}

interface Mutation {
  readonly what: string
  /** The scenario that shows it. */
  readonly scenario: string
  readonly replacements: readonly Replacement[]
  /** How long it takes to show, if that is long. */
  readonly seconds?: number
  /** Done to the database once it is set up. */
  readonly sql?: string
  /** Servers that start together would hit the defect before there is anything to see. */
  readonly startsInTurn?: true
}

const SHARED_STORE = 'src/store/shared/shared-store.ts'
const STATEMENTS = 'src/store/postgres/statements.ts'
const BOOKS = 'src/store/postgres/head-sql.ts'
const CHAIN = 'src/store/chain.ts'

const withoutLock: Replacement = { file: BOOKS, text: /(?<=only_row = 1) FOR UPDATE`/, by: '`' }

/** The database does not notice that rows differ from the before-images. */
const withoutCompare: readonly Replacement[] = [
  { file: BOOKS, text: /revision = \$3 AND chain = \$4/, by: "$$3::bigint > -1 AND $$4::text > ''" },
  { file: BOOKS, text: /SELECT 1 \/ count\(\*\) FROM done/, by: 'SELECT count(*) FROM done' },
  {
    file: STATEMENTS,
    text: /SELECT 1 \/ \(count\(\*\) = (\S+)::bigint\)::int FROM done/,
    by: 'SELECT count(*), $1::bigint FROM done',
  },
]

const WITHOUT_CONSTRAINTS = `DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT conname, conrelid::regclass::text AS tab FROM pg_constraint
    WHERE contype IN ('p', 'u') AND connamespace = 'public'::regnamespace
  LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.tab, one.conname); END LOOP; END $$`

export const mutations: Readonly<Record<string, Mutation>> = {
  'skip-lock': {
    what: 'the head is read where it should be locked',
    scenario: 'healthy',
    replacements: [withoutLock],
    startsInTurn: true,
  },
  'skip-lock-and-compare': {
    what: 'the same, and the database does not notice',
    scenario: 'healthy',
    replacements: [withoutLock, ...withoutCompare],
    sql: WITHOUT_CONSTRAINTS,
    startsInTurn: true,
  },
  'answer-before-commit': {
    what: 'a commit that was sent is taken for done',
    scenario: 'healthy',
    replacements: [
      {
        file: SHARED_STORE,
        text: /await (this\.#onWriter\(link, link\.commit\(.*\)\))\n/,
        by: 'void $1.catch(() => undefined)\n',
      },
    ],
  },
  'drop-change': {
    what: 'one change that another server made does not come into memory',
    scenario: 'healthy',
    replacements: [
      {
        file: 'src/store/sequencer/sequencer.ts',
        text: /this\.#applyForGood\(\[committed\]/,
        by: 'this.#applyForGood([committed.revision === 25 ? { ...committed, change: { ops: [] } } : committed]',
      },
    ],
  },
  'ignore-chain': {
    what: 'the revision alone identifies the history',
    scenario: 'promoted-with-loss',
    replacements: [
      { file: CHAIN, text: / && change\.chain === nextChain\(head\.chain, change\.batchId\)/, by: '' },
      { file: CHAIN, text: / && a\.chain === b\.chain/, by: '' },
    ],
  },
  'guess-not-stored': {
    what: 'a commit that was not answered is taken for one that failed',
    scenario: 'cut-at-commit',
    replacements: [{ file: SHARED_STORE, text: /unsettled = (batch|\{ batch.*)\n/, by: '\n' }],
  },
  'look-too-early': {
    what: 'a read joins a look at the head that began before it came',
    scenario: 'slow-wire',
    seconds: 6,
    replacements: [
      {
        file: 'src/store/shared/follower.ts',
        text: /if \(this\.#looking === null\) return this\.#begin\(\)/,
        by: 'return this.#looking ?? this.#begin()',
      },
    ],
  },
}
