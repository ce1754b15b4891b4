import { describe, expect, test } from 'vitest'
import { HOSTS_TEXT_CODES, hostsText } from './refusal-text.ts'

describe('why hosts are kept out', () => {
  test.each([
    ['capability.missing', 'hw:x', 18, 'do not report hw:x'],
    ['capability.missing', 'hw:x', 1, 'does not report hw:x'],
    [
      'demand.missing',
      null,
      2,
      'are in an aggregate that asks flavors for a certain key, which this one does not have',
    ],
    ['instances.limit', null, 1, 'has reached the limit of instances'],
    ['short', 'VCPU', 3, 'have too little VCPU'],
  ])('%s about %s of %d', (code, key, hosts, words) => {
    expect(hostsText(code, key, hosts)).toBe(words)
    expect(hostsText(code, key, hosts)).not.toContain(code)
  })

  test('every reason has a text in the singular for one host', () => {
    expect(HOSTS_TEXT_CODES.length).toBeGreaterThan(40)
    const plural = /^(have|lack|do|are|were|report|say|cannot|could)\b/
    for (const code of HOSTS_TEXT_CODES) {
      expect(hostsText(code, 'k', 2)).toMatch(plural)
      expect(hostsText(code, 'k', 1)).toMatch(/^(has|lacks|does|is|was|reports|says|cannot|could)\b/)
    }
  })
})
