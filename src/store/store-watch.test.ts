import { expect, test } from 'vitest'
import { StoreDiverged, StoreUnavailable } from './store.ts'
import { StoreWatch } from './store-watch.ts'

test('a store without an answer for two seconds gets no more requests, and the log says so once', async () => {
  let owedMs = 2_000
  const told: string[] = []
  const watch = new StoreWatch(
    { owedMs: () => owedMs },
    { diverged: () => {}, silent: reason => told.push(reason), answered: () => told.push('answers') },
  )
  expect(watch.unready).toBe(null)
  await watch.look()
  owedMs = 3_500
  expect(watch.unready).toBe('the store has not answered for 3 s')
  await watch.look()
  await watch.look()
  owedMs = 0
  expect(watch.unready).toBe(null)
  await watch.look()
  await watch.look()
  expect(told).toEqual(['the store has not answered for 3 s', 'answers'])
})

test('files that are no longer those of the store end it; trouble that may pass does not', async () => {
  const given: unknown[] = []
  const found = [new StoreUnavailable('busy'), new StoreDiverged('its file is gone')]
  const watch = new StoreWatch(
    { check: () => Promise.reject(found.shift()) },
    { diverged: reason => given.push(reason) },
  )
  await watch.look()
  expect(given).toEqual([])
  await watch.look()
  expect(given).toEqual([new StoreDiverged('its file is gone')])
})

test('a look does not begin before the last one has ended', async () => {
  let looks = 0
  const gate = Promise.withResolvers<void>()
  const check = () => {
    looks++
    return gate.promise
  }
  const watch = new StoreWatch({ check }, { diverged: () => {} })
  const first = watch.look()
  await watch.look()
  expect(looks).toBe(1)
  gate.resolve()
  await first
  await watch.look()
  expect(looks).toBe(2)
})
