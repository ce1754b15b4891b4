import { expect, test } from 'vitest'
import { accessStateOf, isAccessBusy, whyNoClient } from './access.ts'

test.each([
  ['active', 'good', false],
  ['error', 'bad', false],
  ['queued_to_apply', 'busy', true],
  ['denying', 'busy', true],
])('a rule that is %s is %s', (state, kind, isBusy) => {
  expect([accessStateOf({ state }).kind, isAccessBusy({ state })]).toEqual([kind, isBusy])
})

test('an address is checked before it is sent, a name is not', () => {
  expect(whyNoClient('ip', '')).toBe('Say whom to let in.')
  expect(whyNoClient('ip', '10.0.0.1/24')).toBe('10.0.0.1/24 has host bits set.')
  expect(whyNoClient('ip', 'fd00::/64')).toBeNull()
  expect(whyNoClient('user', '10.0.0.1/24')).toBeNull()
})
