import { expect, test } from 'vitest'
import { findAggregatesOfRack, findRackName, findRackTitle } from './rack-name.ts'

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

test('a rack is found by its name, or by its title in any case', () => {
  const all = [
    { name: 'switch-1', metadata: { rack: 'b2' } },
    { name: 'switch-2', metadata: { rack: 'b2' } },
    { name: 'rack-b3', metadata: {} },
    { name: 'ssd', metadata: {} },
  ]
  const find = (rack: string) => findAggregatesOfRack(all, rack).map(({ name }) => name)
  for (const rack of ['b2', 'Rack b2', 'rack B2']) expect(find(rack)).toEqual(['switch-1', 'switch-2'])
  for (const rack of ['rack-b3', 'Rack-B3']) expect(find(rack)).toEqual(['rack-b3'])
  expect(find('B2')).toEqual([])
  expect(find('ssd')).toEqual([])
})
