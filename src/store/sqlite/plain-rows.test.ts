import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { idempotencyKeys } from '../tables/plain-tables.ts'
import { PlainRows } from './plain-rows.ts'
import { createEverything } from './statements.ts'

const KEEP_MS = idempotencyKeys.keepMsMax

function emptyRows() {
  const db = new DatabaseSync(':memory:')
  for (const sql of createEverything()) db.exec(sql)
  const rows = new PlainRows(db)
  const put = (key: string, atMs: number) =>
    rows.put(
      { table: 'idempotency_keys', isNew: false, values: ['caller', key, 'digest', 200, '{}', atMs] },
      atMs,
    )
  const keys = () =>
    (db.prepare('SELECT key FROM idempotency_keys ORDER BY key').all() as { key: string }[]).map(
      row => row.key,
    )
  return { rows, put, keys }
}

test('a row goes with the first write after it became too old, and not before', () => {
  const { rows, put, keys } = emptyRows()
  put('a', 1_000)
  rows.trim(1_000)
  put('b', 5_000)
  rows.trim(1_000 + KEEP_MS)
  expect(keys()).toEqual(['a', 'b'])
  rows.trim(1_001 + KEEP_MS)
  expect(keys()).toEqual(['b'])
  rows.trim(5_001 + KEEP_MS)
  expect(keys()).toEqual([])
})

test('a row that was put while the clock was behind goes when its time has come', () => {
  const { rows, put, keys } = emptyRows()
  put('late', 9_000)
  rows.trim(9_000)
  put('early', 2_000)
  rows.trim(2_001 + KEEP_MS)
  expect(keys()).toEqual(['late'])
})

test('after a write that was taken back it is looked again', () => {
  const { rows, put, keys } = emptyRows()
  put('a', 1_000)
  rows.trim(1_000)
  // As a rolled back put would have it: the row is as old as it was.
  put('a', 9_000)
  rows.trim(1_000)
  put('a', 1_000)
  rows.forgetAges()
  rows.trim(1_001 + KEEP_MS)
  expect(keys()).toEqual([])
})
