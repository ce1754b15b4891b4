import { expect, test } from 'vitest'
import { onlyReason } from './only-reason.ts'

test('the number without another reason has a fitting text', () => {
  expect(onlyReason(5, 0)).toBe('other reasons keep them out as well')
  expect(onlyReason(5, 5)).toBe('nothing else keeps them out')
  expect(onlyReason(5, 2)).toBe('nothing else keeps 2 of them out')
  expect(onlyReason(1, 1)).toBe('nothing else keeps it out')
})
