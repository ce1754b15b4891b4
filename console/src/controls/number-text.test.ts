import { expect, test } from 'vitest'
import { shownText } from './number-text.ts'

test('an empty field stays empty while it has the focus, and shows the stored value otherwise', () => {
  expect(shownText('10', '')).toBe('')
  expect(shownText('10', null)).toBe('10')
  expect(shownText('12', '1')).toBe('12')
})
