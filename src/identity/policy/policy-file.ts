/** `policy.yaml` as operators write it: a flat map of names and rules. JSON is YAML too. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  type YAMLError,
} from 'yaml'
import { parseYaml, YamlTooDeep } from './yaml-document.ts'

export interface PolicyEntry {
  readonly name: string
  readonly rule: string
  readonly line: number
}

export class PolicyFileUnreadable extends Error {
  override name = 'PolicyFileUnreadable'
  readonly line: number

  constructor(line: number, why: string) {
    super(`line ${line}: ${why}`)
    this.line = line
  }
}

export const POLICY_FILE_BYTES_MAX = 1024 * 1024
/** Each alias is searched in the whole file. */
const ALIASES_MAX = 100

export function parsePolicyFile(text: string): PolicyEntry[] {
  const entries = new PolicyFileReader(text.replace(/^\uFEFF/, '')).entries()
  const seen = new Map<string, number>()
  for (const { name, line } of entries) {
    const before = seen.get(name)
    if (before !== undefined)
      throw new PolicyFileUnreadable(line, `${name} is defined twice; first in line ${before}`)
    seen.set(name, line)
  }
  return entries
}

class PolicyFileReader {
  readonly #text: string
  readonly #lines = new LineCounter()
  readonly #document: Document.Parsed
  #aliases = 0

  constructor(text: string) {
    this.#text = text
    this.#document = this.#parse()
    const [error] = this.#document.errors
    if (error !== undefined) throw this.#explain(error)
  }

  entries(): PolicyEntry[] {
    const { contents } = this.#document
    if (contents === null || (isScalar(contents) && contents.value === null)) return []
    if (!isMap(contents)) throw this.#unreadable(contents.range[0], NOT_A_PAIR)
    return contents.items.map(pair => this.#entry(pair as Pair<Node, Node | null>))
  }

  /** Duplicate names are reported by `parsePolicyFile`, which knows where the first one is. */
  #parse(): Document.Parsed {
    try {
      return parseYaml(this.#text, this.#lines)
    } catch (error) {
      if (error instanceof YamlTooDeep) throw this.#unreadable(error.offset, error.message)
      throw error
    }
  }

  #entry({ key, value }: Pair<Node, Node | null>): PolicyEntry {
    const at = key.range?.[0] ?? 0
    if (!isScalar(key) || typeof key.value !== 'string' || key.value === '' || key.tag !== undefined)
      throw this.#unreadable(at, NOT_A_PAIR)
    return { name: key.value, rule: this.#rule(key.value, value, at), line: this.#line(at) }
  }

  #rule(name: string, given: Node | null, keyAt: number): string {
    const node = isAlias(given) ? this.#resolve(given) : given
    const at = node?.range?.[0] ?? keyAt
    if (node?.tag !== undefined) throw this.#unreadable(keyAt, mustBeQuoted('!'))
    if (isCollection(node) && node.flow === true)
      throw this.#unreadable(at, mustBeQuoted(this.#text.charAt(at)))
    const value = isScalar(node) ? node.value : undefined
    if (node === null || value === null)
      throw this.#unreadable(keyAt, 'it has no rule; write "@" to allow everyone, "!" to allow no one')
    if (typeof value !== 'string') throw this.#unreadable(at, `the rule of ${name} is not a string`)
    return value.trimEnd()
  }

  #resolve(alias: Extract<Node, { source: string }>): Node {
    const at = alias.range?.[0] ?? 0
    if (++this.#aliases > ALIASES_MAX) throw this.#unreadable(at, `it has more than ${ALIASES_MAX} aliases`)
    const node = isAlias(alias) ? alias.resolve(this.#document) : undefined
    if (node === undefined) throw this.#unreadable(at, 'it names an anchor that does not exist')
    return node
  }

  #explain({ code, message, pos: [at] }: YAMLError): PolicyFileUnreadable {
    const found = this.#text.slice(at)
    if (code === 'BAD_SCALAR_START') return this.#unreadable(at, mustBeQuoted(found.charAt(0)))
    if (code === 'BAD_DQ_ESCAPE') return this.#unreadable(at, `the escape ${found.slice(0, 2)} is unknown`)
    if (code === 'MULTIPLE_DOCS')
      return this.#unreadable(at, 'it begins a second document; a policy file has one')
    if (code === 'UNEXPECTED_TOKEN')
      return this.#unreadable(at, `unexpected text after the rule: ${found.split('\n', 1)[0]?.trim()}`)
    const [, quote] = /^Missing closing (["'])/.exec(message) ?? []
    if (quote !== undefined) return this.#unreadable(this.#lastKeyAt(at), `the ${quote} is not closed`)
    return this.#unreadable(at, `it is not YAML: ${message}`)
  }

  /** An unclosed quote swallows the rest of the file, so it belongs to the last rule. */
  #lastKeyAt(otherwise: number): number {
    const { contents } = this.#document
    const key = isMap(contents) ? (contents.items.at(-1)?.key as Node | undefined) : undefined
    return key?.range?.[0] ?? otherwise
  }

  #line = (at: number): number => this.#lines.linePos(at).line

  #unreadable = (at: number, why: string): PolicyFileUnreadable =>
    new PolicyFileUnreadable(this.#line(at), why)
}

const NOT_A_PAIR = 'it is not of the form "name": "rule"'

const mustBeQuoted = (start: string): string => `a rule that begins with ${start} must be in quotes`
