import { describe, expect, test } from 'vitest'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { contradictions, hintWrites, pairsToAsk, tiesOf } from './ties.ts'

const share = (id: string, metadata: Record<string, string> = {}): Share =>
  ({ id, metadata }) as unknown as Share

describe('ties of a share', () => {
  test('of two shares with the same hint, the younger asked for it', () => {
    const young = share('young', { __affinity_same_host: 'old' })
    const old = share('old', { __affinity_same_host: 'young' })
    const all = [young, old]
    expect(tiesOf(young, all)).toEqual([{ kind: 'same_host', other: 'old', askedBy: 'this' }])
    expect(tiesOf(old, all)).toEqual([{ kind: 'same_host', other: 'young', askedBy: 'other' }])
  })

  test('what only one has binds that one, and is shown on both', () => {
    const a = share('a', { __affinity_different_host: 'b' })
    const b = share('b')
    expect(tiesOf(a, [a, b])).toEqual([{ kind: 'different_host', other: 'b', askedBy: 'only-this' }])
    expect(tiesOf(b, [a, b])).toEqual([{ kind: 'different_host', other: 'a', askedBy: 'only-other' }])
  })

  test('a share that is not visible is listed too', () => {
    const a = share('a', { __affinity_same_host: 'x,y' })
    expect(tiesOf(a, [a]).map(({ other, askedBy }) => [other, askedBy])).toEqual([
      ['x', 'unknown'],
      ['y', 'unknown'],
    ])
  })
})

describe('picks that contradict each other', () => {
  const places: Readonly<Record<string, number | null>> = { a: 1, b: 1, c: 2, lost: null }
  const beside = (one: string, other: string) => {
    const [here, there] = [places[one] ?? null, places[other] ?? null]
    return here === null || there === null ? null : here === there
  }
  const kinds = (near: string[], away: string[]) => contradictions(near, away, beside).map(({ kind }) => kind)

  test('near and away from the same one', () => expect(kinds(['a'], ['a'])).toEqual(['both']))
  test('near two that are apart', () => expect(kinds(['a', 'c'], [])).toEqual(['near-apart']))
  test('near one, away from one beside it', () => expect(kinds(['a'], ['b'])).toEqual(['near-away']))
  test('near one that is nowhere', () => expect(kinds(['lost', 'a'], ['c'])).toEqual(['nowhere']))
  test('what can be met is none', () => expect(kinds(['a', 'b'], ['c', 'lost'])).toEqual([]))
  test('what is not known yet is none', () =>
    expect(contradictions(['a', 'c'], [], () => undefined)).toEqual([]))

  test('as few pairs as there are picks are asked about', () => {
    expect(pairsToAsk([], ['a', 'b'])).toEqual([])
    expect(pairsToAsk(['a', 'b'], ['c'])).toEqual([
      ['a', 'a'],
      ['a', 'b'],
      ['a', 'c'],
    ])
  })
})

describe('hints that are edited', () => {
  const near = '__affinity_same_host'
  const away = '__affinity_different_host'

  test('only the kind that was changed is written', () => {
    const before = share('s', { [near]: 'a', [away]: 'b' })
    expect(hintWrites(before, { same_host: ['a', 'c'], different_host: ['b'] }, before)).toEqual([
      { key: near, text: 'a,c' },
    ])
    expect(hintWrites(before, { same_host: ['a'], different_host: ['b'] }, before)).toEqual([])
  })

  test('what others wrote meanwhile stays', () => {
    const before = share('s', { [near]: 'a' })
    const now = share('s', { [near]: 'a,x', [away]: 'y' })
    expect(hintWrites(before, { same_host: ['c'], different_host: [] }, now)).toEqual([
      { key: near, text: 'x,c' },
    ])
  })

  test('removing the last one removes the key, unless that was done already', () => {
    const before = share('s', { [near]: 'a' })
    const mine = { same_host: [], different_host: [] }
    expect(hintWrites(before, mine, before)).toEqual([{ key: near, text: null }])
    expect(hintWrites(before, mine, share('s'))).toEqual([])
  })
})
