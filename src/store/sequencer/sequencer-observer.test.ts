import { describe, expect, test } from 'vitest'
import { renderOps } from '../../world/naming.ts'
import { type Store, StoreUnavailable } from '../store.ts'
import { claimed, started } from './started-sequencer.fixture.ts'

describe('what is told of a change', () => {
  test('names stand in it as they were just before it, the earlier ones of its batch included', async () => {
    const { sequencer, store } = await started()
    await Promise.all([
      sequencer.submit({ kind: 'add-host', host: 'one', total: 5 }),
      claimed(sequencer, 'a'),
      sequencer.submit({ kind: 'release', consumer: 'a' }),
      claimed(sequencer, 'b'),
    ])
    expect(store.batches).toHaveLength(1)
    const history = await store.changesAfter(0, 10)
    const told = history.kept ? history.changes.map(renderOps) : []
    const holders = told.map(ops =>
      ops.flatMap(op => (op.table === 'allocations' ? [(op.after ?? op.before)?.consumer] : [])),
    )
    // Both consumers had the same number.
    expect(holders).toEqual([[], ['a', 'a'], ['a', 'a'], ['b', 'b']])
  })

  test('observers get it with its revision, time and names, once memory has it', async () => {
    const { sequencer, world, store, observer } = await started()
    observer.onApplied = change => expect(change.revision).toBeLessThanOrEqual(world.revision)
    await sequencer.submit({ kind: 'add-host', host: 'one', total: 5 })
    await Promise.all([claimed(sequencer, 'a'), claimed(sequencer, 'b')])
    const history = await store.changesAfter(0, 10)
    expect(history.kept && history.changes).toMatchObject(observer.applieds)
    expect(observer.applieds).toHaveLength(3)
  })
})

describe('plain rows', () => {
  const kept = (answer: string) => [
    {
      table: 'idempotency_keys' as const,
      row: { caller: 'me', key: 'k', request: 'r', status: 200, answer, at_ms: 1_000 },
    },
  ]
  const answerIn = async (store: Store) =>
    (await store.plainRow('idempotency_keys', ['me', 'k'], 1_000))?.answer

  test('come from the outcome and are stored with the command, also when it changes nothing', async () => {
    const { sequencer, store } = await started()
    await sequencer.submit({ kind: 'add-host', host: 'one', total: 5 }, (outcome, nowMs) =>
      kept(`${outcome.ok} ${nowMs}`),
    )
    expect(await answerIn(store)).toBe('true 1000')
    expect(store.batches.at(-1)).toMatchObject({ changes: [{}], plain: [{}] })
    await sequencer.submit({ kind: 'release', consumer: 'nobody' }, outcome =>
      kept(outcome.ok ? 'released' : outcome.refusal),
    )
    expect(await answerIn(store)).toBe('unknown')
    expect(sequencer.head.revision).toBe(1)
  })

  test('a commit that fails leaves none', async () => {
    const { sequencer, store } = await started()
    store.beforeCommit = () => Promise.reject(new StoreUnavailable('the disk is full'))
    const lost = sequencer.submit({ kind: 'add-host', host: 'one', total: 5 }, () => kept('lost'))
    await expect(lost).rejects.toThrow('the disk is full')
    expect(await answerIn(store)).toBeUndefined()
  })

  test('a command whose rows cannot be made fails alone', async () => {
    const { sequencer, store } = await started()
    const bug = new Error('no rows')
    const both = await Promise.allSettled([
      sequencer.submit({ kind: 'add-host', host: 'one', total: 5 }, () => {
        throw bug
      }),
      sequencer.submit({ kind: 'add-host', host: 'two', total: 5 }, () => kept('two')),
    ])
    expect(both).toMatchObject([{ status: 'rejected', reason: bug }, { status: 'fulfilled' }])
    expect(await answerIn(store)).toBe('two')
    expect(sequencer.head.revision).toBe(1)
  })
})
