import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { type Delivery, DeliveryQueue, type LossReason } from './delivery-queue.ts'

const DONE: Delivery = { kind: 'delivered' }

function watched(send: (batch: readonly number[]) => Promise<Delivery>, limits = {}) {
  const seen = { delivered: 0, lost: {} as Partial<Record<LossReason, number>>, said: [] as string[] }
  const queue = new DeliveryQueue<number>({
    waitingMax: 100,
    batchMax: 10,
    delayMs: 0,
    triesMax: 3,
    retryMs: 1,
    ...limits,
    send,
    observer: {
      delivered: items => {
        seen.delivered += items
      },
      lost: (items, reason) => {
        seen.lost[reason] = (seen.lost[reason] ?? 0) + items
      },
      failing: why => seen.said.push(why),
      works: () => seen.said.push('works'),
    },
  })
  return { queue, seen }
}

test('items arrive in order, in batches no larger than allowed', async () => {
  const batches: number[][] = []
  const { queue, seen } = watched(async batch => {
    batches.push([...batch])
    return DONE
  })
  for (let nth = 0; nth < 25; nth++) queue.add(nth)
  await queue.close(1_000)
  expect(batches.flat()).toEqual(Array.from({ length: 25 }, (_, nth) => nth))
  expect(batches.map(batch => batch.length)).toEqual([10, 10, 5])
  expect(seen).toEqual({ delivered: 25, lost: {}, said: [] })
})

test('a receiver that hangs never delays who adds: what is too much is lost and counted', async () => {
  const { queue, seen } = watched(() => new Promise(() => undefined), { waitingMax: 20 })
  for (let nth = 0; nth < 50; nth++) queue.add(nth)
  await queue.close(5)
  expect(seen).toEqual({ delivered: 0, lost: { 'queue-full': 30, stopped: 20 }, said: [] })
})

test('a failure is tried again, said once, and taken back when it works', async () => {
  let calls = 0
  const { queue, seen } = watched(async () => {
    if (++calls < 3) throw new Error('away')
    return DONE
  })
  queue.add(1)
  await vi.waitFor(() => expect(seen.delivered).toBe(1))
  expect(seen).toEqual({ delivered: 1, lost: {}, said: ['away', 'works'] })
  await queue.close(10)
})

test('a batch that is refused is not sent again; one that never arrives is given up', async () => {
  let calls = 0
  const refusing = watched(async () => {
    calls++
    return { kind: 'refused', why: '400' }
  })
  refusing.queue.add(1)
  await vi.waitFor(() => expect(refusing.seen.lost).toEqual({ refused: 1 }))
  expect(calls).toBe(1)
  const away = watched(async () => {
    calls++
    return { kind: 'again', why: '503' }
  })
  away.queue.add(1)
  await vi.waitFor(() => expect(away.seen.lost).toEqual({ unreachable: 1 }))
  expect(calls).toBe(4)
})

test('every item is either delivered or counted as lost', async () => {
  const answers = fc.array(fc.constantFrom('delivered', 'again', 'refused', 'throws'), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(answers, fc.integer({ min: 0, max: 60 }), async (plan, items) => {
      const left = [...plan]
      const { queue, seen } = watched(
        async () => {
          const next = left.shift() ?? 'delivered'
          if (next === 'throws') throw new Error('away')
          return { kind: next, why: '' } as Delivery
        },
        { waitingMax: 30, retryMs: 0 },
      )
      for (let nth = 0; nth < items; nth++) {
        queue.add(nth)
        if (nth % 7 === 0) await sleep(0)
      }
      await queue.close(1_000)
      queue.add(-1)
      const lost = Object.values(seen.lost).reduce((sum, count) => sum + count, 0)
      expect(seen.delivered + lost).toBe(items + 1)
    }),
    { numRuns: 30 },
  )
})
