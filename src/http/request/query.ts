import { decodePercent } from './percent-decoding.ts'

/** A query string as Placement parses it: keys may repeat, blanks count, `+` is a space. */
export class Query {
  readonly text: string
  readonly #entries: readonly (readonly [key: string, value: string])[]

  private constructor(text: string, entries: readonly (readonly [string, string])[]) {
    this.text = text
    this.#entries = entries
  }

  /** Null if the percent-encoding is not UTF-8. */
  static parse(text: string): Query | null {
    const entries: [string, string][] = []
    for (const part of text.split('&')) {
      if (part === '') continue
      const equals = part.indexOf('=')
      const key = decode(equals < 0 ? part : part.slice(0, equals))
      const value = decode(equals < 0 ? '' : part.slice(equals + 1))
      if (key === null || value === null) return null
      entries.push([key, value])
    }
    return new Query(text, entries)
  }

  entries(): readonly (readonly [key: string, value: string])[] {
    return this.#entries
  }

  all(key: string): string[] {
    return this.#entries.filter(entry => entry[0] === key).map(entry => entry[1])
  }

  first(key: string): string | undefined {
    return this.#entries.find(entry => entry[0] === key)?.[1]
  }

  last(key: string): string | undefined {
    return this.#entries.findLast(entry => entry[0] === key)?.[1]
  }

  /** The last value of each key, for validation with a schema. */
  lastValues(): Record<string, string> {
    const values: Record<string, string> = Object.create(null)
    for (const [key, value] of this.#entries) values[key] = value
    return values
  }
}

function decode(text: string): string | null {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text)
}
