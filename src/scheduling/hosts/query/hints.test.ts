import { expect, test } from 'vitest'
import { readHints } from './hints.ts'

const A = '11111111-1111-4111-8111-111111111111'
const B = '22222222-2222-4222-8222-222222222222'

test('one instance or several, and a query as it is', () => {
  expect(readHints({ same_host: A, different_host: [A, B], query: '["=", 1, 1]', colour: 'red' })).toEqual({
    hints: { sameHost: [A], differentHost: [A, B], query: '["=", 1, 1]' },
    faults: [],
  })
  expect(readHints({})).toEqual({ hints: { sameHost: [], differentHost: [], query: null }, faults: [] })
})

test('a query in a list of one is the query; a list that is a query stays one', () => {
  expect(readHints({ query: ['["=", 1, 1]'] }).hints.query).toBe('["=", 1, 1]')
  expect(readHints({ query: ['=', 1, 1] }).hints.query).toEqual(['=', 1, 1])
})

test('everything that is no uuid is named, with its hint', () => {
  expect(readHints({ same_host: 'me', different_host: [A, 7] }).faults).toEqual([
    { code: 'not-a-uuid', hint: 'same_host', value: 'me' },
    { code: 'not-a-uuid', hint: 'different_host', value: 7 },
  ])
})
