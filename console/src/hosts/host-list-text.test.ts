import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packHosts, unpackHosts } from './host-list-text.ts'

test('any set of names comes back', () => {
  const name = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.integer({ min: 0, max: 3_000 }).map(number => `host-${number}.dc1.example.org`),
    fc.constantFrom('~', '~2e', '0.0.x', 'a*b', '1.2'),
  )
  fc.assert(
    fc.property(fc.array(name), names => {
      expect(new Set(unpackHosts(packHosts(names)))).toEqual(new Set(names))
    }),
  )
})

test('a thousand hosts fit in an address', () => {
  const names = Array.from(
    { length: 1_000 },
    (_, at) => `compute-${String(at * 7).padStart(5, '0')}.fra1.example.org`,
  )
  const text = new URLSearchParams({ hosts: packHosts(names) }).toString()
  expect(text.length).toBeLessThan(7_000)
})

test('what is no such text breaks nothing', () => {
  for (const text of ['', '*', '9.9.x', 'a.b.c', '%', '~', '-1.-1.z', '1.2'])
    expect(Array.isArray(unpackHosts(text))).toBe(true)
})
