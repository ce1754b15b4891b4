import { expect, test } from 'vitest'
import { byCodePoint } from './code-points.ts'

test('strings sort by code point, not by UTF-16 unit', () => {
  const sorted = ['B', 'a', 'ab', '\ud800', '\ud800a', '\ufb00', '\u{10000}', '\u{1f600}', '\u{1f601}']
  expect(sorted.toReversed().sort(byCodePoint)).toEqual(sorted)
})
