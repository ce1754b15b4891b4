import { expect, test } from 'vitest'
import { percentDecode } from './percent-decoding.ts'

test('escapes are read as UTF-8', () => {
  expect(percentDecode('%E2%98%83%20a')).toBe('☃ a')
})

test('a percent sign that starts no escape stands for itself', () => {
  expect(percentDecode('100%')).toBe('100%')
  expect(percentDecode('%zz%41%4')).toBe('%zzA%4')
})

test('bytes that spell no UTF-8 are null, also beside a lone percent sign', () => {
  expect(percentDecode('%ff')).toBeNull()
  expect(percentDecode('%zz%c3%28')).toBeNull()
})
