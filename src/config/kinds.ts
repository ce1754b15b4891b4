/** The types of values, each with a parser for text and one for JSON. */
import { stripEnd } from '../kernel/strip.ts'

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly wrong: string }

export interface Kind<T> {
  /** Shown in the reference, e.g. `integer`. */
  readonly type: string
  /** What may be written, e.g. `0 to 65535`. */
  readonly allowed: string
  /** The placeholder in `--help`. */
  readonly placeholder: string
  /** From a flag or an environment variable. */
  fromText(text: string): Reading<T>
  /** From the configuration file. */
  fromJson(value: unknown): Reading<T>
  /** The value without its secrets; absent if it has none. */
  shown?(value: T): string
}

const accept = <T>(value: T): Reading<T> => ({ ok: true, value })
const reject = (text: string): Reading<never> => ({ ok: false, wrong: text })

export function words(allowed: string, placeholder: string): Kind<string> {
  const check = (text: string) =>
    text.trim() === '' ? reject('is empty') : text.includes('\0') ? reject('holds a NUL') : accept(text)
  return {
    type: 'text',
    allowed,
    placeholder,
    fromText: check,
    fromJson: value => (typeof value === 'string' ? check(value) : reject('is not a JSON string')),
  }
}

export const DATABASE_URL = /^(postgres(ql)?|(mysql|mariadb)(\+[a-z0-9_]+)?):\/\//

/** It may contain a password, which is never shown. */
export function databaseUrl(): Kind<string> {
  const check = (text: string) =>
    DATABASE_URL.test(text) ? accept(text) : reject('does not begin with postgres://, mysql:// or mariadb://')
  return {
    type: 'text',
    allowed: '`postgres://…`, `mysql://…`, `mariadb://…`',
    placeholder: 'url',
    fromText: check,
    fromJson: value => (typeof value === 'string' ? check(value) : reject('is not a JSON string')),
    shown: withoutPassword,
  }
}

