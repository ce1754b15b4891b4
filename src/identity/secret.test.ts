import { expect, test } from 'vitest'
import { generateSecret } from './secret.ts'

test('a secret is 32 random bytes as text', () => {
  expect(generateSecret()).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{42}$/)
  expect(generateSecret()).not.toBe(generateSecret())
})

test('a secret is never taken for an option of a command line', () => {
  const firstBytes = [0xfb, 0xf8, 0x00]
  const secret = generateSecret(count => Buffer.alloc(count, firstBytes.shift()))
  expect(secret).toBe('A'.repeat(43))
})
