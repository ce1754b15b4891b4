import { expect, test } from 'vitest'
import { findRackName } from './rack-name.ts'

test('a host aggregate is a rack by its metadata or by how its name begins; metadata comes first', () => {
  expect(findRackName({ name: 'first', metadata: { rack: 'one' } })).toBe('one')
  expect(findRackName({ name: 'rack-1', metadata: { rack: 'b1' } })).toBe('b1')
  expect(findRackName({ name: 'Rack 7', metadata: {} })).toBe('Rack 7')
  expect(findRackName({ name: 'rackspace', metadata: {} })).toBeNull()
  expect(findRackName({ name: 'fast', metadata: { ssd: 'true' } })).toBeNull()
})
