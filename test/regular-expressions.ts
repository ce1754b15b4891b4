/**
 * Every regular expression of the product, wherever it is written: literals, `new RegExp(...)`, `pattern` and
 * `patternProperties` of schemas. Each must take linear time, because most of them read what a stranger sends.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Files } from './repo-rules.ts'
import { constantsOf, importedNames, lineOf, nodesIn, parseSource, type SyntaxNode } from './syntax.ts'

interface Found {
  readonly place: string
  readonly pattern: string
  readonly flags: string
}

export const literalOf = ({ pattern, flags }: Pick<Found, 'pattern' | 'flags'>): string =>
  `/${pattern}/${flags}`

/** Expressions that are put together at run time, and why each is linear. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  [
    'src/http/formats/json-schema.ts: new RegExp(',
    'the patterns of our own schemas, which are found where they are written',
  ],
  ['src/http/formats/json-schema.ts: pattern', 'the compiled form of the same'],
  ['src/http/formats/json-schema.ts: patternProperties', 'the keyword itself'],
  ['src/v1/api/v1.ts: new RegExp(', 'our own routes: constant parts, and [^/]+ between slashes'],
  [
    'src/placement/candidates/candidates.schemas.ts: patternProperties',
    'a constant and GROUP_NAME or GROUP_NUMBER, as literals of candidates.query.ts have them',
  ],
  ['src/v1/openapi/query-parameters.ts: patternProperties', 'schemas of ours, written to a document'],
  ['src/v1/openapi/schema-document.ts: patternProperties', 'schemas of ours, written to a document'],
])

/** The product's own sources. */
export function productSources(): Files {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const paths = ['src', 'console/src'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(path =>
      posix.join(folder, path),
    ),
  )
  const isProduct = (path: string) => /\.tsx?$/.test(path) && !/\.(test|contract|fixture)\.tsx?$/.test(path)
  return new Map(paths.filter(isProduct).map(path => [path, readFileSync(join(root, path), 'utf8')]))
}

/** All expressions, and the places whose expression is not in the source. */
export function regularExpressions(files: Files): { found: Found[]; unknown: string[] } {
  const modules = new Modules(files)
  const found: Found[] = []
  const unknown: string[] = []
  for (const [path, text] of files)
    for (const node of nodesIn(modules.program(path)))
      for (const { at, what, patterns, flags } of expressionsIn(node, source => modules.fold(path, source))) {
        const place = `${path}:${lineOf(text, at)}`
        if (patterns !== null) found.push(...patterns.map(pattern => ({ place, pattern, flags })))
        else if (!ALLOWED.has(`${path}: ${what}`)) unknown.push(`${place}: ${what} cannot be checked`)
      }
  return { found, unknown }
}

interface Expression {
  readonly at: SyntaxNode
  readonly what: string
  /** Null if unknown. */
  readonly patterns: readonly string[] | null
  readonly flags: string
}

type Fold = (node: SyntaxNode) => readonly string[] | null

const BY_TEXT = new Set(['match', 'matchAll', 'search'])

function expressionsIn(node: SyntaxNode, fold: Fold): Expression[] {
  const regex = node.regex as { pattern: string; flags: string } | undefined
  if (node.type === 'Literal' && regex)
    return [{ at: node, what: 'literal', patterns: [regex.pattern], flags: regex.flags }]
  if (node.type === 'NewExpression' || node.type === 'CallExpression') return ofCall(node, fold)
  if (node.type === 'ObjectExpression')
    return (node.properties as SyntaxNode[]).flatMap(one => ofMember(one, fold))
  return []
}

function ofCall(node: SyntaxNode, fold: Fold): Expression[] {
  const callee = node.callee as SyntaxNode
  const [first, second] = node.arguments as SyntaxNode[]
  if (callee.type === 'Identifier' && callee.name === 'RegExp') {
    const flags = second === undefined ? [''] : fold(second)
    const patterns = first === undefined || flags === null ? null : fold(first)
    return [{ at: node, what: 'new RegExp(', patterns, flags: flags?.[0] ?? '' }]
  }
  // A text becomes an expression here.
  const name = ((callee.property as SyntaxNode | undefined)?.name ?? '') as string
  const texts = BY_TEXT.has(name) && first !== undefined ? fold(first) : null
  return texts === null ? [] : [{ at: node, what: `${name}(`, patterns: texts, flags: '' }]
}

