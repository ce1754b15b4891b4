import { expect, test } from 'vitest'
import { acceptsJson, choosePreferred } from './accept.ts'

const OFFERS = ['text/html', 'application/json']
const best = (header: string | undefined) => choosePreferred(header, OFFERS)

test('without a header the first offer is taken', () => {
  expect(best(undefined)).toBe('text/html')
})

test('an empty header accepts nothing', () => {
  expect(best('')).toBeNull()
})

test('the higher quality wins, then the order of the offers', () => {
  expect(best('text/html;q=0.5, application/json;q=0.6')).toBe('application/json')
  expect(best('application/json, text/html')).toBe('text/html')
  expect(best('*/*')).toBe('text/html')
})

test('the closest range decides, not the most generous', () => {
  expect(best('text/*;q=0.1, text/html;q=0, */*;q=0.2')).toBe('application/json')
  expect(best('*/*;q=0.2, application/*;q=0.9')).toBe('application/json')
})

test('of a range given twice the first counts', () => {
  expect(best('application/json;q=0, application/json')).toBeNull()
})

test('quality 0 refuses', () => {
  expect(best('application/json;q=0')).toBeNull()
  expect(best('application/json;q=0.000, text/plain')).toBeNull()
})

test('a range with parameters does not match a plain offer, a wildcard with parameters does', () => {
  expect(best('application/json;level=1')).toBeNull()
  expect(best('application/*;level=1')).toBe('application/json')
})

test('types are compared without case', () => {
  expect(best('Application/JSON')).toBe('application/json')
})

test('a header that breaks the grammar counts as none', () => {
  for (const broken of [
    'pony',
    'a/b;q=2',
    'a/b;q=0.1234',
    'a/b;x',
    ' a/b',
    'a/b;x="',
    'a/b c/d',
    '*',
    'a/b, ',
  ])
    expect(best(broken), broken).toBe('text/html')
})

test('empty list elements, quoted parameters and extensions are allowed', () => {
  expect(best(',,application/json')).toBe('application/json')
  expect(best('application/json;q=0.5;ext;other="a\\"b"')).toBe('application/json')
  expect(best('text/plain;p="a,b;q=1", application/json ,')).toBe('application/json')
})

test('acceptsJson: a browser is served by its last wildcard, text/plain alone is not', () => {
  expect(acceptsJson('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')).toBe(true)
  expect(acceptsJson('text/html,application/xhtml+xml,application/xml;q=0.9')).toBe(false)
  expect(acceptsJson('text/plain')).toBe(false)
  expect(acceptsJson('')).toBe(true)
  expect(acceptsJson('not an accept header')).toBe(true)
})

test('a hostile header of 64 KiB is read in linear time', () => {
  const started = performance.now()
  for (const bait of ['a/b;', 'a/b;x="', 'a/b; ', 'a/b,', '"'])
    best(bait.repeat(Math.ceil(65_536 / bait.length)))
  best(`a/b${' '.repeat(65_000)}x`)
  expect(performance.now() - started).toBeLessThan(5000)
})
