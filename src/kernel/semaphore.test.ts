import { expect, test, vi } from 'vitest'
import { Semaphore } from './semaphore.ts'

test('no more permits are given than there are, until one is returned', () => {
  const semaphore = new Semaphore(2)
  const first = semaphore.tryAcquire()
  expect(semaphore.tryAcquire()).not.toBeNull()
  expect(semaphore.tryAcquire()).toBeNull()
  first?.()
  expect(semaphore.tryAcquire()).not.toBeNull()
})

test('a permit that is given back twice counts once', () => {
  const semaphore = new Semaphore(1)
  const release = semaphore.tryAcquire()
  release?.()
  release?.()
  expect(semaphore.tryAcquire()).not.toBeNull()
  expect(semaphore.tryAcquire()).toBeNull()
})

test('those who wait get permits in their order, and null when none comes in time', async () => {
  vi.useFakeTimers()
  try {
    const semaphore = new Semaphore(1)
    const release = semaphore.tryAcquire()
    const order: string[] = []
    const waiting = ['a', 'b', 'c'].map(async name => {
      const permit = await semaphore.acquire(100)
      order.push(permit === null ? `${name} in vain` : name)
      return permit
    })
    release?.()
    const permit = await waiting[0]
    expect(order).toEqual(['a'])
    permit?.()
    await waiting[1]
    await vi.advanceTimersByTimeAsync(100)
    expect(await waiting[2]).toBeNull()
    expect(order).toEqual(['a', 'b', 'c in vain'])
  } finally {
    vi.useRealTimers()
  }
})

test('work that fails gives its permit back; work beyond the limit is refused', async () => {
  const semaphore = new Semaphore(1)
  const busy = () => new Error('busy')
  let end: () => void = () => undefined
  const running = semaphore.run(() => new Promise<void>(resolve => (end = resolve)), busy)
  await expect(semaphore.run(async () => 1, busy)).rejects.toThrow('busy')
  end()
  await running
  await expect(semaphore.run(() => Promise.reject(new Error('broken')), busy)).rejects.toThrow('broken')
  expect(await semaphore.run(async () => 1, busy)).toBe(1)
})
