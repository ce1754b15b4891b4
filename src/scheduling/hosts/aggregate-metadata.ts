import { knownOr, memoizeByIdentity } from '../framework/memoize.ts'
import { type MetadataEntry, type Note, note, refOf } from '../framework/refusal.ts'
import { stripped } from '../operators/python-text.ts'
import type { AggregateView } from './host-view.ts'

/** Metadata is a list of values, split at commas, without the blanks around them. It has at least one, maybe empty. */
export const valuesIn = (text: string): string[] => text.split(',').map(stripped)

const foundByKey = memoizeByIdentity((_: AggregateView) => new Map<string, MetadataEntry>())

/** What an aggregate says under a key, worked out once. */
export function foundIn(aggregate: AggregateView, key: string): MetadataEntry | undefined {
  const text = aggregate.metadata.get(key)
  if (text === undefined) return undefined
  return knownOr(foundByKey(aggregate), key, () => ({
    aggregate: refOf(aggregate),
    text,
    values: valuesIn(text),
  }))
}

/** What all aggregates of a host say under a key. */
export const allFound = (aggregates: readonly AggregateView[], key: string): MetadataEntry[] =>
  aggregates.flatMap(aggregate => foundIn(aggregate, key) ?? [])

/** Whether any of them names the value. */
export const isNamed = (found: readonly MetadataEntry[], value: string): boolean =>
  found.some(({ values }) => values.includes(value))

export interface Least {
  readonly value: number
  /** Who says so; nobody where the default counts. */
  readonly from: readonly MetadataEntry[]
  readonly notes: readonly Note[]
}

/**
 * The least of the numbers that aggregates set under a key. Each text is one number, commas and all; where one of them
 * is none, nobody is heard, as in Nova.
 */
export function leastNumber(
  aggregates: readonly AggregateView[],
  key: string,
  byDefault: number,
  read: (text: string) => number | null,
): Least {
  const found = allFound(aggregates, key)
  if (found.length === 0) return { value: byDefault, from: [], notes: [] }
  const numbers = found.map(({ text }) => read(text))
  const least = Math.min(...numbers.map(number => number ?? Number.NaN))
  if (Number.isNaN(least))
    return {
      value: byDefault,
      from: [],
      notes: [note('number.unreadable', { key, found, used: byDefault })],
    }
  return { value: least, from: found.filter((_, at) => numbers[at] === least), notes: [] }
}
