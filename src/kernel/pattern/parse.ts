/**
 * Parses users' patterns, in the syntax of Python's `re`, to a tree. Supports only what can be matched in
 * linear time: no back references, and only assertions about one character. Anything else is
 * `PatternUnsupported`.
 */
export type Node =
  | { readonly kind: 'one'; readonly of: CharacterSet }
  | { readonly kind: 'sequence'; readonly of: readonly Node[] }
  | { readonly kind: 'either'; readonly of: readonly Node[] }
  | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max: number }
  | { readonly kind: 'assert'; readonly holds: Assertion }

/** About the code points before and after a position; null at the ends of the text. */
export type Assertion = (before: number | null, after: number | null, isLast: boolean) => boolean

export interface CharacterSet {
  has(codePoint: number): boolean
}

export class PatternUnsupported extends Error {}

const CHARACTERS_MAX = 1_024
const COUNT_MAX = 2_000
const DEPTH_MAX = 100

export function parsePattern(text: string): Node {
  if (text.length > CHARACTERS_MAX)
    throw new PatternUnsupported(`a pattern has at most ${CHARACTERS_MAX} characters`)
  const parser = new Parser(text)
  const node = parser.either()
  if (!parser.done) throw new PatternUnsupported('unbalanced )')
  return node
}

const WORD = /[\p{L}\p{N}_]/u
const DIGIT = /\p{Nd}/u

const byExpression = (expression: RegExp, isNegated = false): CharacterSet => ({
  has: codePoint => expression.test(String.fromCodePoint(codePoint)) !== isNegated,
})

const exactly = (codePoint: number): CharacterSet => ({ has: other => other === codePoint })
const within = (low: number, high: number): CharacterSet => ({ has: one => one >= low && one <= high })
const anyOf = (sets: readonly CharacterSet[], isNegated: boolean): CharacterSet => ({
  has: codePoint => sets.some(set => set.has(codePoint)) !== isNegated,
})

const codeOf = (character: string): number => character.codePointAt(0) as number

/** Python's blanks include the separators U+001C to U+001F. */
const BLANKS = [byExpression(/[\s\x85]/u), within(0x1c, 0x1f)]

const NEWLINE = codeOf('\n')
const NOT_NEWLINE: CharacterSet = { has: codePoint => codePoint !== NEWLINE }

const SETS: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', byExpression(DIGIT)],
  ['D', byExpression(DIGIT, true)],
  ['w', byExpression(WORD)],
  ['W', byExpression(WORD, true)],
  ['s', anyOf(BLANKS, false)],
  ['S', anyOf(BLANKS, true)],
])

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['a', 7],
  ['0', 0],
])

const isWord = (codePoint: number | null): boolean =>
  codePoint !== null && WORD.test(String.fromCodePoint(codePoint))
const atStart: Assertion = before => before === null
const atEnd: Assertion = (_, after) => after === null
const atBoundary: Assertion = (before, after) => isWord(before) !== isWord(after)

const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ['^', atStart],
  ['\\A', atStart],
  ['$', (_, after, isLast) => after === null || (after === NEWLINE && isLast)],
  ['\\Z', atEnd],
  ['\\b', atBoundary],
  ['\\B', (before, after, isLast) => !atBoundary(before, after, isLast)],
])

const AROUND = ['(?=', '(?!', '(?<=', '(?<!'] as const

