/** Text as Python reads it, where JavaScript reads it otherwise: blanks, numbers, yes and no. */

// What str.split() and str.strip() take for a blank. \s of JavaScript has U+FEFF and lacks U+001C to U+001F and U+0085.
const SEPARATORS = '\\x1c-\\x1f'
const OTHER_BLANKS = '\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const BLANK = new RegExp(`[${OTHER_BLANKS}${SEPARATORS}]`)
const BLANKS = new RegExp(`[${OTHER_BLANKS}${SEPARATORS}]+`)
// float() is less generous at the ends than split() is: the separators make no number.
const BLANK_BY_NUMBER = new RegExp(`[${OTHER_BLANKS}]`)

/** As `text.split()`. */
export const wordsOf = (text: string): string[] => text.split(BLANKS).filter(word => word !== '')

/** As `text.strip()`. */
export const stripped = (text: string): string => withoutEnds(text, BLANK)

export const hasBlank = (text: string): boolean => BLANK.test(text)

/** By hand: an expression for the end of a text tries every run of blanks inside it, again and again. */
function withoutEnds(text: string, blank: RegExp): string {
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

/** As `float(text)`; null where that raises. */
export function floatOf(text: string): number | null {
  const bare = withAsciiDigits(withoutEnds(text, BLANK_BY_NUMBER))
  if (DECIMAL.test(bare)) return Number(bare.replaceAll('_', ''))
  const named = NAMED.exec(bare)
  if (named === null) return null
  if (named[2] === undefined) return Number.NaN
  return named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** As `int(text)`, as far as a number holds it; null where that raises. */
export function integerOf(text: string): number | null {
  const bare = withAsciiDigits(withoutEnds(text, BLANK_BY_NUMBER))
  return INTEGER.test(bare) ? Number(bare.replaceAll('_', '')) : null
}

const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu
const IS_DIGIT = /^\p{Nd}$/u

/** Digits of every script count as numbers. */
const withAsciiDigits = (text: string): string =>
  text.replaceAll(OTHER_DIGITS, digit => String(valueOfDigit(digit.codePointAt(0) as number)))

// Unicode lays digits out in runs of ten from zero to nine; runs may follow one another.
function valueOfDigit(codePoint: number): number {
  let zero = codePoint
  while (IS_DIGIT.test(String.fromCodePoint(zero - 1))) zero--
  return (codePoint - zero) % 10
}

const YES = new Set(['1', 't', 'true', 'on', 'y', 'yes'])
const NO = new Set(['0', 'f', 'false', 'off', 'n', 'no'])

/** What OpenStack takes for a yes or a no; null for everything else. */
export function yesOrNoOf(text: string): boolean | null {
  const bare = stripped(text).toLowerCase()
  if (YES.has(bare)) return true
  return NO.has(bare) ? false : null
}
