import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeSampler } from './sampler.ts'

const parent = (isSampled: boolean) => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  isSampled,
  state: '',
})
const traceIds = fc.stringMatching(/^[0-9a-f]{32}$/)

test('a parent decides for parentbased samplers, and for no other', () => {
  for (const isSampled of [true, false]) {
    expect(makeSampler('parentbased_always_off', 1)('f'.repeat(32), parent(isSampled))).toBe(isSampled)
    expect(makeSampler('parentbased_traceidratio', 0)('f'.repeat(32), parent(isSampled))).toBe(isSampled)
    expect(makeSampler('always_on', 0)('f'.repeat(32), parent(isSampled))).toBe(true)
    expect(makeSampler('always_off', 1)('f'.repeat(32), parent(isSampled))).toBe(false)
  }
  expect(makeSampler('parentbased_always_on', 0)('f'.repeat(32), null)).toBe(true)
})

test('a ratio takes all, none, or a part that a larger ratio takes as well', () => {
  fc.assert(
    fc.property(traceIds, fc.double({ min: 0, max: 1, noNaN: true }), (traceId, ratio) => {
      expect(makeSampler('traceidratio', 1)(traceId, null)).toBe(true)
      expect(makeSampler('traceidratio', 0)(traceId, null)).toBe(false)
      if (makeSampler('traceidratio', ratio / 2)(traceId, null))
        expect(makeSampler('traceidratio', ratio)(traceId, null)).toBe(true)
    }),
  )
  expect(makeSampler('traceidratio', 1)('f'.repeat(32), null)).toBe(true)
  const last = (hex: string) => `${'f'.repeat(19)}${hex}`
  expect(makeSampler('traceidratio', 0.5)(last('7ffffffffffff'), null)).toBe(true)
  expect(makeSampler('traceidratio', 0.5)(last('8000000000000'), null)).toBe(false)
})