class Parser {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#characters = [...text]
  }

  get done(): boolean {
    return this.#at === this.#characters.length
  }

  either(): Node {
    const of = [this.#sequence()]
    while (this.#takes('|')) of.push(this.#sequence())
    return of.length === 1 ? (of[0] as Node) : { kind: 'either', of }
  }

  #sequence(): Node {
    const of: Node[] = []
    while (!this.done && this.#next !== '|' && this.#next !== ')') of.push(this.#parseRepeat(this.#atom()))
    return { kind: 'sequence', of }
  }

  get #next(): string | undefined {
    return this.#characters[this.#at]
  }

  #takes(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#characters[this.#at + i] !== text[i]) return false
    this.#at += text.length
    return true
  }

  #character(): string {
    const character = this.#characters[this.#at++]
    if (character === undefined) throw new PatternUnsupported('the pattern ends too early')
    return character
  }

  #parseRepeat(atom: Node): Node {
    const counts = this.#counts()
    if (counts === null) return atom
    if (atom.kind === 'assert') throw new PatternUnsupported('an assertion cannot be repeated')
    // Lazy repetition changes what matches, not whether something matches.
    this.#takes('?')
    const [min, max] = counts
    const before = this.#at
    if (this.#takes('+') || this.#counts() !== null)
      throw new PatternUnsupported(`a second repetition at ${before}`)
    return { kind: 'repeat', of: atom, min, max }
  }

  #counts(): readonly [min: number, max: number] | null {
    if (this.#takes('*')) return [0, Number.POSITIVE_INFINITY]
    if (this.#takes('+')) return [1, Number.POSITIVE_INFINITY]
    if (this.#takes('?')) return [0, 1]
    return this.#next === '{' ? this.#braces() : null
  }

  /** `{2}`, `{2,}`, `{,3}` or `{2,3}`; any other brace is literal. */
  #braces(): readonly [min: number, max: number] | null {
    const from = this.#at++
    const least = this.#digits()
    const most = this.#takes(',') ? this.#digits() : null
    if (!this.#takes('}') || (least === '' && most === null)) {
      this.#at = from
      return null
    }
    const min = Number(least)
    const max = most === null ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most)
    if (min > COUNT_MAX || (max !== Number.POSITIVE_INFINITY && max > COUNT_MAX) || max < min)
      throw new PatternUnsupported(`a repetition has 0 to ${COUNT_MAX} turns`)
    return [min, max]
  }

  #digits(): string {
    const from = this.#at
    while (this.#next !== undefined && this.#next >= '0' && this.#next <= '9') this.#at++
    return this.#characters.slice(from, this.#at).join('')
  }

  #atom(): Node {
    const around = AROUND.find(opening => this.#takes(opening))
    if (around !== undefined) return this.#parseAround(around)
    if (this.#takes('(')) return this.#group()
    const character = this.#character()
    if (character === '\\') return this.#parseEscape()
    const holds = ASSERTIONS.get(character)
    if (holds !== undefined) return { kind: 'assert', holds }
    if (character === '.') return { kind: 'one', of: NOT_NEWLINE }
    if (character === '[') return { kind: 'one', of: this.#class() }
    if (character === '*' || character === '+' || character === '?')
      throw new PatternUnsupported('nothing to repeat')
    return { kind: 'one', of: exactly(codeOf(character)) }
  }

  #group(): Node {
    if (++this.#depth > DEPTH_MAX) throw new PatternUnsupported(`groups nest at most ${DEPTH_MAX} deep`)
    if (this.#takes('?') && !this.#takes(':')) this.#groupName()
    const inner = this.either()
    if (!this.#takes(')')) throw new PatternUnsupported('a ) is missing')
    this.#depth--
    return inner
  }

  #groupName(): void {
    if (!this.#takes('P<')) throw new PatternUnsupported('an extension that cannot be matched in linear time')
    while (this.#character() !== '>') if (this.done) throw new PatternUnsupported('a > is missing')
  }

  /** `(?=x)` and similar, for one character or set. */
  #parseAround(opening: (typeof AROUND)[number]): Node {
    const inner = AROUND.some(nested => this.#takes(nested)) ? null : this.#atom()
    if (inner?.kind !== 'one' || !this.#takes(')'))
      throw new PatternUnsupported('an assertion about more than one character')
    const isAhead = !opening.includes('<')
    const isWanted = opening.endsWith('=')
    return {
      kind: 'assert',
      holds: (before, after) => {
        const seen = isAhead ? after : before
        return (seen !== null && inner.of.has(seen)) === isWanted
      },
    }
  }

  #parseEscape(): Node {
    const character = this.#character()
    const holds = ASSERTIONS.get(`\\${character}`)
    if (holds !== undefined) return { kind: 'assert', holds }
    const set = SETS.get(character)
    return { kind: 'one', of: set ?? exactly(this.#readEscapedCode(character)) }
  }

  #readEscapedCode(character: string): number {
    if (character === 'x') return this.#hex(2)
    if (character === 'u') return this.#hex(4)
    const control = CONTROLS.get(character)
    if (control !== undefined) return control
    if (/[a-zA-Z0-9]/.test(character)) throw new PatternUnsupported(`unsupported escape \\${character}`)
    return codeOf(character)
  }

  #hex(length: number): number {
    const digits = this.#characters.slice(this.#at, this.#at + length).join('')
    if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits))
      throw new PatternUnsupported('an incomplete escape')
    this.#at += length
    return Number.parseInt(digits, 16)
  }

  /** As in Python, a leading `]` is literal. */
  #class(): CharacterSet {
    const isNegated = this.#takes('^')
    const sets: CharacterSet[] = []
    do sets.push(this.#member())
    while (!this.#takes(']'))
    return anyOf(sets, isNegated)
  }

  #member(): CharacterSet {
    const low = this.#point()
    if (typeof low !== 'number') return low
    const isRange = this.#next === '-' && this.#characters[this.#at + 1] !== ']'
    if (!isRange) return exactly(low)
    this.#at++
    const high = this.#point()
    if (typeof high !== 'number' || high < low) throw new PatternUnsupported('a bad range of characters')
    return within(low, high)
  }

  #point(): number | CharacterSet {
    const character = this.#character()
    if (character !== '\\') return codeOf(character)
    const escaped = this.#character()
    return escaped === 'b' ? 8 : (SETS.get(escaped) ?? this.#readEscapedCode(escaped))
  }
}
