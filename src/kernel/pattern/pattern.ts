import { type Assertion, type CharacterSet, type Node, PatternUnsupported, parsePattern } from './parse.ts'

/**
 * Whether a text matches a user's pattern, as Python's `re.search` does. A backtracking engine can need years
 * for a pattern of ten characters; this one follows all alternatives at once and takes at most states x
 * characters steps.
 */
export class Pattern {
  readonly #program: readonly Instruction[]

  private constructor(program: readonly Instruction[]) {
    this.#program = program
  }

  /** Null if the text is not a pattern, or cannot be matched in linear time. */
  static parse(text: string): Pattern | null {
    try {
      return new Pattern(new Compiler().compile(parsePattern(text)))
    } catch (error) {
      if (error instanceof PatternUnsupported) return null
      throw error
    }
  }

  /** How many states a search may be in at once. */
  get states(): number {
    return this.#program.length
  }

  matches(text: string): boolean {
    return new Walk(this.#program, text).finds()
  }
}

const PATTERNS_KEPT_MAX = 64
const kept = new Map<string, Pattern | null>()

/** Whether a text matches; null if `Pattern` does not accept the pattern. */
export function matchesPattern(pattern: string, text: string): boolean | null {
  let parsed = kept.get(pattern)
  if (parsed === undefined) {
    if (kept.size >= PATTERNS_KEPT_MAX) kept.clear()
    parsed = Pattern.parse(pattern)
    kept.set(pattern, parsed)
  }
  return parsed === null ? null : parsed.matches(text)
}

type Instruction =
  | { readonly kind: 'one'; readonly of: RememberedSet }
  | { readonly kind: 'assert'; readonly holds: Assertion }
  | Split
  | { readonly kind: 'found' }

interface Split {
  readonly kind: 'split'
  to: readonly number[]
}

/** All copies of one set in a program test a character only once. */
class RememberedSet {
  readonly #set: CharacterSet
  #codePoint = -1
  #has = false

  constructor(set: CharacterSet) {
    this.#set = set
  }

  has(codePoint: number): boolean {
    if (codePoint !== this.#codePoint) {
      this.#has = this.#set.has(codePoint)
      this.#codePoint = codePoint
    }
    return this.#has
  }
}

export const PATTERN_STATES_MAX = 2_000

class Compiler {
  readonly #program: Instruction[] = []
  readonly #sets = new Map<CharacterSet, RememberedSet>()
  #steps = 0

  compile(node: Node): readonly Instruction[] {
    this.#emit(node)
    this.#program.push({ kind: 'found' })
    return this.#program
  }

  /** Repetitions of an empty group emit nothing, and there may be many, so this counts steps, not instructions. */
  #spend(): void {
    if (++this.#steps >= PATTERN_STATES_MAX)
      throw new PatternUnsupported(`a pattern has at most ${PATTERN_STATES_MAX} states`)
  }

  #emit(node: Node): void {
    this.#spend()
    if (node.kind === 'one') this.#program.push({ kind: 'one', of: this.#rememberSet(node.of) })
    else if (node.kind === 'assert') this.#program.push(node)
    else if (node.kind === 'sequence') for (const part of node.of) this.#emit(part)
    else if (node.kind === 'either') this.#compileEither(node.of)
    else this.#repeat(node.of, node.min, node.max)
  }

  #rememberSet(set: CharacterSet): RememberedSet {
    let remembered = this.#sets.get(set)
    if (remembered === undefined) {
      remembered = new RememberedSet(set)
      this.#sets.set(set, remembered)
    }
    return remembered
  }

  #split(): Split {
    this.#spend()
    const split: Split = { kind: 'split', to: [] }
    this.#program.push(split)
    return split
  }

  #compileEither(branches: readonly Node[]): void {
    const choice = this.#split()
    const starts: number[] = []
    const ends = branches.map(branch => {
      starts.push(this.#program.length)
      this.#emit(branch)
      return this.#split()
    })
    choice.to = starts
    for (const end of ends) end.to = [this.#program.length]
  }

  #repeat(node: Node, min: number, max: number): void {
    for (let turn = 0; turn < min; turn++) this.#emit(node)
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.#program.length
      const choice = this.#split()
      this.#emit(node)
      this.#split().to = [loop]
      choice.to = [loop + 1, this.#program.length]
      return
    }
    const exits: [split: Split, turn: number][] = []
    for (let turn = min; turn < max; turn++) {
      exits.push([this.#split(), this.#program.length])
      this.#emit(node)
    }
    for (const [exit, turn] of exits) exit.to = [turn, this.#program.length]
  }
}

/** One search: the states reached at a position, and those at the next one. */
class Walk {
  readonly #program: readonly Instruction[]
  readonly #codePoints: readonly number[]
  /** For each state, the position (from 1) where it was last reached. */
  readonly #reachedAt: Uint32Array
  #at = 0
  #isFound = false

  constructor(program: readonly Instruction[], text: string) {
    this.#program = program
    this.#codePoints = Array.from(text, character => character.codePointAt(0) as number)
    this.#reachedAt = new Uint32Array(program.length)
  }

  finds(): boolean {
    let here: number[] = []
    for (; this.#at <= this.#codePoints.length; this.#at++) {
      // A match may begin anywhere.
      this.#reach(0, here)
      if (this.#isFound) return true
      if (this.#at === this.#codePoints.length) return false
      here = this.#step(here)
    }
    return false
  }

  #step(here: readonly number[]): number[] {
    const codePoint = this.#codePoints[this.#at] as number
    const taken = here.filter(state => {
      const instruction = this.#program[state] as Instruction
      return instruction.kind === 'one' && instruction.of.has(codePoint)
    })
    const next: number[] = []
    this.#at++
    for (const state of taken) this.#reach(state + 1, next)
    this.#at--
    return next
  }

  /** Adds a state, or the states that it leads to without consuming a character. */
  #reach(first: number, states: number[]): void {
    const open = [first]
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (this.#reachedAt[state] === this.#at + 1) continue
      this.#reachedAt[state] = this.#at + 1
      const instruction = this.#program[state] as Instruction
      if (instruction.kind === 'found') this.#isFound = true
      else if (instruction.kind === 'one') states.push(state)
      else if (instruction.kind === 'split') open.push(...instruction.to)
      else if (this.#holds(instruction.holds)) open.push(state + 1)
    }
  }

  #holds(assertion: Assertion): boolean {
    const [at, points] = [this.#at, this.#codePoints]
    return assertion(points[at - 1] ?? null, points[at] ?? null, at === points.length - 1)
  }
}
