import { expect, test } from 'vitest'
import { decodePercent } from './percent-decoding.ts'

test('escapes are read as UTF-8', () => {
  expect(decodePercent('%E2%98%83%20a')).toBe('☃ a')
})

test('a percent sign that starts no escape stands for itself', () => {
  expect(decodePercent('100%')).toBe('100%')
  expect(decodePercent('%zz%41%4')).toBe('%zzA%4')
})

test('bytes that spell no UTF-8 are null, also beside a lone percent sign', () => {
  expect(decodePercent('%ff')).toBeNull()
  expect(decodePercent('%zz%c3%28')).toBeNull()
})
