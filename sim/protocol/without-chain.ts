import { computeHeads, nextChain } from '../../src/store/chain.ts'
import type { Link, Links } from '../../src/store/shared/link.ts'
import type { Committed, Head, History } from '../../src/store/store.ts'

/**
 * A database as a process sees it that knows revisions only: it shows the chain value that the process has for a
 * revision, so that a forked history looks like its own.
 */
export function withoutChain(links: Links): Links {
  const believed = new Map<number, string>()
  const actual = new Map<number, string>()
  const shown = (head: Head): Head => {
    actual.set(head.revision, head.chain)
    const chain = believed.get(head.revision) ?? head.chain
    believed.set(head.revision, chain)
    return { revision: head.revision, chain }
  }
  const shownChange = (change: Committed): Committed => {
    actual.set(change.revision, change.chain)
    const before = believed.get(change.revision - 1)
    const chain = before === undefined ? change.chain : nextChain(before, change.batchId)
    believed.set(change.revision, chain)
    return { ...change, chain }
  }
  const shownHistory = (history: History): History =>
    history.kept ? { kept: true, changes: history.changes.map(shownChange) } : history
  const wrapped = (link: Link): Link => ({
    begin: async after => {
      const turn = await link.begin(after)
      const history = shownHistory(turn.history)
      return { head: shown(turn.head), history }
    },
    commit: async (from, batch, retention) => {
      const known = { revision: from.revision, chain: actual.get(from.revision) ?? from.chain }
      await link.commit(known, batch, retention)
      const count = batch.changes.length
      for (const { revision, chain } of computeHeads(known, batch.id, count)) actual.set(revision, chain)
      for (const { revision, chain } of computeHeads(from, batch.id, count)) believed.set(revision, chain)
    },
    rollback: () => link.rollback(),
    fence: () => link.fence(),
    release: () => link.release(),
    head: async () => shown(await link.head()),
    changesAfter: async (revision, limit) => shownHistory(await link.changesAfter(revision, limit)),
    plainRow: (table, key) => link.plainRow(table, key),
    plainRows: (table, query, sinceMs) => link.plainRows(table, query, sinceMs),
    holds: puts => link.holds(puts),
    close: () => link.close(),
  })
  return {
    connect: async () => wrapped(await links.connect()),
    snapshot: async () => {
      const snapshot = await links.snapshot()
      actual.set(snapshot.head.revision, snapshot.head.chain)
      believed.set(snapshot.head.revision, snapshot.head.chain)
      return snapshot
    },
    close: () => links.close(),
  }
}
