import { describe, expect, test } from 'vitest'
import { limitOf, nameOfCandidate, readAddress, withLimit, writeAddress } from './address.ts'

describe('the address of candidates', () => {
  test('has the request, and apart from it the candidate that is looked at', () => {
    const address = { request: 'resources=VCPU:1&limit=2', chosen: '0a1b2c3d' }
    expect(readAddress(`?${writeAddress(address)}`)).toEqual(address)
    expect(readAddress('resources=VCPU:1')).toEqual({ request: 'resources=VCPU:1', chosen: null })
  })

  test('the name of a candidate does not depend on order, and other allocations have another name', () => {
    const one = { a: { resources: { VCPU: 1, MEMORY_MB: 2 } }, b: { resources: { DISK_GB: 3 } } }
    const same = { b: { resources: { DISK_GB: 3 } }, a: { resources: { MEMORY_MB: 2, VCPU: 1 } } }
    expect(nameOfCandidate(one)).toMatch(/^[0-9a-f]{8}$/)
    expect(nameOfCandidate(same)).toBe(nameOfCandidate(one))
    expect(nameOfCandidate({ ...one, b: { resources: { DISK_GB: 4 } } })).not.toBe(nameOfCandidate(one))
  })

  test('a request without a limit gets one', () => {
    expect(withLimit('resources=VCPU:1')).toBe('resources=VCPU:1&limit=50')
    expect(withLimit('limit=2&resources=VCPU:1')).toBe('limit=2&resources=VCPU:1')
    expect(limitOf('limit=2&resources=VCPU:1')).toBe(2)
  })
})
