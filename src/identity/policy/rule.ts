/** Parses the rule language of oslo.policy. */

export type Check =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Check[] }
  | { readonly kind: 'not'; readonly of: Check }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'role'; readonly name: string }
  | { readonly kind: 'match'; readonly left: Left; readonly right: readonly Piece[] }

/** An attribute of the caller, or a literal. */
type Left = { readonly caller: CallerAttribute } | { readonly text: string }

/** A literal, or an attribute of the target. */
export type Piece = { readonly text: string } | { readonly target: string }

const callerAttributes = ['project_id', 'user_id', 'is_admin', 'system_scope'] as const
export type CallerAttribute = (typeof callerAttributes)[number]

/** The message says why and quotes the text. */
export class RuleUnreadable extends Error {
  override name = 'RuleUnreadable'
}

export const RULE_CHARS_MAX = 10_000
const DEPTH_MAX = 50

export function parseRule(text: string): Check {
  if (text.length > RULE_CHARS_MAX)
    throw new RuleUnreadable(`a rule has at most ${RULE_CHARS_MAX} characters, this one ${text.length}`)
  const words = splitWords(text)
  if (words.length === 0) return { kind: 'always' }
  const parser = new Parser(words)
  const check = parser.parseOr(0)
  parser.expectEnd()
  return check
}

/** Splits at parentheses and blanks. `%(name)s` and quoted texts stay whole. */
function splitWords(text: string): string[] {
  const pattern = /\s+|[()]|(?:%\([^()\s]*\)s|'[^']*'|"[^"]*"|[^\s()'"%]|%(?!\())+/gy
  const words: string[] = []
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex
    const match = pattern.exec(text)
    if (match === null) throw new RuleUnreadable(`a check cannot begin with '${text.slice(at, at + 20)}'`)
    if (match[0].trim() !== '') words.push(match[0])
  }
  return words
}

class Parser {
  readonly #words: readonly string[]
  #at = 0

  constructor(words: readonly string[]) {
    this.#words = words
  }

  parseOr(depth: number): Check {
    return this.#parseList('or', () => this.#parseAnd(depth))
  }

  expectEnd(): void {
    const left = this.#words[this.#at]
    if (left !== undefined) throw new RuleUnreadable(`'and' or 'or' is missing before '${left}'`)
  }

  #parseAnd(depth: number): Check {
    return this.#parseList('and', () => this.#parseSingle(depth))
  }

  #parseList(kind: 'and' | 'or', next: () => Check): Check {
    const of = [next()]
    while (this.#takeWord(kind)) of.push(next())
    return of.length === 1 ? (of[0] as Check) : { kind, of }
  }

  #parseSingle(depth: number): Check {
    if (depth > DEPTH_MAX) throw new RuleUnreadable(`it is nested more than ${DEPTH_MAX} deep`)
    if (this.#takeWord('not')) return { kind: 'not', of: this.#parseSingle(depth + 1) }
    if (this.#takeWord('(')) {
      const inner = this.parseOr(depth + 1)
      if (!this.#takeWord(')')) throw new RuleUnreadable("a ')' is missing")
      return inner
    }
    const word = this.#words[this.#at]
    if (word === undefined) throw new RuleUnreadable('it ends where a check is expected')
    if (/^(and|or|\))$/i.test(word)) throw new RuleUnreadable(`a check is expected before '${word}'`)
    this.#at++
    return checkOf(word)
  }

  #takeWord(word: string): boolean {
    if (this.#words[this.#at]?.toLowerCase() !== word) return false
    this.#at++
    return true
  }
}

function checkOf(word: string): Check {
  if (word === '@') return { kind: 'always' }
  if (word === '!') return { kind: 'never' }
  const [, left = '', right = ''] = /^('[^']*'|"[^"]*"|[^:]+):(.*)$/s.exec(word) ?? []
  if (left === '') throw new RuleUnreadable(`'${word}' is not a check, such as role:admin or rule:admin_api`)
  if (right === '') throw new RuleUnreadable(`'${word}' has nothing after its colon`)
  if (left === 'rule') return { kind: 'rule', name: right }
  if (left === 'role') {
    if (right.includes('%('))
      throw new RuleUnreadable(`'${word}': give the name of a role; a role cannot come from the target`)
    return { kind: 'role', name: right.toLowerCase() }
  }
  return { kind: 'match', left: parseLeft(left, word), right: parsePattern(right) }
}

/** oslo.policy compares Python literals itself. */
const LITERAL = /^(True|False|None|\d+)$/

function parseLeft(left: string, word: string): Left {
  if (/^['"]/.test(left)) return { text: left.slice(1, -1) }
  if (LITERAL.test(left)) return { text: left }
  const name = left === 'tenant_id' ? 'project_id' : left
  const caller = callerAttributes.find(known => known === name)
  if (caller !== undefined) return { caller }
  throw new RuleUnreadable(
    `'${word}' asks for '${left}'; a check begins with role, rule, ${callerAttributes.join(', ')} or a quoted text`,
  )
}

function parsePattern(right: string): Piece[] {
  const pieces = right.split(/(%\([^()\s]*\)s)/).filter(piece => piece !== '')
  return pieces.map(piece => {
    const [, target] = /^%\((.*)\)s$/.exec(piece) ?? []
    return target === undefined ? { text: piece } : { target }
  })
}

/** The rules that a check refers to, each once. */
export function listRuleNames(check: Check): Set<string> {
  const names = new Set<string>()
  const open: Check[] = [check]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'rule') names.add(next.name)
    else if (next.kind === 'not') open.push(next.of)
    else if (next.kind === 'and' || next.kind === 'or') open.push(...next.of)
    // This rule decides who is an admin.
    else if (next.kind === 'match' && 'caller' in next.left && next.left.caller === 'is_admin')
      names.add(ADMIN_RULE)
  }
  return names
}

/** The rule behind `is_admin:True`. */
export const ADMIN_RULE = 'context_is_admin'