/** `***` in place of the password, whether it is with the user or among the parameters. */
function withoutPassword(url: string): string {
  const from = url.indexOf('://') + '://'.length
  const length = url.slice(from).search(/[/?#]/)
  const to = length < 0 ? url.length : from + length
  const authority = url.slice(from, to)
  const colon = authority.indexOf(':')
  const at = authority.lastIndexOf('@')
  const shown =
    colon >= 0 && colon < at ? `${authority.slice(0, colon + 1)}***${authority.slice(at)}` : authority
  return url.slice(0, from) + shown + url.slice(to).replace(/([?&]password=)[^&]*/g, '$1***')
}

/** A URL without a trailing slash. It must not contain a password, because it is shown. */
export function httpUrl(): Kind<string> {
  const check = (text: string) => {
    const url = URL.canParse(text) ? new URL(text) : null
    if (url === null || !/^https?:$/.test(url.protocol)) return reject('is not an http or https address')
    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
      return reject('must have neither user, query nor fragment')
    return accept(stripEnd(text, '/'))
  }
  return {
    type: 'text',
    allowed: '`http://…` or `https://…`',
    placeholder: 'url',
    fromText: check,
    fromJson: value => (typeof value === 'string' ? check(value) : reject('is not a JSON string')),
  }
}

/** Never shown. */
export function secret(): Kind<string> {
  return { ...words('a text', 'secret'), shown: () => '***' }
}

export function integer(min: number, max: number): Kind<number> {
  const allowed = `${groupDigits(min)} to ${groupDigits(max)}`
  const check = (value: number) =>
    value >= min && value <= max ? accept(value) : reject(`is not in the range ${allowed}`)
  return {
    type: 'integer',
    allowed,
    placeholder: 'number',
    fromText: text =>
      /^[+-]?\d{1,15}$/.test(text.trim()) ? check(Number(text)) : reject('is not a whole number'),
    fromJson: value =>
      typeof value !== 'number'
        ? reject('is not a JSON number')
        : Number.isSafeInteger(value)
          ? check(value)
          : reject('is not a whole number'),
  }
}

const TRUE = ['true', '1', 'yes', 'on']
const FALSE = ['false', '0', 'no', 'off']

export function flag(): Kind<boolean> {
  return {
    type: 'boolean',
    allowed: '`true`, `false`',
    placeholder: 'true|false',
    fromText: text => {
      const word = text.trim().toLowerCase()
      if (TRUE.includes(word)) return accept(true)
      return FALSE.includes(word) ? accept(false) : reject('is neither true nor false')
    },
    fromJson: value => (typeof value === 'boolean' ? accept(value) : reject('is not a JSON boolean')),
  }
}

export function choice<const V extends string>(...values: readonly V[]): Kind<V> {
  const check = (text: string): Reading<V> => {
    const found = values.find(value => value === text)
    return found === undefined ? reject(`is not one of ${values.join(', ')}`) : accept(found)
  }
  return {
    type: 'choice',
    allowed: values.map(value => `\`${value}\``).join(', '),
    placeholder: values.join('|'),
    fromText: check,
    fromJson: value => (typeof value === 'string' ? check(value) : reject('is not a JSON string')),
  }
}

/** A key without a default; `null` in the file means the same. */
export function optional<T>(kind: Kind<T>): Kind<T | null> {
  return {
    ...kind,
    allowed: `absent, or ${kind.allowed}`,
    fromJson: value => (value === null ? accept(null) : kind.fromJson(value)),
    ...(kind.shown === undefined
      ? {}
      : { shown: value => (value === null ? '' : (kind.shown?.(value) ?? '')) }),
  }
}

/** Commas separate the items in text; in the file it is an array, or one string for one item. */
export function list(
  allowed: string,
  placeholder: string,
  fault: (item: string) => string | null,
): Kind<readonly string[]> {
  const check = (items: readonly string[]): Reading<readonly string[]> => {
    for (const item of items) {
      const found = fault(item)
      if (found !== null) return reject(`has the item '${item}', which ${found}`)
    }
    return accept(items)
  }
  return {
    type: 'list',
    allowed,
    placeholder,
    fromText: text => check(itemsIn(text)),
    fromJson: value => {
      const items = typeof value === 'string' ? [value] : value
      return Array.isArray(items) && items.every(item => typeof item === 'string')
        ? check(items)
        : reject('is not a JSON array of strings')
    },
  }
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Beyond this a sum of products could be too large for a number. */
const MAGNITUDE_MAX = 1e15

const isUsable = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= MAGNITUDE_MAX

function numberIn(text: string): number | null {
  const value = NUMBER.test(text.trim()) ? Number(text) : Number.NaN
  return isUsable(value) ? value : null
}

/** A number with or without a fraction. */
export const decimal = (): Kind<number> => decimalIn(-MAGNITUDE_MAX, MAGNITUDE_MAX)

/** A number between two bounds. */
export function decimalIn(min: number, max: number): Kind<number> {
  const allowed = `${short(min)} to ${short(max)}`
  const isIn = (value: unknown): value is number => isUsable(value) && value >= min && value <= max
  return {
    type: 'number',
    allowed,
    placeholder: 'number',
    fromText: text => {
      const value = numberIn(text)
      return isIn(value) ? accept(value) : reject(`is not a number in the range ${allowed}`)
    },
    fromJson: value => (isIn(value) ? accept(value) : reject(`is not a JSON number in the range ${allowed}`)),
  }
}

const short = (value: number): string =>
  Math.abs(value) === MAGNITUDE_MAX ? `${value < 0 ? '-' : ''}1e15` : String(value)

type Numbers = Readonly<Record<string, number>>

/** `name=number` items, separated by commas in text; in the file an object of numbers. */
export function numbers(
  allowed: string,
  placeholder: string,
  fault: (name: string, value: number) => string | null,
): Kind<Numbers> {
  const check = (entries: readonly (readonly [string, number])[]): Reading<Numbers> => {
    for (const [name, value] of entries) {
      const found = name === '' ? 'has no name' : fault(name, value)
      if (found !== null) return reject(`has the item '${name}=${value}', which ${found}`)
    }
    const twice = entries.find(([name], at) => entries.findIndex(([one]) => one === name) !== at)
    return twice === undefined ? accept(Object.fromEntries(entries)) : reject(`has ${twice[0]} twice`)
  }
  return {
    type: 'numbers',
    allowed,
    placeholder,
    fromText: text => {
      const items = itemsIn(text).map(item => {
        const [name = '', ...rest] = item.split('=')
        return [item, name.trim(), numberIn(rest.join('='))] as const
      })
      const odd = items.find(([, , value]) => value === null)
      return odd === undefined
        ? check(items.map(([, name, value]) => [name, value as number]))
        : reject(`has the item '${odd[0]}', which is not name=number`)
    },
    fromJson: value =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every(isUsable)
        ? check(Object.entries(value))
        : reject('is not a JSON object of numbers'),
  }
}

const itemsIn = (text: string): string[] =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')

/** A value as one line: lists with commas, numbers as `name=number`; empty for an empty value. */
export function lineOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  if (typeof value !== 'object' || value === null) return value === null ? '' : String(value)
  return Object.entries(value)
    .map(([name, one]) => `${name}=${one}`)
    .join(',')
}

/** 1000000 as 1,000,000; five digits, such as those of a port, stay as they are. */
export function groupDigits(value: number): string {
  // Not toLocaleString: the first use of that costs a tenth of the start.
  if (Math.abs(value) < 100_000) return String(value)
  let digits = String(Math.abs(value))
  const groups: string[] = []
  for (; digits.length > 3; digits = digits.slice(0, -3)) groups.unshift(digits.slice(-3))
  return [value < 0 ? `-${digits}` : digits, ...groups].join(',')
}

/** What is wrong with an origin of the Web; null if nothing is. */
export function originFault(origin: string): string | null {
  if (origin === '*') return null
  const parsed = URL.canParse(origin) ? new URL(origin) : null
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
    return 'is not an http or https origin'
  return parsed.origin === origin ? null : `must be written ${parsed.origin}, as browsers send it`
}
