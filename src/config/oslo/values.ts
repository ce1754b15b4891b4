import { stripEnd } from '../../kernel/strip.ts'
import type { OptionType, OptionValue } from './option.ts'
import { trimSpace } from './space.ts'

type ValueReading =
  | { readonly ok: true; readonly value: OptionValue }
  | { readonly ok: false; readonly wrong: string; readonly allowed: string }

const TRUE = ['true', '1', 'on', 'yes']
/** The most digits that are exact in a JavaScript number. */
const DIGITS_MAX = 15
const FALSE = ['false', '0', 'off', 'no']

/** Parses the text of an option with oslo.config's types. */
export function readValue(type: OptionType, text: string): ValueReading {
  switch (type) {
    case 'text':
      return { ok: true, value: text }
    case 'boolean':
      return readBoolean(text.toLowerCase())
    case 'integer':
      return readInteger(trimSpace(text))
    case 'list':
      return { ok: true, value: itemsIn(stripEnd(trimSpace(text), ',')) }
    default:
      return type satisfies never
  }
}

function readBoolean(word: string): ValueReading {
  if (TRUE.includes(word)) return { ok: true, value: true }
  if (FALSE.includes(word)) return { ok: true, value: false }
  return { ok: false, wrong: 'is neither true nor false', allowed: 'true or false' }
}

/** As in Python, digits may be separated by underscores. */
function readInteger(text: string): ValueReading {
  const digits = /^[+-]?\d+(?:_\d+)*$/.test(text) ? text.replaceAll('_', '') : ''
  return digits === '' || digits.replace(/^[+-]/, '').length > DIGITS_MAX
    ? { ok: false, wrong: 'is not a whole number', allowed: 'a whole number' }
    : { ok: true, value: Number(digits) + 0 }
}

/** Empty items count, except at the end. */
const itemsIn = (text: string): string[] => (text === '' ? [] : text.split(',').map(trimSpace))