/** What a schema says of texts and of names. Python's `$` is before a last newline as well. */
function ofMember(member: SyntaxNode, fold: Fold): Expression[] {
  if (member.type !== 'Property') return []
  const name = (member.key as SyntaxNode).name as string
  const value = member.value as SyntaxNode
  const ofSchema = (what: string, patterns: readonly string[] | null): Expression => ({
    at: member,
    what,
    flags: 'u',
    patterns: patterns?.map(pattern => pattern.replaceAll('$', '\\n?$')) ?? null,
  })
  if (
    name === 'pattern' &&
    value.type !== 'ObjectExpression' &&
    !NO_TEXT.has(value.type) &&
    !(value.regex as object | undefined)
  )
    return [ofSchema(name, fold(value))]
  if (name !== 'patternProperties' || NO_TEXT.has(value.type)) return []
  if (value.type !== 'ObjectExpression') return [ofSchema(name, null)]
  return (value.properties as SyntaxNode[]).map(one => {
    const key = one.key as SyntaxNode | undefined
    if (key === undefined) return ofSchema(name, null)
    return ofSchema(name, key.type === 'Identifier' && !one.computed ? [key.name as string] : fold(key))
  })
}

const NO_TEXT = new Set(['ArrowFunctionExpression', 'FunctionExpression'])

/** Works out texts that are put together from constants, also from those of other files. */
class Modules {
  readonly #files: Files
  readonly #programs = new Map<string, SyntaxNode>()

  constructor(files: Files) {
    this.#files = files
  }

  program(path: string): SyntaxNode {
    let program = this.#programs.get(path)
    if (program === undefined) {
      program = parseSource(path, this.#files.get(path) ?? '')
      this.#programs.set(path, program)
    }
    return program
  }

  fold(path: string, node: SyntaxNode): readonly string[] | null {
    if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : null
    if (node.type === 'Identifier') return this.#constant(path, node.name as string)
    if (node.type === 'BinaryExpression' && node.operator === '+')
      return this.#joined(path, [node.left as SyntaxNode, node.right as SyntaxNode])
    if (node.type === 'TemplateLiteral') {
      const texts = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => [value.cooked])
      const inner = (node.expressions as SyntaxNode[]).map(one => this.fold(path, one))
      return joined(texts.flatMap((one, at) => (at < inner.length ? [one, inner[at] ?? null] : [one])))
    }
    return null
  }

  #joined(path: string, nodes: readonly SyntaxNode[]): readonly string[] | null {
    return joined(nodes.map(node => this.fold(path, node)))
  }

  #constant(path: string, name: string): readonly string[] | null {
    const program = this.program(path)
    const value = constantsOf(program).get(name)
    if (value !== undefined) return this.fold(path, value)
    const outer = importedNames(program).get(name)
    if (!outer?.from.startsWith('.')) return null
    const from = posix.join(posix.dirname(path), outer.from)
    return this.#files.has(from) ? this.#constant(from, outer.name) : null
  }
}

const joined = (parts: readonly (readonly string[] | null)[]): readonly string[] | null =>
  parts.reduce(
    (all, part) => (all === null || part === null ? null : all.flatMap(a => part.map(b => a + b))),
    [''],
  )

interface Verdict {
  readonly isLinear: boolean
  /** `automaton` is a proof, `fuzz` a search that found nothing. */
  readonly checker: string
  readonly says: string
}

interface Recheck {
  checkSync(
    pattern: string,
    flags: string,
    options: { timeout: number; randomSeed: number },
  ): {
    status: 'safe' | 'vulnerable' | 'unknown'
    checker: string | null
    complexity?: { summary?: string }
    error?: { kind: string }
  }
}

const CHECK_MS_MAX = 60_000

/** By recheck, unless it is known. Its build for browsers is plain JavaScript and says the same on every machine. */
export function judge(
  { pattern, flags }: Pick<Found, 'pattern' | 'flags'>,
  proofs: ReadonlyMap<string, string> = new Map(),
): Verdict {
  const proved = proofs.get(literalOf({ pattern, flags }))
  if (proved !== undefined) return { isLinear: true, checker: proved, says: 'safe' }
  const recheck: Recheck = createRequire(import.meta.url)('recheck/lib/browser.js')
  const told = recheck.checkSync(pattern, flags, { timeout: CHECK_MS_MAX, randomSeed: 1 })
  const says = told.complexity?.summary ?? told.error?.kind ?? ''
  return { isLinear: told.status === 'safe', checker: told.checker ?? 'none', says: `${told.status} ${says}` }
}

const PROOFS = new URL('regular-expressions.json', import.meta.url)

/** Judging takes seconds, so what is known is kept in a file: by expression, the checker that found it linear. */
export const readProofs = (): ReadonlyMap<string, string> =>
  new Map(Object.entries(JSON.parse(readFileSync(PROOFS, 'utf8'))))
export const proofsPath = fileURLToPath(PROOFS)
