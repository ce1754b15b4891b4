import { expect, test } from 'vitest'
import { decodings } from './address-part.ts'

test('a part of the address stands for a name, also when it is malformed or has a percent sign', () => {
  expect(decodings('Acme%3A%3AStorage')[0]).toBe('Acme::Storage')
  expect(decodings('50%')).toEqual(['50%'])
  expect(decodings('%E0%A4')).toEqual(['%E0%A4'])
  expect(decodings('a%41')).toContain('a%41')
})
