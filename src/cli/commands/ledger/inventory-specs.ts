import { ownValue } from '../../../kernel/records.ts'
import type { Inventory } from '../../../wire/fleet.ts'
import type { ByClass } from '../../../wire/openstack-placement.ts'
import { makeUsageError } from '../../connection/client-failures.ts'

/** The fields of one inventory on the command line. */
export type InventorySpec = { -readonly [K in keyof Inventory]?: number }

const KEYS = ['total', 'reserved', 'min_unit', 'max_unit', 'step_size', 'allocation_ratio'] as const

/**
 * `VCPU=64,reserved=2,allocation_ratio=16`, or `VCPU:64,...`: the total with or without its name, other
 * fields by name.
 */
export function parseInventorySpecs(words: readonly string[]): Map<string, InventorySpec> {
  const specs = new Map<string, InventorySpec>()
  for (const word of words) {
    const sign = word.search(/[=:]/)
    const name = word.slice(0, Math.max(0, sign))
    if (name === '') throw makeUsageError(`'${word}' is not an inventory: write CLASS=TOTAL, such as VCPU=64`)
    if (specs.has(name)) throw makeUsageError(`${name} is given twice`)
    specs.set(name, parseSpec(name, word.slice(sign + 1)))
  }
  return specs
}

function parseSpec(name: string, text: string): InventorySpec {
  const spec: InventorySpec = {}
  for (const part of text.split(',')) {
    const sign = part.search(/[=:]/)
    const key = sign < 0 ? 'total' : part.slice(0, sign)
    const known = KEYS.find(one => one === key)
    if (known === undefined) throw makeUsageError(`${name}: there is no ${key}; there are ${KEYS.join(', ')}`)
    if (spec[known] !== undefined) throw makeUsageError(`${name}: ${known} is given twice`)
    spec[known] = parseAmount(name, known, part.slice(sign + 1))
  }
  return spec
}

function parseAmount(name: string, key: string, text: string): number {
  const form = key === 'allocation_ratio' ? /^\d+(\.\d+)?$/ : /^\d+$/
  if (!form.test(text)) throw makeUsageError(`${name}: '${text}' is not a number for ${key}`)
  return Number(text)
}

export function replaced(specs: ReadonlyMap<string, InventorySpec>): ByClass<InventorySpec> {
  for (const [name, spec] of specs) if (spec.total === undefined) throw totalMissing(name)
  return Object.fromEntries(specs)
}

export function amended(
  current: ByClass<Inventory>,
  specs: ReadonlyMap<string, InventorySpec>,
): ByClass<InventorySpec> {
  const merged = new Map<string, InventorySpec>(Object.entries(current))
  for (const [name, spec] of specs) {
    const before = ownValue(current, name)
    if (before === undefined && spec.total === undefined) throw totalMissing(name)
    merged.set(name, { ...before, ...spec })
  }
  return Object.fromEntries(merged)
}

const totalMissing = (name: string) => makeUsageError(`${name} needs a total: write ${name}=TOTAL`)
