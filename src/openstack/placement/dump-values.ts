import { ownValue } from '../../kernel/records.ts'
import type { Cell } from './tables.ts'

/** Reads the tuples of `(1,'a\'b',NULL),(…);`. */
export class TupleReader {
  readonly #text: string
  readonly #isEscaped: boolean
  #at = 0

  /** `isEscaped`: a backslash in a text escapes what follows, as in MySQL. */
  constructor(text: string, { isEscaped }: { readonly isEscaped: boolean }) {
    this.#text = text
    this.#isEscaped = isEscaped
  }

  /** All tuples up to the semicolon; null where the text ends before it. */
  readAll(): Cell[][] | null {
    const tuples: Cell[][] = []
    for (;;) {
      this.#skip(/[\s,]*/y)
      if (this.#at >= this.#text.length) return null
      const char = this.#text[this.#at]
      if (char === ';') return tuples
      if (char !== '(') return null
      const tuple = this.#readTuple()
      if (tuple === null) return null
      tuples.push(tuple)
    }
  }

  #readTuple(): Cell[] | null {
    const cells: Cell[] = []
    this.#at++
    for (;;) {
      this.#skip(/[\s,]*/y)
      const char = this.#text[this.#at]
      if (char === undefined) return null
      if (char === ')') {
        this.#at++
        return cells
      }
      const cell = char === "'" ? this.#readString() : this.#readBare()
      if (cell === undefined) return null
      cells.push(cell)
    }
  }

  /** With backslashes and doubled quotes. Undefined where the text ends before the string does. */
  #readString(): string | undefined {
    let value = ''
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const char = this.#text[at] as string
      if (char === '\\' && this.#isEscaped) value += unescapeChar(this.#text[++at] ?? '')
      else if (char !== "'") value += char
      else if (this.#text[at + 1] === "'") value += this.#text[++at]
      else {
        this.#at = at + 1
        return value
      }
    }
    return undefined
  }

  #readBare(): Cell | undefined {
    const word = this.#skip(/[^,)\s]+/y)
    if (word === '') return undefined
    return word.toUpperCase() === 'NULL' ? null : word
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [text = ''] = pattern.exec(this.#text) ?? []
    this.#at += text.length
    return text
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '\0', Z: '\x1a', b: '\b' }

const unescapeChar = (char: string): string => ownValue(ESCAPES, char) ?? char

/** A line of pg_dump's COPY: cells by tabs, `\N` for null. */
export function splitCopyLine(line: string): Cell[] {
  return line
    .split('\t')
    .map(cell => (cell === '\\N' ? null : cell.replace(/\\(.)/g, (_, char) => unescapeChar(char))))
}
