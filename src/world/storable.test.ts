import { describe, expect, test } from 'vitest'
import { plainTables } from '../store/tables/plain-tables.ts'
import { NotStorable, requireStorable } from './storable.ts'
import type { AnyRow, Column, Table, Value } from './table.ts'
import { mirroredTables } from './tables.ts'

const tables = [...mirroredTables, ...plainTables] as unknown as readonly Table[]

const fine = (column: Column): Value => (column.type === 'text' ? 'text' : 1)
const rowOf = ({ columns }: Table): Record<string, Value> =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, fine(column)]))

const BAD: Readonly<Record<Column['type'], readonly unknown[]>> = {
  integer: [2 ** 53, -(2 ** 53), 2 ** 63, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined],
  real: [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '1', undefined],
  text: ['a\0b', '\ud800', 1, undefined],
}
const GOOD: Readonly<Record<Column['type'], readonly Value[]>> = {
  integer: [0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  real: [0, -1.5, 3.40282e38, Number.MAX_VALUE],
  text: ['', '\ud83d\ude00', '\u0001'],
}

describe.each(tables.map(one => [one.name, one] as const))('%s', (_name, described) => {
  test('takes what every store gives back, in every column, and nothing else', () => {
    for (const [name, column] of Object.entries(described.columns)) {
      const put = (value: unknown) => () =>
        requireStorable(described, { ...rowOf(described), [name]: value } as AnyRow)
      for (const value of GOOD[column.type]) expect(put(value), name).not.toThrow()
      for (const value of BAD[column.type]) expect(put(value), `${name} ${value}`).toThrow(NotStorable)
      if ('nullable' in column) expect(put(null), name).not.toThrow()
      else expect(put(null), name).toThrow(`${described.name}.${name} cannot be`)
    }
  })
})
