import { describe, expect, test } from 'vitest'
import { FITS_END_WORDS, MISS_WORDS, REASON_WORDS, reasonWords } from './reason-words.ts'

describe('why hosts are kept out', () => {
  test.each([
    ['capability.missing', 'hw:x', 18, 'report nothing about hw:x'],
    ['capability.missing', 'hw:x', 1, 'reports nothing about hw:x'],
    [
      'demand.missing',
      null,
      2,
      'are in an aggregate that asks flavors for a certain key, which this one does not have',
    ],
    ['instances.limit', null, 1, 'has as many instances as it may'],
    ['short', 'VCPU', 3, 'have too little left of VCPU'],
  ])('%s about %s of %d', (code, key, hosts, words) => {
    expect(reasonWords(code, key, hosts)).toBe(words)
    expect(reasonWords(code, key, hosts)).not.toContain(code)
  })

  test('one host is told with a verb in the singular, whatever the reason', () => {
    const codes = Object.keys({ ...REASON_WORDS, ...MISS_WORDS, ...FITS_END_WORDS })
    expect(codes.length).toBeGreaterThan(40)
    const plural = /^(have|lack|do|are|were|report|say|cannot|could)\b/
    for (const code of codes) {
      expect(reasonWords(code, 'k', 2)).toMatch(plural)
      expect(reasonWords(code, 'k', 1)).toMatch(/^(has|lacks|does|is|was|reports|says|cannot|could)\b/)
    }
  })
})
