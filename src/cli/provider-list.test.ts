import { expect, test } from 'vitest'
import { globMatcher } from './provider-list.ts'

test.each([
  ['compute-*', 'compute-12', true],
  ['compute-?', 'compute-12', false],
  ['*.example.org', 'a.example.org', true],
  ['*.example.org', 'a-example-org', false],
  ['[a]*', '[a]bc', true],
  ['**', '', true],
])('glob %s against %s: %s', (glob, name, matches) => expect(globMatcher(glob)(name)).toBe(matches))
