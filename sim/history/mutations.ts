/** Mistakes that a server can be made to make, each of which the checks must find. */
import { Client } from 'pg'
import { LOCK_HEAD } from '../../src/store/postgres/books.ts'
import type { Links } from '../../src/store/shared/link.ts'
import type { Committed, Store } from '../../src/store/store.ts'
import { mutatedLinks, mutatedStore } from '../protocol/mutations.ts'

export const MUTATIONS = [
  /** The head is read where it should be locked. */
  'skip-lock',
  /** The same, and no statement or constraint notices that rows are not as they were thought to be. */
  'skip-lock-and-compare',
  'answer-before-commit',
  /** One change that another server made does not reach memory. */
  'drop-change',
  /** The revision alone tells where history stands. */
  'ignore-chain',
] as const

export type Mutation = (typeof MUTATIONS)[number]

/** By then there is traffic. */
const DROPPED_CHANGE = 40

/** Done to the process as a whole, before anything is opened. */
export async function mutateProcess(mutation: Mutation): Promise<void> {
  if (mutation === 'skip-lock') rewriteQuestions(withoutLock)
  if (mutation === 'skip-lock-and-compare') rewriteQuestions(text => withoutCompare(withoutLock(text)))
}

export async function mutateDatabase(mutation: Mutation, url: string): Promise<void> {
  if (mutation !== 'skip-lock-and-compare') return
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT conname, conrelid::regclass AS tab FROM pg_constraint
      WHERE contype IN ('p', 'u') AND conrelid::regclass::text NOT IN ('head', 'berth_schema')
        AND connamespace = 'public'::regnamespace
    LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', one.tab, one.conname); END LOOP; END $$`)
  await client.end()
}

export function mutatedWay(links: Links, mutation: Mutation): Links {
  return mutation === 'answer-before-commit' || mutation === 'ignore-chain'
    ? mutatedLinks(links, mutation)
    : links
}

export function mutated(store: Store, mutation: Mutation): Store {
  if (mutation !== 'drop-change') return store
  let others = 0
  const dropped = (changes: readonly Committed[]) =>
    changes.map(one => (++others === DROPPED_CHANGE ? { ...one, change: { ops: [] } } : one))
  return {
    // Everything as it is; what is told of others is replaced below.
    ...mutatedStore(store, 'drop-change'),
    write: (from, decide) => store.write(from, missed => decide(dropped(missed))),
    changesAfter: async (revision, limit) => {
      const history = await store.changesAfter(revision, limit)
      return history.kept ? { ...history, changes: dropped(history.changes) } : history
    },
  }
}

function rewriteQuestions(rewrite: (text: string) => string): void {
  const prototype = Client.prototype as unknown as { query: (...all: unknown[]) => unknown }
  const { query } = prototype
  prototype.query = function (this: unknown, asked: unknown, ...rest: unknown[]) {
    const { text } = asked as { text?: string }
    return query.call(
      this,
      text === undefined ? asked : { ...(asked as object), text: rewrite(text) },
      ...rest,
    )
  }
}

const withoutLock = (text: string): string =>
  text === LOCK_HEAD ? LOCK_HEAD.replace(' FOR UPDATE', '') : text

const withoutCompare = (text: string): string =>
  text
    .replace('SELECT 1 / count(*) FROM done', 'SELECT count(*) FROM done')
    .replace('revision = $3 AND chain = $4', '$3::bigint IS NOT NULL AND $4::text IS NOT NULL')
    .replace(/SELECT 1 \/ \(count\(\*\) = (\$\d+)::bigint\)::int/, 'SELECT count(*), $1::bigint')
