import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { EncodedOp } from '../../world/change.ts'
import { RowWriter } from './rows.ts'
import { createEverything } from './statements.ts'

function emptyTables() {
  const db = new DatabaseSync(':memory:')
  for (const sql of createEverything()) db.exec(sql)
  const uuids = () =>
    (db.prepare('SELECT uuid FROM aggregates ORDER BY id').all() as { uuid: string }[]).map(row => row.uuid)
  return { rows: new RowWriter(db), uuids, db }
}

const added = (id: number, uuid: string): EncodedOp => ['aggregates', null, [id, uuid]]
const renamed = (id: number, from: string, to: string): EncodedOp => ['aggregates', [id, from], [id, to]]
const deleted = (id: number, uuid: string): EncodedOp => ['aggregates', [id, uuid], null]
const joined = (provider: number, aggregate: number): EncodedOp => [
  'provider_aggregates',
  null,
  [provider, aggregate],
]

test('what is new can be changed, deleted and come again in one go', () => {
  const { rows, uuids } = emptyTables()
  rows.write([
    added(1, 'a'),
    added(2, 'b'),
    renamed(1, 'a', 'c'),
    added(3, 'a'),
    deleted(2, 'b'),
    added(2, 'd'),
  ])
  expect(uuids()).toEqual(['c', 'd', 'a'])
})

test('a key that was given up is free for what comes after', () => {
  const { rows, uuids } = emptyTables()
  rows.write([added(1, 'a')])
  rows.write([joined(7, 1), renamed(1, 'a', 'b'), joined(8, 1), added(2, 'a'), joined(7, 2)])
  expect(uuids()).toEqual(['b', 'a'])
})

test('any number of new rows arrives whole', () => {
  const { rows, uuids, db } = emptyTables()
  const many = Array.from({ length: 64 + 2 * 16 + 3 * 4 + 3 }, (_, nth) => nth)
  rows.write(many.flatMap(nth => [added(nth, `uuid ${nth}`), joined(nth, nth)]))
  expect(uuids()).toEqual(many.map(nth => `uuid ${nth}`))
  expect(db.prepare('SELECT count(*) AS count FROM provider_aggregates').get()).toEqual({
    count: many.length,
  })
})

test('a row that is not as it should be is found out', () => {
  const { rows } = emptyTables()
  expect(() => rows.write([added(1, 'a'), renamed(1, 'x', 'b')])).toThrow(/not stored as memory has it/)
})
