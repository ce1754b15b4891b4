import { type KeyName, keyOf } from './keys.ts'
import { groupDigits, lineOf } from './kinds.ts'

/** The default as help and reference show it. */
export function defaultText(name: KeyName): string {
  const key = keyOf(name)
  if (key.defaultSaid !== undefined) return key.defaultSaid
  const value = key.default
  if (value === null) return 'absent'
  if (typeof value === 'object') return lineOf(value) === '' ? 'empty' : `\`${lineOf(value)}\``
  return typeof value === 'number' ? groupDigits(value) : `\`${value}\``
}
