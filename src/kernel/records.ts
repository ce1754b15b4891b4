/**
 * Objects whose keys come from outside. A plain `{}` loses `__proto__` when it is written, and has a
 * `constructor` when it is read. A repository rule forbids such indexing.
 */
export const emptyRecord = <T>(): Record<string, T> => Object.create(null) as Record<string, T>

/** Undefined also for inherited members. */
export const ownValue = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** The text of a JSON value. `String` throws for an object with a member `toString`. */
export const jsonText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

/** An object with exactly these keys; the type of `Object.fromEntries` loses them. */
export function recordOf<K extends string, V>(entries: Iterable<readonly [K, V]>): { readonly [N in K]: V } {
  return Object.fromEntries(entries) as { [N in K]: V }
}
