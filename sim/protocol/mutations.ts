import { type Link, LinkLost, type Links, TurnAborted } from '../../src/store/shared/link.ts'
import { type Committed, type Head, type Store, StoreUnavailable } from '../../src/store/store.ts'
import type { Model, Surroundings } from './database.ts'
import { withoutChain } from './without-chain.ts'

const ANYWHERE = [
  'answer-before-commit',
  'drop-change',
  'guess-stored',
  'guess-not-stored',
  'join-earlier-look',
  'torn-snapshot',
] as const

/** Defects of the protocol, planted to prove that the checks find them. */
export const MUTATIONS = {
  single: [...ANYWHERE, 'skip-lock', 'skip-lock-and-compare', 'ignore-chain'],
  cluster: [
    ...ANYWHERE,
    /** Settles an unanswered COMMIT by a read alone. */
    'skip-fence',
    /** Takes a deadlock at COMMIT for a success. */
    'aborted-is-done',
    /** Refuses by what a turn has read, even if that is old. */
    'release-is-rollback',
    /** Reads the state of its node. */
    'skip-sync-wait',
    'plain-rows-without-head',
    /** Believes what was read in a transaction that its node took back. */
    'fence-without-turn',
  ],
} as const satisfies Record<Model, readonly string[]>

export type Mutation = (typeof MUTATIONS)[Model][number]

export function isMutation(model: Model, name: string): name is Mutation {
  return (MUTATIONS[model] as readonly string[]).includes(name)
}

export function sabotageOf(mutation: Mutation | null): Surroundings['sabotage'] {
  return {
    skipLock: mutation === 'skip-lock' || mutation === 'skip-lock-and-compare',
    skipCompare: mutation === 'skip-lock-and-compare',
    tornSnapshot: mutation === 'torn-snapshot',
    skipSyncWait: mutation === 'skip-sync-wait',
    plainRowsWithoutHead: mutation === 'plain-rows-without-head',
    fenceWithoutTurn: mutation === 'fence-without-turn',
  }
}

export function mutatedLinks(links: Links, mutation: Mutation | null): Links {
  if (mutation === 'ignore-chain') return withoutChain(links)
  const change = changeOf(mutation)
  if (change === null) return links
  return {
    ...boundLinks(links),
    connect: async () => {
      const link = await links.connect()
      return { ...bound(link), ...change(link) }
    },
  }
}

function changeOf(mutation: Mutation | null): ((link: Link) => Partial<Link>) | null {
  switch (mutation) {
    case 'answer-before-commit':
      return link => ({
        commit: async (...args) => {
          link.commit(...args).catch(() => undefined)
        },
      })
    case 'guess-stored':
      return link => ({ commit: guessed(link, () => undefined) })
    case 'guess-not-stored':
      return link => ({
        commit: guessed(link, () => {
          throw new StoreUnavailable('guessed')
        }),
      })
    case 'skip-fence':
      return link => ({ fence: () => link.rollback() })
    case 'aborted-is-done':
      return link => ({
        commit: (...args) => link.commit(...args).catch(reason => requireAborted(reason)),
      })
    case 'release-is-rollback':
      return link => ({ release: () => link.rollback() })
    case 'join-earlier-look':
      return link => ({ head: earlierLook(link) })
    default:
      return null
  }
}

function requireAborted(reason: unknown): void {
  if (!(reason instanceof TurnAborted)) throw reason
}

/** When a COMMIT was not answered. */
function guessed(link: Link, guess: () => void): Link['commit'] {
  return async (...args) => {
    try {
      await link.commit(...args)
    } catch (reason) {
      if (!(reason instanceof LinkLost)) throw reason
      guess()
    }
  }
}

/** An earlier read serves later requests too. */
function earlierLook(link: Link): Link['head'] {
  let last: Head | null = null
  return async () => {
    const found = last
    last = await link.head()
    return found ?? last
  }
}

/** Drops every third change of other processes. */
export function mutatedStore(store: Store, mutation: Mutation | null): Store {
  if (mutation !== 'drop-change') return store
  let count = 0
  const dropped = (changes: readonly Committed[]) =>
    changes.map(one => (++count % 3 === 0 ? { ...one, change: { ops: [] } } : one))
  return {
    load: onRows => store.load(onRows),
    snapshot: () => store.snapshot(),
    head: () => store.head(),
    write: (from, decide) => store.write(from, missed => decide(dropped(missed))),
    changesAfter: async (revision, limit) => {
      const history = await store.changesAfter(revision, limit)
      return history.kept ? { ...history, changes: dropped(history.changes) } : history
    },
    plainRow: (table, key, nowMs) => store.plainRow(table, key, nowMs),
    plainRows: (table, query, nowMs) => store.plainRows(table, query, nowMs),
    close: () => store.close(),
  }
}

function bound(link: Link): Link {
  return {
    begin: after => link.begin(after),
    commit: (from, batch, retention) => link.commit(from, batch, retention),
    rollback: () => link.rollback(),
    fence: () => link.fence(),
    release: () => link.release(),
    head: () => link.head(),
    changesAfter: (revision, limit) => link.changesAfter(revision, limit),
    plainRow: (table, key) => link.plainRow(table, key),
    plainRows: (table, query, sinceMs) => link.plainRows(table, query, sinceMs),
    holds: puts => link.holds(puts),
    close: () => link.close(),
  }
}

function boundLinks(links: Links): Links {
  return {
    connect: () => links.connect(),
    snapshot: () => links.snapshot(),
    close: () => links.close(),
  }
}
