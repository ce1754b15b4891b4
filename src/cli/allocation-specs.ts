import type { ByClass } from '../client/shapes.ts'
import { wrongUsage } from './client-failures.ts'

/** By what the provider is called on the command line. */
export type AllocationSpecs = ReadonlyMap<string, ByClass<number>>

/** `compute-1:VCPU=2,MEMORY_MB=4096`; a name may itself have colons, a class has none. */
export function parseAllocationSpecs(words: readonly string[]): AllocationSpecs {
  const specs = new Map<string, ByClass<number>>()
  for (const word of words) {
    const colon = word.lastIndexOf(':')
    const provider = word.slice(0, Math.max(0, colon))
    if (provider === '')
      throw wrongUsage(`'${word}' is no allocation: write PROVIDER:CLASS=AMOUNT, such as compute-1:VCPU=2`)
    if (specs.has(provider)) throw wrongUsage(`${provider} is given twice: join its classes with commas`)
    specs.set(provider, parseAmounts(provider, word.slice(colon + 1)))
  }
  return specs
}

function parseAmounts(provider: string, text: string): ByClass<number> {
  const amounts: Record<string, number> = {}
  for (const part of text.split(',')) {
    const [, name, amount] = /^([^=]+)=([1-9]\d*)$/.exec(part) ?? []
    if (name === undefined) throw wrongUsage(`${provider}: '${part}' is not CLASS=AMOUNT, such as VCPU=2`)
    if (Object.hasOwn(amounts, name)) throw wrongUsage(`${provider}: ${name} is given twice`)
    amounts[name] = Number(amount)
  }
  return amounts
}
