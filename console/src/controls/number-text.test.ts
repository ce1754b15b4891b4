import { expect, test } from 'vitest'
import { shownText } from './number-text.ts'

test('an empty field stays empty while somebody is in it, and shows what is kept otherwise', () => {
  expect(shownText('10', '')).toBe('')
  expect(shownText('10', null)).toBe('10')
  expect(shownText('12', '1')).toBe('12')
})
