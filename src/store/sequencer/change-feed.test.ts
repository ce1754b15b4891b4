import { expect, test } from 'vitest'
import type { Committed, History } from '../store.ts'
import { ChangeFeed } from './change-feed.ts'
import type { Applied } from './observer.ts'

const applied = (revision: number, ops = 1): Applied => ({
  revision,
  chain: '',
  atMs: revision,
  names: {},
  change: { ops: Array.from({ length: ops }, () => ({}) as never) },
})

/** A store whose changes are all there up to `last`, unless they were trimmed. */
function stored(oldest: number, last: number) {
  const asked: number[] = []
  return {
    asked,
    changesAfter: async (revision: number, limit: number): Promise<History> => {
      asked.push(revision)
      if (revision + 1 < oldest) return { kept: false, oldestKept: oldest }
      const count = Math.min(limit, last - revision)
      const changes = Array.from({ length: count }, (_, at) => applied(revision + 1 + at) as Committed)
      return { kept: true, changes }
    },
  }
}

function feedUpTo(
  last: number,
  store = stored(1, last),
  limits = { changesMax: 10, opsMax: 1_000 },
): ChangeFeed {
  const feed = new ChangeFeed(store, 0, limits)
  for (let revision = 1; revision <= last; revision++) feed.add(applied(revision))
  return feed
}

const revisions = async (feed: ChangeFeed, after: number, limit = 100) => {
  const page = await feed.readAfter(after, limit)
  return page.kept ? page.changes.map(change => change.revision) : page
}

async function walked(feed: ChangeFeed, from: number, limit: number): Promise<number[]> {
  const seen: number[] = []
  for (let at = from; ; ) {
    const page = (await revisions(feed, at, limit)) as number[]
    if (page.length === 0) return seen
    seen.push(...page)
    at = page.at(-1) as number
  }
}

test.each([1, 3, 7, 100])(
  'walking by %i from any revision leaves none out and tells none twice',
  async limit => {
    const feed = feedUpTo(40)
    for (let from = 0; from <= 40; from++)
      expect(await walked(feed, from, limit)).toEqual(
        Array.from({ length: 40 - from }, (_, at) => from + 1 + at),
      )
  },
)

test('recent changes come from memory, older ones from the store', async () => {
  const store = stored(1, 40)
  const feed = feedUpTo(40, store)
  await revisions(feed, 33)
  expect(store.asked).toEqual([])
  await revisions(feed, 20)
  expect(store.asked).toEqual([20])
})

test('changes that the store has and memory lacks are not sent yet', async () => {
  const feed = feedUpTo(40, stored(1, 45))
  expect(await revisions(feed, 20)).toHaveLength(20)
  expect(await revisions(feed, 40)).toEqual([])
})

test('a trimmed position is reported as such', async () => {
  expect(await revisions(feedUpTo(40, stored(15, 40)), 13)).toEqual({ kept: false, oldestKept: 15 })
  expect(await revisions(feedUpTo(40, stored(15, 40)), 14)).toHaveLength(26)
})

test('changes that are too large together, or one that is alone, are left to the store', async () => {
  const store = stored(1, 3)
  const feed = new ChangeFeed(store, 0, { changesMax: 10, opsMax: 100 })
  feed.add(applied(1, 60))
  feed.add(applied(2, 60))
  expect(await revisions(feed, 0)).toEqual([1, 2])
  feed.add(applied(3, 1_000))
  expect(await revisions(feed, 2)).toEqual([3])
  expect(store.asked).toEqual([0, 2])
  expect(await revisions(feed, 3)).toEqual([])
})

test('a waiting follower is woken by the next change, by the end, by an abort, and after a while', async () => {
  const feed = feedUpTo(3)
  const here = new AbortController().signal
  const leaving = new AbortController()
  await feed.waitForChange(2, here, 1e6)
  const waiting = [feed.waitForChange(3, here, 1e6), feed.waitForChange(3, here, 1e6)]
  feed.add(applied(4))
  await Promise.all(waiting)
  const gone = feed.waitForChange(4, leaving.signal, 1e6)
  leaving.abort()
  await gone
  await feed.waitForChange(4, here, 1)
  const ended = feed.waitForChange(4, here, 1e6)
  feed.close()
  await ended
  await feed.waitForChange(4, here, 1e6)
  expect(feed.isClosed).toBe(true)
})
