/** Text as Python parses it, where JavaScript differs: blanks, numbers, booleans. */

// Blanks of str.split() and str.strip(). JavaScript's \s has U+FEFF and lacks U+001C to U+001F and U+0085.
const SEPARATORS = '\\x1c-\\x1f'
const OTHER_BLANKS = '\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const BLANK = new RegExp(`[${OTHER_BLANKS}${SEPARATORS}]`)
const BLANKS = new RegExp(`[${OTHER_BLANKS}${SEPARATORS}]+`)
// float() allows fewer blanks around than split(): not the separators.
const BLANK_BY_NUMBER = new RegExp(`[${OTHER_BLANKS}]`)

/** As `text.split()`. */
export const splitWords = (text: string): string[] => text.split(BLANKS).filter(word => word !== '')

/** As `text.strip()`. */
export const strip = (text: string): string => trimEnds(text, BLANK)

export const hasBlank = (text: string): boolean => BLANK.test(text)

/** By hand: a regular expression for the end of a text tries every run of blanks inside it. */
function trimEnds(text: string, blank: RegExp): string {
  let from = 0
  let to = text.length
  while (from < to && blank.test(text[from] as string)) from++
  while (from < to && blank.test(text[to - 1] as string)) to--
  return text.slice(from, to)
}

const DIGITS = '[0-9]+(?:_[0-9]+)*'
const DECIMAL = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`)
const INTEGER = new RegExp(`^[+-]?${DIGITS}$`)
const NAMED = /^([+-]?)(?:(inf|infinity)|nan)$/i

/** As `float(text)`; null if that raises. */
export function parseFloat64(text: string): number | null {
  const bare = toAsciiDigits(trimEnds(text, BLANK_BY_NUMBER))
  if (DECIMAL.test(bare)) return Number(bare.replaceAll('_', ''))
  const named = NAMED.exec(bare)
  if (named === null) return null
  if (named[2] === undefined) return Number.NaN
  return named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** As `int(text)`, rounded to a number; null if that raises. */
export function parseInteger(text: string): number | null {
  const bare = toAsciiDigits(trimEnds(text, BLANK_BY_NUMBER))
  return INTEGER.test(bare) ? Number(bare.replaceAll('_', '')) : null
}

const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu
const IS_DIGIT = /^\p{Nd}$/u

/** Digits of every script count. */
const toAsciiDigits = (text: string): string =>
  text.replaceAll(OTHER_DIGITS, digit => String(findDigitValue(digit.codePointAt(0) as number)))

// Unicode has digits in runs of ten from zero to nine; runs may follow one another.
function findDigitValue(codePoint: number): number {
  let zero = codePoint
  while (IS_DIGIT.test(String.fromCodePoint(zero - 1))) zero--
  return (codePoint - zero) % 10
}

const YES = new Set(['1', 't', 'true', 'on', 'y', 'yes'])
const NO = new Set(['0', 'f', 'false', 'off', 'n', 'no'])

/** OpenStack's booleans; null for everything else. */
export function parseYesOrNo(text: string): boolean | null {
  const bare = strip(text).toLowerCase()
  if (YES.has(bare)) return true
  return NO.has(bare) ? false : null
}
