import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findNearNames, limitNearNames, measureDistance } from './near-names.ts'

test.each([
  ['policy', 'policy', 0],
  ['policy', 'polcy', 1],
  ['polciy', 'policy', 1],
  ['policy', 'policies', 3],
  ['', 'abc', 3],
  ['abcdef', 'uvwxyz', 4],
])('from %s to %s it is %i', (a, b, distance) => {
  expect(measureDistance(a, b, 3)).toBe(distance)
  expect(measureDistance(b, a, 3)).toBe(distance)
})

test('one change is one step, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 12 }),
      fc.nat(11),
      fc.string({ maxLength: 1 }),
      (name, at, letter) => {
        const cut = at % name.length
        expect(
          measureDistance(name, `${name.slice(0, cut)}${letter}${name.slice(cut)}`, 3),
        ).toBeLessThanOrEqual(letter.length)
        expect(
          measureDistance(name, `${name.slice(0, cut)}${letter}${name.slice(cut + 1)}`, 3),
        ).toBeLessThanOrEqual(1)
      },
    ),
  )
})

test('it is what the plain algorithm finds, as far as it counts', () => {
  const plain = (a: string, b: string): number => {
    const cells = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array(b.length).fill(0)] as number[])
    for (let j = 0; j <= b.length; j++) cells[0]![j] = j
    for (let i = 1; i <= a.length; i++)
      for (let j = 1; j <= b.length; j++) {
        const change = cells[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
        cells[i]![j] = Math.min(cells[i - 1]![j]! + 1, cells[i]![j - 1]! + 1, change)
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
          cells[i]![j] = Math.min(cells[i]![j]!, cells[i - 2]![j - 2]! + 1)
      }
    return cells[a.length]![b.length]!
  }
  const names = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 })
  fc.assert(
    fc.property(names, names, fc.nat(4), (a, b, max) => {
      expect(measureDistance(a, b, max)).toBe(Math.min(plain(a, b), max + 1))
    }),
    { numRuns: 2_000 },
  )
})

test('the nearest come first, and three are enough', () => {
  const known = [
    'quota:cpu_shares',
    'quota:cpu_share',
    'quota:cpu_shards',
    'quota:cpu_sharp',
    'hw:cpu_policy',
  ]
  expect(findNearNames('quota:cpu_shars', known)).toEqual([
    'quota:cpu_shards',
    'quota:cpu_share',
    'quota:cpu_shares',
  ])
  expect(findNearNames('quota:cpu_shars', ['quota:cpu_sharing', 'quota:cpu_shares'])[0]).toBe(
    'quota:cpu_shares',
  )
  expect(findNearNames('ab', ['xy', 'ax'])).toEqual(['ax'])
})

test('a scope that was left out, other signs and other case are found', () => {
  expect(findNearNames('alias', ['pci_passthrough:alias'])).toEqual(['pci_passthrough:alias'])
  expect(findNearNames('HW-CPU-POLICY', ['hw:cpu_policy'])).toEqual(['hw:cpu_policy'])
})

test('thousands of keys are searched in no time, and a monster not at all', () => {
  const known = Array.from({ length: 5_000 }, (_, at) => `capabilities:cpu_info:feature_${at}`)
  const began = performance.now()
  for (let i = 0; i < 5; i++) findNearNames(`capabilities:cpu_infos:feature_${i}x`, known)
  expect(findNearNames('x'.repeat(1_000_000), known)).toEqual([])
  expect(performance.now() - began).toBeLessThan(5_000)
})

test('a search is made once for each name, and there is an end to it', () => {
  const near = limitNearNames(2)
  let searches = 0
  const known = () => {
    searches++
    return ['abcd', 'efgh']
  }
  const counted = { [Symbol.iterator]: () => known()[Symbol.iterator]() }
  expect(near('abce', counted)).toEqual(['abcd'])
  expect(near('abce', counted)).toEqual(['abcd'])
  expect(near('efgi', counted)).toEqual(['efgh'])
  expect(near('abcf', counted)).toEqual([])
  expect(searches).toBe(2)
})
