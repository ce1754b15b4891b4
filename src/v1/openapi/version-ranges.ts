import type { Service } from '../../http/service.ts'
import type { Json } from '../../kernel/json.ts'

/** Microversions that have the same features, from the first of them to the last. */
export interface VersionSpan<Features> {
  /** Null where the service has no versions. */
  readonly first: string | null
  readonly last: string | null
  readonly features: Features
}

/** The versions of a service, oldest first. Adjacent versions with the same features are one span. */
export function versionSpans<F>({ versions }: Pick<Service<F>, 'versions'>): VersionSpan<F>[] {
  if (versions === null) return [{ first: null, last: null, features: {} as F }]
  const [major, minorMin] = versions.min.split('.').map(Number) as [number, number]
  const minorMax = Number(versions.max.split('.')[1])
  const spans: VersionSpan<F>[] = []
  for (let minor = minorMin; minor <= minorMax; minor++) {
    const features = versions.featuresOf(minor)
    const name = `${major}.${minor}`
    const before = spans.at(-1)
    if (before !== undefined && JSON.stringify(before.features) === JSON.stringify(features))
      spans[spans.length - 1] = { ...before, last: name }
    else spans.push({ first: name, last: name, features })
  }
  return spans
}

/** Adjacent versions with the same value. */
export interface VersionRange<T> {
  readonly first: string | null
  /** Null: it has not ended. */
  readonly last: string | null
  readonly value: T
}

/** The value of something by version. Undefined: it does not exist in that version. */
export function rangesOf<F, T>(
  spans: readonly VersionSpan<F>[],
  find: (features: F) => T | undefined,
): VersionRange<T>[] {
  const ranges: (VersionRange<T> & { readonly text: string })[] = []
  let isOpen = false
  for (const { first, last, features } of spans) {
    const value = find(features)
    const text = JSON.stringify(value)
    const before = ranges.at(-1)
    if (value !== undefined && isOpen && before?.text === text)
      ranges[ranges.length - 1] = { ...before, last }
    else if (value !== undefined) ranges.push({ first, last, value, text })
    isOpen = value !== undefined
  }
  const newest = spans.at(-1)?.last
  return ranges.map(({ first, last, value }) => ({ first, last: last === newest ? null : last, value }))
}

/** As OpenStack's own documents name the versions of an operation, a parameter or a schema. */
export function versionMarks({ first, last }: VersionRange<unknown>, more: Json = {}): Json {
  const marks = {
    ...more,
    ...(first === null ? {} : { 'min-ver': first }),
    ...(last === null ? {} : { 'max-ver': last }),
  }
  return Object.keys(marks).length === 0 ? {} : { 'x-openstack': marks }
}

/** The first and the last version of all ranges, ignoring gaps. */
export function spanOf(ranges: readonly VersionRange<unknown>[]): VersionRange<null> {
  return { first: ranges[0]?.first ?? null, last: ranges.at(-1)?.last ?? null, value: null }
}
