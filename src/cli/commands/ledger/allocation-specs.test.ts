import { describe, expect, test } from 'vitest'
import { parseAllocationSpecs } from './allocation-specs.ts'

describe('allocations on the command line', () => {
  test('the last colon parts the provider from its classes', () => {
    expect([...parseAllocationSpecs(['rack:1:VCPU=2,MEMORY_MB=512', 'nfs:DISK_GB=5'])]).toEqual([
      ['rack:1', { VCPU: 2, MEMORY_MB: 512 }],
      ['nfs', { DISK_GB: 5 }],
    ])
  })

  test('amounts may be written as Placement writes them', () => {
    expect([...parseAllocationSpecs(['rack:1:VCPU:2,MEMORY_MB:512', 'a:DISK_GB=1,VCPU:3'])]).toEqual([
      ['rack:1', { VCPU: 2, MEMORY_MB: 512 }],
      ['a', { DISK_GB: 1, VCPU: 3 }],
    ])
  })

  test.each([
    [['VCPU=2'], "'VCPU=2' is not an allocation"],
    [['a:VCPU'], "a: 'VCPU' is not CLASS=AMOUNT"],
    [['VCPU:2'], "'VCPU:2' is not an allocation"],
    [['a:VCPU=0'], "a: 'VCPU=0' is not CLASS=AMOUNT"],
    [['a:VCPU=1,VCPU=2'], 'a: VCPU is given twice'],
    [['a:VCPU=1', 'a:DISK_GB=2'], 'a is given twice'],
  ])('%j is refused', (words, line) => {
    expect(() => parseAllocationSpecs(words)).toThrow(line)
  })
})
