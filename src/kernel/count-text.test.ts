import { expect, test } from 'vitest'
import { countText } from './count-text.ts'

test.each([
  [0, '0 hosts'],
  [1, '1 host'],
  [12, '12 hosts'],
])('%d is counted as %s', (count, text) => expect(countText(count, 'host')).toBe(text))

test('what has a plural of its own is counted with it', () =>
  expect([1, 2].map(count => countText(count, 'inventory', 'inventories'))).toEqual([
    '1 inventory',
    '2 inventories',
  ]))
