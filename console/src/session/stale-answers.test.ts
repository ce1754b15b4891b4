import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { RecordedChange } from '../../../src/wire/changes.ts'
import { StaleAnswers } from './stale-answers.ts'

const changeOf = (table: string, row: object = {}): RecordedChange => ({
  revision: 1,
  at: '',
  ops: [{ table, before: null, after: row as never }],
})

const allocation = (provider: string, consumer: string) => changeOf('allocations', { provider, consumer })

describe('answers that went stale', () => {
  let queries: QueryClient
  let stale: StaleAnswers
  const ends: (() => void)[] = []

  beforeEach(() => {
    vi.useFakeTimers()
    queries = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000 } } })
    stale = new StaleAnswers(queries)
  })
  afterEach(() => {
    stale.stop()
    for (const end of ends.splice(0)) end()
    queries.clear()
    vi.useRealTimers()
  })

  /** An answer that somebody looks at. How often it was asked for. */
  async function watch(key: readonly unknown[], answer: () => Promise<unknown> = async () => 1) {
    const ask = vi.fn(answer)
    ends.push(new QueryObserver(queries, { queryKey: key, queryFn: ask }).subscribe(() => undefined))
    await vi.advanceTimersByTimeAsync(0)
    return ask
  }

  test('affected answers are fetched again soon, others are not', async () => {
    const [flavors, hosts] = [await watch(['flavors']), await watch(['hosts'])]
    stale.changed(changeOf('flavor_extra_specs'))
    await vi.advanceTimersByTimeAsync(400)
    expect([flavors, hosts].map(ask => ask.mock.calls.length)).toEqual([2, 1])
  })

  test.each([
    [['why', { flavor: 'm1' }, 20]],
    [['explain', 'resources=VCPU:1']],
    [['candidates', 'resources=VCPU:1']],
    [['matches', 'm1', 1, 2, 3, {}]],
    [['what-if', {}]],
    [['decisions', null]],
    [['shares', 'targets', 'x', null]],
  ])('%j is reckoned anew when something is allocated, but only every few seconds', async key => {
    const ask = await watch(key)
    for (let at = 0; at < 100; at++) {
      stale.changed(allocation('p', `c${at}`))
      await vi.advanceTimersByTimeAsync(100)
    }
    // At once, and 5 seconds later.
    expect(ask).toHaveBeenCalledTimes(3)
  })

  test('drift follows flavors, and not allocations', async () => {
    const drift = await watch(['catalog', 'drift'])
    stale.changed(allocation('p', 'c'))
    await vi.advanceTimersByTimeAsync(6_000)
    expect(drift).toHaveBeenCalledTimes(1)
    stale.changed(changeOf('flavor_extra_specs'))
    await vi.advanceTimersByTimeAsync(6_000)
    expect(drift).toHaveBeenCalledTimes(2)
  })

  test('only consumers that a row names are fetched', async () => {
    const here = await watch(['consumers', 'here'])
    const ann = await watch(['consumers', 'one', 'ann'])
    const bob = await watch(['consumers', 'one', 'bob'])
    for (let at = 0; at < 50; at++) stale.changed(allocation('elsewhere', `c${at}`))
    await vi.advanceTimersByTimeAsync(2_000)
    expect([here, ann, bob].map(ask => ask.mock.calls.length)).toEqual([1, 1, 1])
    stale.changed(allocation('here', 'ann'))
    await vi.advanceTimersByTimeAsync(2_000)
    expect([here, ann, bob].map(ask => ask.mock.calls.length)).toEqual([2, 2, 1])
  })

  test('a running fetch is not restarted, but followed by another', async () => {
    const signals: AbortSignal[] = []
    const slow = () => new Promise(resolve => setTimeout(resolve, 3_000, 1))
    const ask = vi.fn(({ signal }: { signal: AbortSignal }) => {
      signals.push(signal)
      return slow()
    })
    ends.push(new QueryObserver(queries, { queryKey: ['hosts'], queryFn: ask }).subscribe(() => undefined))
    for (let at = 0; at < 25; at++) {
      stale.changed(changeOf('hosts'))
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(ask).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(ask).toHaveBeenCalledTimes(2)
    expect(signals.map(signal => signal.aborted)).toEqual([false, false])
  })

  test('when the fleet was read again everything is stale, hidden answers too', async () => {
    const asks = [await watch(['flavors']), await watch(['why', {}]), await watch(['shares', 'one', 'x'])]
    queries.setQueryData(['traits'], [])
    stale.reloaded()
    await vi.advanceTimersByTimeAsync(400)
    expect(asks.map(ask => ask.mock.calls.length)).toEqual([2, 2, 2])
    expect(queries.getQueryState(['traits'])?.isInvalidated).toBe(true)
  })
})
