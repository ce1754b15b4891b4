import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isUuidLike, makeTimedUuid, normalizeUuid } from './uuid.ts'

const usual = '0195c8de-12ab-4cde-8f01-23456789abcd'

test('a uuid in any of the spellings that OpenStack takes is one, and its usual form is the same', () => {
  const spellings = [
    usual,
    usual.toUpperCase(),
    usual.replaceAll('-', ''),
    `{${usual}}`,
    `urn:uuid:${usual}`,
    usual.replace('-', ''),
  ]
  for (const spelling of spellings) {
    expect(isUuidLike(spelling), spelling).toBe(true)
    expect(normalizeUuid(spelling), spelling).toBe(usual)
  }
})

test('what has too few digits, too many or others is none', () => {
  for (const text of ['', usual.slice(1), `${usual}0`, usual.replace('a', 'g'), `${usual}\n`, 7]) {
    expect(isUuidLike(text), String(text)).toBe(false)
    if (typeof text === 'string') expect(normalizeUuid(text)).toBeNull()
  }
})

test('a text of many braces and dashes is none', () => {
  expect(normalizeUuid(`{${usual}${'-'.repeat(200)}}`)).toBe(usual)
  expect(normalizeUuid(`${'{'.repeat(300)}${usual}`)).toBeNull()
  expect(normalizeUuid(`x${'{'.repeat(1_000_000)}x`)).toBeNull()
})

test('timed uuids are uuids of version 7 in the order of their times', () => {
  const times = [0, 1, 999, 1_763_280_000_000, 1_763_280_000_001, 2 ** 45]
  const made = times.map(nowMs => makeTimedUuid(nowMs, randomUUID()))
  for (const uuid of made)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect([...made].sort()).toEqual(made)
})
