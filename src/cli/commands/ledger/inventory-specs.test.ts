import { describe, expect, test } from 'vitest'
import { amended, parseInventorySpecs, replaced } from './inventory-specs.ts'

describe('inventories on the command line', () => {
  test('a total, bare or by name, and the rest by name', () => {
    const specs = parseInventorySpecs(['VCPU=64,allocation_ratio=1.5', 'DISK_GB=reserved=2,total=9'])
    expect(replaced(specs)).toEqual({
      VCPU: { total: 64, allocation_ratio: 1.5 },
      DISK_GB: { reserved: 2, total: 9 },
    })
  })

  test('a colon stands for an equals sign', () => {
    expect(replaced(parseInventorySpecs(['VCPU:64,reserved:2', 'DISK_GB:total=9']))).toEqual({
      VCPU: { total: 64, reserved: 2 },
      DISK_GB: { total: 9 },
    })
  })

  test.each([
    [['VCPU'], "'VCPU' is not an inventory"],
    [['=5'], "'=5' is not an inventory"],
    [['VCPU=1', 'VCPU=2'], 'VCPU is given twice'],
    [['VCPU=1,2'], 'VCPU: total is given twice'],
    [['VCPU=1,ratio=2'], 'VCPU: there is no ratio; there are total, reserved'],
    [['VCPU=1.5'], "VCPU: '1.5' is not a number for total"],
    [['VCPU=-1'], "VCPU: '-1' is not a number for total"],
    [['VCPU='], "VCPU: '' is not a number for total"],
  ])('%j is refused', (words, line) => {
    expect(() => parseInventorySpecs(words)).toThrow(line)
  })

  const current = {
    VCPU: { total: 8, reserved: 1, min_unit: 1, max_unit: 8, step_size: 1, allocation_ratio: 4 },
    DISK_GB: { total: 9, reserved: 0, min_unit: 1, max_unit: 9, step_size: 1, allocation_ratio: 1 },
  }

  test('amending keeps the other classes, and what is not mentioned', () => {
    const specs = parseInventorySpecs(['VCPU=reserved=2', 'MEMORY_MB=1024'])
    expect(amended(current, specs)).toEqual({
      VCPU: { ...current.VCPU, reserved: 2 },
      DISK_GB: current.DISK_GB,
      MEMORY_MB: { total: 1024 },
    })
  })

  test('what is new needs a total', () => {
    expect(() => amended(current, parseInventorySpecs(['MEMORY_MB=reserved=1']))).toThrow(
      'MEMORY_MB needs a total',
    )
    expect(() => replaced(parseInventorySpecs(['VCPU=reserved=1']))).toThrow('VCPU needs a total')
  })
})
