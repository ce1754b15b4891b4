import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { generateSecret, sha256 } from './secret.ts'

test('secrets have 32 random bytes as text, and no hyphen in front', () => {
  const all = Array.from({ length: 500 }, generateSecret)
  expect(new Set(all).size).toBe(500)
  for (const one of all) expect(one).toMatch(/^[\w][\w-]{42}$/)
})

test('the hash is the one that the server computes', async () => {
  expect(await sha256('grünes Tor')).toBe(hash('sha256', 'grünes Tor', 'hex'))
})
