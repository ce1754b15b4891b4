import { expect, test } from 'vitest'
import { Verdict } from './verdict.ts'

test('what one end says the other hears, for one batch after the other', () => {
  const here = new Verdict()
  const there = new Verdict(here.shared)
  here.leaveOpen()
  here.give(true)
  expect(there.wait()).toBe(true)
  here.leaveOpen()
  here.give(false)
  expect(there.wait()).toBe(false)
})
