import { type Link, LinkLost, type Links } from '../../src/store/shared/link.ts'
import { type Committed, type Head, type Store, StoreUnavailable } from '../../src/store/store.ts'
import { withoutChain } from './without-chain.ts'

/** Mistakes that the protocol must not make; each is made on purpose, to see that the checks find it. */
export const MUTATIONS = [
  'skip-lock',
  'skip-lock-and-compare',
  'answer-before-commit',
  'drop-change',
  'ignore-chain',
  'guess-stored',
  'guess-not-stored',
  'join-earlier-look',
  'torn-snapshot',
] as const

export type Mutation = (typeof MUTATIONS)[number]

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
    case 'join-earlier-look':
      return link => ({ head: earlierLook(link) })
    default:
      return null
  }
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

/** What an earlier look has found serves those who came later as well. */
function earlierLook(link: Link): Link['head'] {
  let last: Head | null = null
  return async () => {
    const found = last
    last = await link.head()
    return found ?? last
  }
}

/** Of every third change that others made, nothing reaches memory. */
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
    onOthers: wake => store.onOthers?.(wake),
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
    listen: wake => links.listen(wake),
    close: () => links.close(),
  }
}
