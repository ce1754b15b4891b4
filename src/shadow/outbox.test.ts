import { expect, test } from 'vitest'
import { Outbox } from './outbox.loop.ts'

test('while a new write is read from the store, it counts as one about everything', async () => {
  const read = Promise.withResolvers<readonly []>()
  const reading = Promise.withResolvers<void>()
  const plainRows = () => {
    reading.resolve()
    return read.promise
  }
  const parts = { store: { plainRows }, clock: { nowMs: () => 0 }, leads: () => true }
  const outbox = new Outbox(parts as unknown as ConstructorParameters<typeof Outbox>[0])
  const some = new Set(['00000000-0000-4000-8000-000000000001'])
  expect(outbox.hasAny(some)).toBe(false)
  outbox.wake()
  void outbox.run()
  await reading.promise
  expect([outbox.hasAny(some), outbox.length]).toEqual([true, 1])
  read.resolve([])
  await read.promise
  await expect.poll(() => [outbox.hasAny(some), outbox.length]).toEqual([false, 0])
  outbox.stop()
})
