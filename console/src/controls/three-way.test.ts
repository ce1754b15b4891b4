import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changesBetween, collisionsOf, reapplied, reappliedSet, setChange, type Table } from './three-way.ts'

const before: Table = { VCPU: { total: 8, reserved: 0 }, DISK_GB: { total: 100, reserved: 0 } }

describe('two people change the same provider', () => {
  test('changes to different fields of one row are both kept', () => {
    const theirs = { ...before, VCPU: { total: 16, reserved: 0 } }
    const mine = { ...before, VCPU: { total: 8, reserved: 2 } }
    expect(collisionsOf(before, theirs, mine)).toEqual([])
    expect(reapplied(before, theirs, mine).VCPU).toEqual({ total: 16, reserved: 2 })
  })

  test('the same field changed twice is a collision, and reapplying means mine', () => {
    const theirs = { ...before, VCPU: { total: 16, reserved: 0 } }
    const mine = { ...before, VCPU: { total: 12, reserved: 0 } }
    expect(collisionsOf(before, theirs, mine)).toEqual([
      { row: 'VCPU', field: 'total', before: 8, theirs: 16, mine: 12 },
    ])
    expect(reapplied(before, theirs, mine).VCPU).toEqual({ total: 12, reserved: 0 })
  })

  test('a row that I removed goes, one that they added stays', () => {
    const theirs = { ...before, PCPU: { total: 4, reserved: 0 } }
    const { DISK_GB: _gone, ...mine } = before
    expect(Object.keys(reapplied(before, theirs, mine)).sort()).toEqual(['PCPU', 'VCPU'])
  })

  test('a row that they removed comes back whole if I changed it', () => {
    const { VCPU: _gone, ...theirs } = before
    const mine = { ...before, VCPU: { total: 9, reserved: 0 } }
    expect(reapplied(before, theirs, mine).VCPU).toEqual({ total: 9, reserved: 0 })
  })

  const tables = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.record({ total: fc.nat(3), reserved: fc.nat(3) }),
    { noNullPrototype: true },
  )

  test('without changes of mine their version is taken', () => {
    fc.assert(
      fc.property(tables, tables, (base, other) => {
        expect(reapplied(base, other, base)).toEqual(other)
        expect(reapplied(base, base, other)).toEqual(other)
        expect(changesBetween(base, base)).toEqual([])
      }),
    )
  })

  test('sets: additions and removals of both are done', () => {
    expect(reappliedSet(['a', 'b'], ['b', 'c'], ['a', 'b', 'd'])).toEqual(['b', 'c', 'd'])
    expect(setChange(['a', 'b'], ['b', 'c'])).toEqual({ added: ['c'], removed: ['a'] })
  })
})
