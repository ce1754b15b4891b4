import { expect, test } from 'vitest'
import { type Change, insert } from '../world/change.ts'
import { GENESIS } from './chain.ts'
import type { Subject } from './store.contract.ts'
import { type Head, PlainRowTaken, type Store, StoreUnavailable } from './store.ts'
import type { PlainPut, PlainQuery, PlainRow } from './tables/plain-tables.ts'

const inserted = (id: number): Change => ({
  ops: [insert('traits', { id, name: `CUSTOM_${id}`, updated_at: 1 })],
})

let batches = 0

const DAY_MS = 24 * 60 * 60 * 1000

const answered = (key: string, answer: string, at_ms: number, caller = 'me'): PlainPut => ({
  table: 'idempotency_keys',
  row: { caller, key, request: 'digest', status: 200, answer, at_ms },
})

/** What every engine promises about plain rows. */
export function plainRowsContract(subject: () => Subject): void {
  const putAll = (store: Store, from: Head, atMs: number, plain: PlainPut[], ...changes: Change[]) =>
    store.write(from, () => ({
      id: `batch-${++batches}`,
      atMs,
      changes: changes.map(change => ({ change, names: {} })),
      plain,
    }))
  const changesIn = async (store: Store) => {
    const history = await store.changesAfter(0, 100)
    return history.kept ? history.changes.map(({ change }) => change) : null
  }
  const answerOf = async (store: Store, key: string, nowMs = 1_000, caller = 'me') =>
    (await store.plainRow('idempotency_keys', [caller, key], nowMs))?.answer ?? null

  test('plain rows are put with the changes of their batch, found by key, and there after opening again', async () => {
    const { store } = subject()
    const head = await putAll(store, GENESIS, 1, [answered('a', 'é"\n', 1)], inserted(1))
    expect(head.revision).toBe(1)
    expect(await store.plainRow('idempotency_keys', ['me', 'a'], 1)).toEqual(answered('a', 'é"\n', 1).row)
    const again = await subject().reopen()
    expect(await answerOf(again, 'a')).toBe('é"\n')
    expect([await answerOf(again, 'b'), await answerOf(again, 'a', 1, 'you')]).toEqual([null, null])
    expect(await changesIn(again)).toEqual([inserted(1)])
  })

  test('a batch of plain rows alone leaves the head and the changes as they are', async () => {
    const { store } = subject()
    const head = await putAll(store, GENESIS, 1, [], inserted(1))
    expect(await putAll(store, head, 1, [answered('a', '1', 1)])).toEqual(head)
    expect([await store.head(), await answerOf(store, 'a')]).toEqual([head, '1'])
    expect(await changesIn(store)).toHaveLength(1)
    expect((await putAll(store, head, 1, [], inserted(2))).revision).toBe(2)
  })

  test('a row replaces the one with its key', async () => {
    const { store } = subject()
    const put = (answer: string, caller?: string) =>
      putAll(store, GENESIS, 1, [answered('a', answer, 1, caller)])
    await put('1')
    await put('2', 'you')
    await put('3')
    expect([await answerOf(store, 'a'), await answerOf(store, 'a', 1, 'you')]).toEqual(['3', '2'])
  })

  test('a row that must be new is refused with its batch if its key exists', async () => {
    const { store } = subject()
    const once = (key: string, answer: string, at_ms: number): PlainPut => ({
      ...answered(key, answer, at_ms),
      isNew: true,
    })
    const head = await putAll(store, GENESIS, 1, [once('a', '1', 1)], inserted(1))
    const again = putAll(store, head, 2, [once('b', '2', 2), once('a', '2', 2)], inserted(2))
    await expect(again).rejects.toBeInstanceOf(PlainRowTaken)
    expect([await answerOf(store, 'a'), await answerOf(store, 'b')]).toEqual(['1', null])
    expect(await store.head()).toEqual(head)
    await putAll(store, head, DAY_MS + 2, [once('a', '3', DAY_MS + 2)])
    expect(await answerOf(store, 'a', DAY_MS + 2)).toBe('3')
  })

  test('a failed commit leaves no plain row, with changes or without', async () => {
    const { store } = subject()
    const head = await putAll(store, GENESIS, 1, [], inserted(1))
    const lift = await subject().obstruct()
    const lost = [answered('a', '1', 1)]
    await expect(putAll(store, head, 1, lost)).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(putAll(store, head, 1, lost, inserted(2))).rejects.toBeInstanceOf(StoreUnavailable)
    await lift()
    await expect(putAll(store, head, 1, lost, inserted(1))).rejects.toThrow()
    expect(await answerOf(await subject().reopen(), 'a')).toBe(null)
  })

  test('an expired row is not found, and a later write deletes it', async () => {
    const { store } = subject()
    await putAll(store, GENESIS, 0, [answered('old', '1', 0), answered('new', '2', 10)])
    expect(await answerOf(store, 'old', DAY_MS)).toBe('1')
    expect(await answerOf(store, 'old', DAY_MS + 1)).toBe(null)
    expect(await answerOf(store, 'old', DAY_MS)).toBe('1')
    await putAll(store, GENESIS, DAY_MS + 1, [answered('newest', '3', DAY_MS + 1)])
    expect(await answerOf(store, 'old', 0)).toBe(null)
    expect([await answerOf(store, 'new'), await answerOf(store, 'newest')]).toEqual(['2', '3'])
  })

  test('rows are listed newest first, in pages, filtered by columns, until they expire', async () => {
    const { store } = subject()
    const rows = [
      answered('c', '1', 5),
      answered('a', '2', 7),
      answered('b', '1', 7),
      answered('d', '1', 9, 'you'),
      answered('old', '1', 1),
    ]
    await putAll(store, GENESIS, 1, rows)
    const list = async (
      query: Omit<PlainQuery<'idempotency_keys'>, 'limit'>,
      nowMs = DAY_MS + 2,
      limit = 2,
    ) => (await store.plainRows('idempotency_keys', { limit, ...query }, nowMs)).map(({ key }) => key)
    expect(await list({})).toEqual(['d', 'b'])
    expect(await list({ after: [7, 'me', 'b'] })).toEqual(['a', 'c'])
    expect(await list({ after: [5, 'me', 'c'] })).toEqual([])
    expect(await list({ after: [5, 'me', 'c'] }, DAY_MS)).toEqual(['old'])
    expect(await list({ after: [7, 'me', 'b'], sinceMs: 6 })).toEqual(['a'])
    expect(await list({ sinceMs: 10 })).toEqual([])
    expect(await list({ where: { caller: 'me', answer: '1' } })).toEqual(['b', 'c'])
    expect(await list({ where: { caller: 'me', answer: '1' }, after: [7, 'me', 'b'] })).toEqual(['c'])
    const [whole] = await store.plainRows('idempotency_keys', { limit: 1 }, 10)
    expect(whole).toEqual(rows[3]?.row)
  })

  test('decisions are listed by the columns that have an index, also where these are null or long', async () => {
    const { store } = subject()
    const decided = (id: string, at_ms: number, some: Partial<PlainRow<'decisions'>>): PlainPut => ({
      table: 'decisions',
      row: {
        id,
        kind: 'schedule',
        outcome: 'placed',
        project_id: null,
        revision: 1,
        decided_revision: 1,
        seed: 0,
        request: '{}',
        summary: '{}',
        at_ms,
        share: null,
        request_id: null,
        global_request_id: null,
        ...some,
      },
    })
    const long = 'ü'.repeat(255)
    await putAll(store, GENESIS, 5, [
      decided('a', 1, { outcome: 'refused', project_id: 'p' }),
      decided('b', 2, { project_id: long }),
      decided('c', 3, { outcome: 'refused', project_id: 'P', share: 's' }),
      decided('d', 3, { outcome: 'refused' }),
    ])
    const list = async (query: Omit<PlainQuery<'decisions'>, 'limit'>, limit = 9) =>
      (await store.plainRows('decisions', { limit, ...query }, 5)).map(({ id }) => id)
    expect(await list({ where: { outcome: 'refused' } })).toEqual(['d', 'c', 'a'])
    expect(await list({ where: { outcome: 'refused' }, after: [3, 'd'] }, 1)).toEqual(['c'])
    expect(await list({ where: { outcome: 'refused' }, sinceMs: 2 })).toEqual(['d', 'c'])
    expect(await list({ where: { project_id: 'p' } })).toEqual(['a'])
    expect(await list({ where: { project_id: long } })).toEqual(['b'])
    expect(await list({ where: { project_id: null } })).toEqual(['d'])
    expect(await list({ where: { share: 's', outcome: 'refused' } })).toEqual(['c'])
  })

  test('rows with their time in the key are one for each time, new only once, and read in pages', async () => {
    const { store } = subject()
    const sampled = (scope: string, at_ms: number, points: string, isNew = true): PlainPut => ({
      table: 'usage_minutes',
      row: { scope, points, is_made_up: 0, at_ms },
      ...(isNew ? { isNew } : {}),
    })
    await putAll(store, GENESIS, 3, [
      sampled('cloud', 1, '1'),
      sampled('cloud', 2, '2'),
      sampled('zone:é', 2, '3'),
    ])
    const again = putAll(store, GENESIS, 4, [sampled('zone:é', 3, '4'), sampled('cloud', 2, '5')])
    await expect(again).rejects.toBeInstanceOf(PlainRowTaken)
    await putAll(store, GENESIS, 4, [sampled('cloud', 2, '6', false), sampled('cloud', 3, '7')])
    const list = async (scope: string, after?: readonly (string | number)[]) =>
      (
        await store.plainRows('usage_minutes', { where: { scope }, limit: 2, ...(after && { after }) }, 4)
      ).map(({ at_ms, points }) => [at_ms, points])
    expect(await list('cloud')).toEqual([
      [3, '7'],
      [2, '6'],
    ])
    expect(await list('cloud', [2, 'cloud'])).toEqual([[1, '1']])
    expect(await list('zone:é')).toEqual([[2, '3']])
    expect(await store.plainRow('usage_minutes', ['cloud', 2], 4)).toMatchObject({ points: '6' })
  })
}
