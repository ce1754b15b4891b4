/** The kinds of value a key can have, each with one way to read it from text and one from JSON. */

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly wrong: string }

export interface Kind<T> {
  /** Shown in the reference, e.g. `integer`. */
  readonly type: string
  /** What may be written, e.g. `0 to 65535`. */
  readonly allowed: string
  /** The place holder in `--help`. */
  readonly placeholder: string
  /** From a flag or an environment variable. */
  fromText(text: string): Reading<T>
  /** From the configuration file. */
  fromJson(value: unknown): Reading<T>
  /** The value as it may be shown to anybody; absent, it is no secret. */
  shown?(value: T): string
}

const right = <T>(value: T): Reading<T> => ({ ok: true, value })
const wrong = (text: string): Reading<never> => ({ ok: false, wrong: text })

export function words(allowed: string, placeholder: string): Kind<string> {
  const check = (text: string) =>
    text.trim() === '' ? wrong('is empty') : text.includes('\0') ? wrong('holds a NUL') : right(text)
  return {
    type: 'text',
    allowed,
    placeholder,
    fromText: check,
    fromJson: value => (typeof value === 'string' ? check(value) : wrong('is not a JSON string')),
  }
}

const DATABASE_URL = /^postgres(ql)?:\/\//
const PASSWORD = /(^[a-z]+:\/\/[^/?#]*?:)[^/?#]*(@)|([?&]password=)[^&]*/g

/** It may hold a password, which is never shown. */
export function databaseUrl(): Kind<string> {
  const check = (text: string) =>
    DATABASE_URL.test(text) ? right(text) : wrong('does not begin with postgres://')
  return {
    type: 'text',
    allowed: '`postgres://…`',
    placeholder: 'url',
    fromText: check,
    fromJson: value => (typeof value === 'string' ? check(value) : wrong('is not a JSON string')),
    shown: url => url.replace(PASSWORD, '$1$3***$2'),
  }
}

/** An address without a slash at its end. It may not hold a password, because it is shown. */
export function httpUrl(): Kind<string> {
  const check = (text: string) => {
    const url = URL.canParse(text) ? new URL(text) : null
    if (url === null || !/^https?:$/.test(url.protocol)) return wrong('is no http or https address')
    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
      return wrong('must have neither user, query nor fragment')
    return right(text.replace(/\/+$/, ''))
  }
  return {
    type: 'text',
    allowed: '`http://…` or `https://…`',
    placeholder: 'url',
    fromText: check,
    fromJson: value => (typeof value === 'string' ? check(value) : wrong('is not a JSON string')),
  }
}

/** Never shown to anybody. */
export function secret(): Kind<string> {
  return { ...words('a text', 'secret'), shown: () => '***' }
}

export function integer(min: number, max: number): Kind<number> {
  const allowed = `${grouped(min)} to ${grouped(max)}`
  const check = (value: number) =>
    value >= min && value <= max ? right(value) : wrong(`is not in the range ${allowed}`)
  return {
    type: 'integer',
    allowed,
    placeholder: 'number',
    fromText: text =>
      /^[+-]?\d{1,15}$/.test(text.trim()) ? check(Number(text)) : wrong('is not a whole number'),
    fromJson: value =>
      typeof value !== 'number'
        ? wrong('is not a JSON number')
        : Number.isSafeInteger(value)
          ? check(value)
          : wrong('is not a whole number'),
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
      if (TRUE.includes(word)) return right(true)
      return FALSE.includes(word) ? right(false) : wrong('is neither true nor false')
    },
    fromJson: value => (typeof value === 'boolean' ? right(value) : wrong('is not a JSON boolean')),
  }
}

export function choice<const V extends string>(...values: readonly V[]): Kind<V> {
  const check = (text: string): Reading<V> => {
    const found = values.find(value => value === text)
    return found === undefined ? wrong(`is not one of ${values.join(', ')}`) : right(found)
  }
  return {
    type: 'choice',
    allowed: values.map(value => `\`${value}\``).join(', '),
    placeholder: values.join('|'),
    fromText: check,
    fromJson: value => (typeof value === 'string' ? check(value) : wrong('is not a JSON string')),
  }
}

/** A key that may be left out altogether; in the file that is also `null`. */
export function optional<T>(kind: Kind<T>): Kind<T | null> {
  return {
    ...kind,
    allowed: `absent, or ${kind.allowed}`,
    fromJson: value => (value === null ? right(null) : kind.fromJson(value)),
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
      if (found !== null) return wrong(`has the item '${item}', which ${found}`)
    }
    return right(items)
  }
  return {
    type: 'list',
    allowed,
    placeholder,
    fromText: text =>
      check(
        text
          .split(',')
          .map(item => item.trim())
          .filter(item => item !== ''),
      ),
    fromJson: value => {
      const items = typeof value === 'string' ? [value] : value
      return Array.isArray(items) && items.every(item => typeof item === 'string')
        ? check(items)
        : wrong('is not a JSON array of strings')
    },
  }
}

/** 1000000 as 1,000,000; a port stays as it is written everywhere else. */
export function grouped(value: number): string {
  // Not toLocaleString: the first use of that costs a tenth of the start.
  return Math.abs(value) < 100_000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
