import { makeUsageError } from '../connection/client-failures.ts'

/** `VCPU=2,MEMORY_MB=512`, or with colons as in Placement. `where` starts the error message. */
export function parseAmounts(where: string, words: readonly string[]): Record<string, number> {
  const amounts = new Map<string, number>()
  for (const part of words.flatMap(word => word.split(','))) {
    const [, name, amount] = /^([A-Z0-9_]+)[=:]([1-9]\d{0,9})$/.exec(part.trim()) ?? []
    if (name === undefined) throw makeUsageError(`${where}: '${part}' is not CLASS=AMOUNT, such as VCPU=2`)
    if (amounts.has(name)) throw makeUsageError(`${where}: ${name} is given twice`)
    amounts.set(name, Number(amount))
  }
  return Object.fromEntries(amounts)
}

/** The same as a value of Placement's `resources` parameter. */
export const resourcesParameter = (where: string, words: readonly string[]): string =>
  Object.entries(parseAmounts(where, words))
    .map(([name, amount]) => `${name}:${amount}`)
    .join(',')
