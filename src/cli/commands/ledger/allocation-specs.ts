import type { ByClass } from '../../../wire/openstack-placement.ts'
import { parseAmounts } from '../../args/amounts.ts'
import { makeUsageError } from '../../connection/client-failures.ts'

/** By the provider's name on the command line. */
type AllocationSpecs = ReadonlyMap<string, ByClass<number>>

/** `compute-1:VCPU=2,MEMORY_MB=4096`, or `compute-1:VCPU:2`. A name may contain colons; a class may not. */
export function parseAllocationSpecs(words: readonly string[]): AllocationSpecs {
  const specs = new Map<string, ByClass<number>>()
  for (const word of words) {
    const colon = providerEnd(word)
    const provider = word.slice(0, Math.max(0, colon))
    if (provider === '')
      throw makeUsageError(
        `'${word}' is not an allocation: write PROVIDER:CLASS=AMOUNT, such as compute-1:VCPU=2`,
      )
    if (specs.has(provider)) throw makeUsageError(`${provider} is given twice: join its classes with commas`)
    specs.set(provider, parseAmounts(provider, [word.slice(colon + 1)]))
  }
  return specs
}

/** The colon before the first class. There may be another between that class and its amount. */
export function providerEnd(word: string): number {
  const [first = ''] = word.split(',', 1)
  const last = first.lastIndexOf(':')
  return /^\d+$/.test(first.slice(last + 1)) ? first.lastIndexOf(':', last - 1) : last
}
