import { flag, integer, list } from '../kinds.ts'
import type { OptionType, OptionValue } from './option.ts'

type ValueReading =
  | { readonly ok: true; readonly value: OptionValue }
  | { readonly ok: false; readonly wrong: string; readonly allowed: string }

const INT_MAX = Number.MAX_SAFE_INTEGER
const kinds = {
  boolean: flag(),
  integer: integer(-INT_MAX, INT_MAX),
  list: list('', '', () => null),
}
const ALLOWED = { boolean: 'true or false', integer: 'a whole number', list: 'items with commas between' }

/** The value of an option from its text, by oslo.config's types. */
export function readValue(type: OptionType, text: string): ValueReading {
  if (type === 'text') return { ok: true, value: text }
  const reading = kinds[type].fromText(text)
  return reading.ok ? reading : { ...reading, allowed: ALLOWED[type] }
}
