import { list, type Reading } from './kinds.ts'

/** Pairs in the form of OpenTelemetry's headers and attributes: values are percent-encoded. */
export const pairs = list('`name=value` items, values percent-encoded', 'name=value,...', item => {
  if (!/^[^=]+=/.test(item)) return 'is not name=value'
  try {
    decodeURIComponent(item)
    return null
  } catch {
    return 'is not percent-encoded'
  }
})

/** Headers may contain a secret key, so not even an invalid one is shown. */
export const secretPairs: typeof pairs = {
  ...pairs,
  fromText: text => hideItem(pairs.fromText(text)),
  fromJson: value => hideItem(pairs.fromJson(value)),
  shown: items => (items.length === 0 ? '' : '***'),
}

const hideItem = <T>(reading: Reading<T>): Reading<T> =>
  reading.ok ? reading : { ok: false, wrong: 'has an item that is not name=value, percent-encoded' }

/** The name and the value of an item that was checked. */
export function readPair(item: string): [name: string, value: string] {
  const equals = item.indexOf('=')
  return [item.slice(0, equals).trim(), decodeURIComponent(item.slice(equals + 1).trim())]
}
