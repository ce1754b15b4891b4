import { expect, test } from 'vitest'
import { findRackName, findRackTitle } from './rack-name.ts'

test('a host aggregate is a rack by its metadata or by how its name begins; metadata comes first', () => {
  expect(findRackName({ name: 'first', metadata: { rack: 'one' } })).toBe('one')
  expect(findRackName({ name: 'rack-1', metadata: { rack: 'b1' } })).toBe('b1')
  expect(findRackName({ name: 'Rack 7', metadata: {} })).toBe('Rack 7')
  expect(findRackName({ name: 'rackspace', metadata: {} })).toBeNull()
  expect(findRackName({ name: 'fast', metadata: { ssd: 'true' } })).toBeNull()
})

test('the title has the word rack once', () => {
  expect(findRackTitle({ name: 'r', metadata: { rack: 'b2' } })).toBe('Rack b2')
  expect(findRackTitle({ name: 'rack-b2', metadata: {} })).toBe('rack-b2')
  expect(findRackTitle({ name: 'ssd', metadata: {} })).toBeNull()
})
