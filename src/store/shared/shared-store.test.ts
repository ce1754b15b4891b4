import { expect, test } from 'vitest'
import { insert } from '../../world/change.ts'
import { computeHeads } from '../chain.ts'
import { type Batch, type Committed, type Head, HistoryBroken, StoreUnavailable } from '../store.ts'
import { type Link, LinkLost, TurnAborted } from './link.ts'
import { SharedStore } from './shared-store.ts'

const KEEP_ALL = { changesAgeMsMax: 1e12, changesCountMax: 1e6 }
const START: Head = { revision: 7, chain: 'a' }

const batch: Batch = {
  id: 'one',
  atMs: 1,
  changes: [{ change: { ops: [insert('traits', { id: 1, name: 'CUSTOM_A', updated_at: 1 })] }, names: {} }],
}

/** The batch as another process finds it. */
const stored = (): Committed => {
  const [head] = computeHeads(START, batch.id, 1)
  return { ...(head as Head), ...(batch.changes[0] as Committed), batchId: batch.id, atMs: 1 }
}

const turnAt = (head: Head, changes: readonly Committed[] = []) =>
  Promise.resolve({ head, history: { kept: true as const, changes } })

/** A store over links that do as told, in a time that only sleep moves; every connection takes 400 ms. */
function makeStore(makeLink: (nth: number) => Partial<Link>) {
  let nowMs = 0
  let connections = 0
  const told: string[] = []
  const connect = async (): Promise<Link> => {
    nowMs += 400
    const link = makeLink(++connections)
    const rest = { rollback: async () => undefined, close: async () => void told.push('close') }
    return { ...rest, ...link } as Link
  }
  const links = { connect, snapshot: () => Promise.reject(new Error('none')), close: async () => undefined }
  const time = {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms
    },
  }
  const store = new SharedStore(links, { ...KEEP_ALL, retryMsMax: 5_000, settleMsMax: 3_000 }, time)
  return { store, told, nowMs: time.nowMs, connections: () => connections }
}

test('a write whose every COMMIT is lost and not stored ends in time, and says that nothing was stored', async () => {
  const { store, nowMs } = makeStore(() => ({
    begin: () => turnAt(START),
    commit: () => Promise.reject(new LinkLost('cut')),
    fence: async () => undefined,
  }))
  await expect(store.write(START, () => batch)).rejects.toThrow(
    new StoreUnavailable('the connection to the database was lost during every commit'),
  )
  expect(nowMs()).toBeLessThan(5_000 + 3_000)
})

test('reads of a turn that do not fit are not believed if its fence fails: the write that was unsettled is found', async () => {
  let begins = 0
  const { store } = makeStore(() => ({
    begin: () => {
      begins++
      // The head of one transaction and the changes of a later one.
      if (begins === 2) return turnAt(START, [stored()])
      return begins === 1 ? turnAt(START) : turnAt(stored(), [stored()])
    },
    commit: () => Promise.reject(new LinkLost('cut')),
    fence: () => (begins === 2 ? Promise.reject(new TurnAborted('overtaken')) : Promise.resolve()),
  }))
  expect((await store.write(START, () => batch)).revision).toBe(8)
  expect(begins).toBe(3)
})

test('reads of a turn that do not fit mean another history once its fence is committed', async () => {
  let fences = 0
  const { store } = makeStore(() => ({
    begin: () => turnAt({ revision: 7, chain: 'b' }),
    fence: async () => void fences++,
  }))
  await expect(store.write(START, () => batch)).rejects.toThrow(HistoryBroken)
  expect(fences).toBe(1)
})

test('a link to a server that is no longer the best is left before the next turn and the next read', async () => {
  const { store, told, connections } = makeStore(nth => ({
    isOutranked: nth % 2 === 1,
    begin: () => turnAt(START),
    commit: async () => undefined,
    head: async () => START,
  }))
  await store.write(START, () => batch)
  expect([connections(), told]).toEqual([2, ['close']])
  expect(await store.head()).toEqual(START)
  expect([connections(), told]).toEqual([4, ['close', 'close']])
})
