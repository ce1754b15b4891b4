import { getOrCompute, memoizeByIdentity } from '../framework/memoize.ts'
import { type Note, quote } from '../framework/refusal.ts'
import { strip } from '../operators/python-text.ts'
import type { AggregateView } from './host-view.ts'

export interface AggregateRef {
  readonly id: number
  readonly uuid: string
  readonly name: string
}

export const refOf = ({ id, uuid, name }: AggregateView): AggregateRef => ({ id, uuid, name })

/** The metadata of one aggregate under a key: its text, and the values parsed from it. */
export interface MetadataEntry {
  readonly aggregate: AggregateRef
  readonly text: string
  readonly values: readonly string[]
}

export const aggregateText = ({ name }: AggregateRef): string => `aggregate ${name}`

/** Describes the found values with their aggregates. */
export const foundText = (found: readonly MetadataEntry[]): string =>
  found.map(({ aggregate, text }) => `${quote(text)} from ${aggregateText(aggregate)}`).join(' and ')

/** Describes the aggregates by their names. */
export const aggregatesText = (found: readonly MetadataEntry[]): string =>
  [...new Set(found.map(({ aggregate }) => `host aggregate ${quote(aggregate.name)}`))].join(' or ')

/** Metadata is a comma-separated list of trimmed values. There is at least one value, which may be empty. */
export const splitValues = (text: string): string[] => text.split(',').map(strip)

const foundByKey = memoizeByIdentity((_: AggregateView) => new Map<string, MetadataEntry>())

/** A key of an aggregate, parsed once. */
export function findEntry(aggregate: AggregateView, key: string): MetadataEntry | undefined {
  const text = aggregate.metadata.get(key)
  if (text === undefined) return undefined
  return getOrCompute(foundByKey(aggregate), key, () => ({
    aggregate: refOf(aggregate),
    text,
    values: splitValues(text),
  }))
}

/** A key in all aggregates of a host. */
export const findEntries = (aggregates: readonly AggregateView[], key: string): MetadataEntry[] =>
  aggregates.flatMap(aggregate => findEntry(aggregate, key) ?? [])

/** Whether any of them has the value. */
export const isNamed = (found: readonly MetadataEntry[], value: string): boolean =>
  found.some(({ values }) => values.includes(value))

export interface Least {
  readonly value: number
  /** Where the value comes from; empty for the default. */
  readonly from: readonly MetadataEntry[]
  readonly notes: readonly Note[]
}

/**
 * The smallest number that an aggregate sets under a key. Each text is one number, commas included. As in
 * Nova, all are ignored if one of them is not a number.
 */
export function findLeastNumber(
  aggregates: readonly AggregateView[],
  key: string,
  byDefault: number,
  read: (text: string) => number | null,
): Least {
  const found = findEntries(aggregates, key)
  if (found.length === 0) return { value: byDefault, from: [], notes: [] }
  const numbers = found.map(({ text }) => read(text))
  const least = Math.min(...numbers.map(number => number ?? Number.NaN))
  if (Number.isNaN(least))
    return {
      value: byDefault,
      from: [],
      notes: [unreadableNumber(key, found, byDefault)],
    }
  return { value: least, from: found.filter((_, at) => numbers[at] === least), notes: [] }
}

const unreadableNumber = (key: string, found: readonly MetadataEntry[], used: number): Note => ({
  code: 'number.unreadable',
  facts: { key, found, used },
  text: `${key} should be a number, and is not: ${foundText(found)}. ${used} was used instead.`,
})
