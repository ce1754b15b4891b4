import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Head, StoreRefused, StoreUnavailable } from '../store.ts'
import { Follower, type FollowerSettings } from './follower.ts'

const LINEARIZABLE: FollowerSettings = { reads: 'linearizable', staleMsMax: 10, pollMsBusy: 1, pollMs: 5 }

/** A database whose answers come when the test says so. */
function watched(settings: FollowerSettings, isShared = true) {
  const asked: PromiseWithResolvers<Head>[] = []
  const reached: number[] = []
  const time = { ms: 0 }
  const gaveUp: unknown[] = []
  const sequencer = {
    head: { revision: 0, chain: 'a' },
    catchUpTo: async (seen: Head) => void reached.push(seen.revision),
    giveUp: (reason: unknown) => {
      gaveUp.push(reason)
      return new StoreUnavailable('given up')
    },
  }
  const head = () => {
    const look = Promise.withResolvers<Head>()
    asked.push(look)
    return look.promise
  }
  const events: string[] = []
  const behinds: number[] = []
  const follower = new Follower({
    store: { head, isShared },
    sequencer,
    settings,
    clock: { nowMs: () => time.ms },
    observer: {
      lost: () => events.push('lost'),
      found: () => events.push('found'),
      looked: (_, behind) => behinds.push(behind),
    },
  })
  const answer = (at: number, revision: number) => asked[at]?.resolve({ revision, chain: 'a' })
  return { follower, asked, answer, reached, time, gaveUp, events, behinds }
}

const settled = async (promise: Promise<void> | null) => {
  let state = 'waits'
  promise?.then(
    () => {
      state = 'done'
    },
    () => {
      state = 'failed'
    },
  )
  for (let tick = 0; tick < 20; tick++) await Promise.resolve()
  return state
}

test('a store with one owner is never looked at', () => {
  const { follower, asked } = watched(LINEARIZABLE, false)
  follower.start()
  expect([follower.waitUntilFresh(), follower.staleMs, follower.unready, asked.length]).toEqual([
    null,
    0,
    null,
    0,
  ])
})

test('those who come while a look is under way share the next one, which starts after they came', async () => {
  const { follower, asked, answer, reached } = watched(LINEARIZABLE)
  const first = follower.waitUntilFresh()
  const [second, third] = [follower.waitUntilFresh(), follower.waitUntilFresh()]
  expect(asked).toHaveLength(1)
  answer(0, 7)
  expect(await settled(first)).toBe('done')
  expect([await settled(second), asked.length]).toEqual(['waits', 2])
  answer(1, 9)
  expect([await settled(second), await settled(third)]).toEqual(['done', 'done'])
  expect(reached).toEqual([7, 9])
})

test('a failed check fails the requests that waited for it, and the next ones retry', async () => {
  const { follower, asked, answer, events } = watched(LINEARIZABLE)
  const first = follower.waitUntilFresh()
  const second = follower.waitUntilFresh()
  asked[0]?.reject(new StoreUnavailable('the database is away'))
  expect([await settled(first), await settled(second)]).toEqual(['failed', 'waits'])
  expect([follower.lastError, follower.unready]).toEqual(['the database is away', 'the database is away'])
  answer(1, 1)
  expect(await settled(second)).toBe('done')
  expect([follower.lastError, events]).toEqual([null, ['lost', 'found']])
})

test('a store that cannot be used any more ends it', async () => {
  const { follower, asked, gaveUp } = watched(LINEARIZABLE)
  const look = follower.waitUntilFresh()
  const tooNew = new StoreRefused('use a newer berth')
  asked[0]?.reject(tooNew)
  await expect(look).rejects.toBeInstanceOf(StoreUnavailable)
  expect(gaveUp).toEqual([tooNew])
})

test('local reads are served at once while memory is young, and turned away once it is too old', async () => {
  const { follower, time, asked, answer } = watched({ ...LINEARIZABLE, reads: 'local' })
  time.ms = 10
  expect([follower.waitUntilFresh(), follower.staleMs]).toEqual([null, 10])
  time.ms = 11
  await expect(follower.waitUntilFresh()).rejects.toThrow(
    'memory is 11 ms old, and more than 10 ms are not served',
  )
  expect(follower.unready).toContain('memory is 11 ms old')
  const look = follower.look()
  time.ms = 20
  answer(0, 1)
  await look
  // As old as when the look began: what came later may be missing.
  expect([asked.length, follower.staleMs, follower.waitUntilFresh()]).toEqual([1, 9, null])
})

test('it serves memory of any age if the setting says so', () => {
  const { follower, time } = watched({ ...LINEARIZABLE, reads: 'local', staleMsMax: null })
  time.ms = 1e9
  expect([follower.waitUntilFresh(), follower.unready]).toEqual([null, null])
})

test('once started it looks again and again, until it is stopped', async () => {
  const { follower, asked } = watched(LINEARIZABLE)
  follower.start()
  while (asked.length < 3) {
    await new Promise(resolve => setTimeout(resolve, 2))
    for (const look of asked) look.resolve({ revision: 0, chain: 'a' })
  }
  follower.stop()
  const before = asked.length
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(asked.length).toBe(before)
})

test('each look tells how many revisions memory lacked', async () => {
  const { follower, answer, behinds } = watched(LINEARIZABLE)
  const first = follower.look()
  answer(0, 7)
  await first
  expect(behinds).toEqual([7])
})

describe('it looks', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const answered = (settings: FollowerSettings) => {
    const all = watched(settings)
    const pass = async (ms: number, revision: number) => {
      const before = all.asked.length
      for (let left = ms; left > 0; left--) {
        all.time.ms++
        await vi.advanceTimersByTimeAsync(1)
        for (const look of all.asked) look.resolve({ revision, chain: 'a' })
        await vi.advanceTimersByTimeAsync(0)
      }
      return all.asked.length - before
    }
    all.follower.start()
    return pass
  }
  const settings: FollowerSettings = { reads: 'local', staleMsMax: null, pollMsBusy: 5, pollMs: 200 }

  test('seldom while no other process writes', async () => {
    const pass = answered(settings)
    expect(await pass(2_000, 0)).toBe(10)
  })

  test('often for a second after a change of another process, then seldom again', async () => {
    const pass = answered(settings)
    await pass(400, 0)
    // The sequencer of this test stays at revision 0: from here on every look finds news.
    expect(await pass(1_200, 7)).toBeGreaterThan(160)
    await pass(1_100, 0)
    expect(await pass(2_000, 0)).toBe(10)
  })
})
