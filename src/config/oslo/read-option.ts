import type { OptionValue, OsloOption } from './option.ts'
import { type OptionValues, ReferenceRefused, type Written } from './option-values.ts'
import { trimSpace } from './space.ts'
import { readValue } from './values.ts'

/** Null if it is set to nothing, which counts as not set. */
type OptionReading =
  | { readonly ok: true; readonly value: OptionValue | null }
  | { readonly ok: false; readonly wrong: string; readonly remedy: string }

/** The value of an option of this group by its type, with references resolved. */
export function readOption(
  values: OptionValues,
  option: OsloOption,
  group: string,
  written: Written,
): OptionReading {
  try {
    const text = values.interpolate(written.text, group)
    // An empty list is a list, and an empty boolean is an error. For other types, an empty value means that
    // the option is not set.
    const mayBeEmpty = option.type === 'list' || option.type === 'boolean'
    if (!mayBeEmpty && trimSpace(text) === '') return { ok: true, value: null }
    const reading = readValue(option.type, text)
    return reading.ok ? reading : { ok: false, wrong: reading.wrong, remedy: `write ${reading.allowed}` }
  } catch (error) {
    if (!(error instanceof ReferenceRefused)) throw error
    return { ok: false, wrong: error.message, remedy: 'correct it' }
  }
}
