import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import type { AnyRow } from '../../world/table.ts'
import { histories, noRows, plain, put } from '../histories.fixture.ts'
import { inserted, trait } from '../postgres/fresh-database.fixture.ts'
import { StoreDiverged, StoreRejected } from '../store.ts'
import { computeNetEffect } from './net-effect.ts'

const effectOf = (...ops: RowOp[]) => {
  const [effect] = computeNetEffect([{ change: { ops }, names: {} }])
  const updated = [...(effect?.updated.values() ?? [])].map(({ columns, before, after }) => ({
    columns,
    before,
    after,
  }))
  return { deleted: effect?.deleted, updated, inserted: effect?.inserted }
}
const nothing = { deleted: [], updated: [], inserted: [] }

describe('the net effect', () => {
  test('of a row that comes and goes is nothing, of one that goes and comes back neither', () => {
    expect(effectOf(...inserted(1), remove('traits', trait(1)))).toEqual(nothing)
    expect(effectOf(remove('traits', trait(1)), ...inserted(1))).toEqual(nothing)
  })

  test('of several changes of a row is its first and its last state', () => {
    const at = (updated_at: number) => ({ ...trait(1), updated_at })
    const twice = [update('traits', at(1), at(2)), update('traits', at(2), at(3))]
    const updated = [{ columns: ['updated_at'], before: [at(1)], after: [at(3)] }]
    expect(effectOf(...twice)).toEqual({ ...nothing, updated })
    expect(effectOf(...inserted(1), update('traits', at(1), at(2)))).toEqual({
      ...nothing,
      inserted: [at(2)],
    })
    expect(effectOf(...twice, remove('traits', at(3)))).toEqual({ ...nothing, deleted: [at(1)] })
  })

  test('on a unique column is that the row goes and comes', () => {
    const renamed = trait(1, 'OTHER')
    expect(effectOf(update('traits', trait(1), renamed))).toEqual({
      ...nothing,
      deleted: [trait(1)],
      inserted: [renamed],
    })
  })

  test('of ops that do not follow from each other is an error', () => {
    expect(() => effectOf(...inserted(1, 1))).toThrow(StoreRejected)
    expect(() => effectOf(...inserted(1), remove('traits', trait(1, 'X')))).toThrow(StoreDiverged)
    expect(() => effectOf(remove('traits', trait(1)), remove('traits', trait(1)))).toThrow(StoreDiverged)
    expect(() => effectOf(update('traits', trait(1), trait(2)))).toThrow(StoreDiverged)
  })

  test('of any batch leaves the same rows as its ops one after the other', () => {
    fc.assert(
      fc.property(histories, batches => {
        const [one, all] = [noRows(), noRows()]
        for (const changes of batches) {
          for (const change of changes) for (const op of change.ops) put(one, op)
          for (const op of opsOf(changes.map(change => ({ change, names: {} })))) put(all, op)
        }
        expect(plain(all)).toEqual(plain(one))
      }),
    )
  })
})

/** The net effect as ops, in the order in which it is written. */
function opsOf(changes: Parameters<typeof computeNetEffect>[0]): RowOp[] {
  return computeNetEffect(changes).flatMap(({ table, deleted, updated, inserted: added }) => {
    const op = (before: AnyRow | null, after: AnyRow | null) =>
      ({ table: table.name, before, after }) as unknown as RowOp
    return [
      ...deleted.map(row => op(row, null)),
      ...[...updated.values()].flatMap(({ before, after }) =>
        before.map((row, at) => op(row, after[at] as AnyRow)),
      ),
      ...added.map(row => insert(table.name as 'traits', row as never)),
    ]
  })
}
