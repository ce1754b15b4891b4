import { ownValue } from '../kernel/records.ts'
import { makeFieldError } from './bodies.ts'

/** A flat dict of texts as Python prints it, which is how clients send filters; or JSON. */
export function parseDict(field: string, text: string): Map<string, string> {
  const reader = new Reader(text)
  const dict = reader.parse()
  if (dict === null) throw makeFieldError(field, text, "It must be a dict of texts such as {'key': 'value'}.")
  return dict
}

const WORDS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Map<string, string> | null {
    const found = new Map<string, string>()
    if (!this.#take('{')) return null
    if (this.#take('}')) return this.#isAtEnd() ? found : null
    do {
      if (this.#peek() === '}') break
      const key = this.#parseString()
      if (key === null || !this.#take(':')) return null
      const value = this.#parseString() ?? this.#parseBare()
      if (value === null) return null
      found.set(key, value)
    } while (this.#take(','))
    return this.#take('}') && this.#isAtEnd() ? found : null
  }

  #peek(): string | undefined {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
    return this.#text[this.#at]
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at++
    return true
  }

  #isAtEnd(): boolean {
    return this.#peek() === undefined
  }

  /** A `u` prefix is from Python 2. */
  #parseString(): string | null {
    if (this.#peek() === 'u' && /['"]/.test(this.#text[this.#at + 1] ?? '')) this.#at++
    const quote = this.#peek()
    if (quote !== "'" && quote !== '"') return null
    let value = ''
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      let character = this.#text[this.#at] as string
      if (character === quote) {
        this.#at++
        return value
      }
      if (character === '\\') {
        character = this.#text[++this.#at] ?? ''
        character = ownValue(WORDS, character) ?? character
      }
      value += character
    }
    return null
  }

  /** Numbers, True, False: as their text. */
  #parseBare(): string | null {
    this.#peek()
    const word = /^[\w.+-]+/.exec(this.#text.slice(this.#at))?.[0]
    if (word === undefined) return null
    this.#at += word.length
    return word
  }
}
