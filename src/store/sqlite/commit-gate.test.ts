import { expect, test } from 'vitest'
import { CommitGate } from './commit-gate.ts'

test('what one end says the other hears, for one batch after the other', () => {
  const here = new CommitGate()
  const there = new CommitGate(here.shared)
  here.reset()
  here.decide(true)
  expect(there.wait()).toBe(true)
  here.reset()
  here.decide(false)
  expect(there.wait()).toBe(false)
})
