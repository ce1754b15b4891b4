import { byCodePoint } from '../../kernel/code-points.ts'
import { ownValue } from '../../kernel/records.ts'

/**
 * JSON values as Python prints them, because clients match on error texts that quote them so. Values come from callers,
 * so length and depth are bounded; `...` marks what was cut.
 */
const LENGTH_MAX = 16_384
const DEPTH_MAX = 64

/** `repr(value)`: members of a dict in their own order. */
export function pythonRepr(value: unknown): string {
  return new Printer(keys => keys).print(value)
}

/** `pprint.pformat(value)` without line breaks: members of a dict sorted by key. */
export function pythonPretty(value: unknown): string {
  return new Printer(keys => keys.sort(byCodePoint)).print(value)
}

class Printer {
  readonly #arrange: (keys: string[]) => string[]
  #left = LENGTH_MAX

  constructor(arrange: (keys: string[]) => string[]) {
    this.#arrange = arrange
  }

  print(value: unknown, depth = 0): string {
    if (typeof value === 'string') return this.#printString(value)
    if (Array.isArray(value)) return `[${this.#members(value, depth, item => this.print(item, depth + 1))}]`
    if (typeof value === 'object' && value !== null) return `{${this.#printDict(value, depth)}}`
    return this.#spend(printScalar(value))
  }

  #printDict(dict: object, depth: number): string {
    const keys = this.#arrange(Object.keys(dict))
    return this.#members(keys, depth, key => {
      const name = this.#printString(key)
      return `${name}: ${this.print(ownValue(dict as Record<string, unknown>, key), depth + 1)}`
    })
  }

  #members<T>(members: readonly T[], depth: number, show: (member: T) => string): string {
    if (members.length > 0 && depth >= DEPTH_MAX) return '...'
    const shown: string[] = []
    this.#spend('[]')
    for (const member of members) {
      if (this.#left <= 0) {
        shown.push('...')
        break
      }
      shown.push(show(member))
    }
    return shown.join(', ')
  }

  #printString(text: string): string {
    const room = Math.max(this.#left, 0)
    if (text.length <= room) return this.#spend(quotePython(text))
    // Half of a surrogate pair would print as an escape that the caller never sent.
    const cut = text.slice(0, room).replace(/[\ud800-\udbff]$/, '')
    return this.#spend(`${quotePython(cut)}...`)
  }

  #spend(text: string): string {
    // An empty member counts its comma too, or a long list of them would be free.
    this.#left -= text.length + 2
    return text
  }
}

function printScalar(value: unknown): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'number') return printNumber(value)
  return 'None'
}

function printNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  // They differ only in small fractions, where Python switches to exponents earlier, with at least two digits.
  if (value === 0 || Math.abs(value) >= 1e-4) return String(value)
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1')
}

/** What Python escapes: controls, separators other than the space, unassigned code points. */
const UNPRINTABLE = /[\\\p{C}\p{Zl}\p{Zp}\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu

function quotePython(text: string): string {
  const escaped = text.replace(UNPRINTABLE, escapeOf)
  if (!text.includes("'")) return `'${escaped}'`
  return text.includes('"') ? `'${escaped.replaceAll("'", "\\'")}'` : `"${escaped}"`
}

const named: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escapeOf(character: string): string {
  const name = ownValue(named, character)
  if (name !== undefined) return name
  const point = character.codePointAt(0)!
  const hex = point.toString(16)
  if (point < 0x100) return `\\x${hex.padStart(2, '0')}`
  return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
