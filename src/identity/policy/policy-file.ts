/** `policy.yaml` as operators have it: names and rules, flat. JSON is read as well. */
import { ownValue } from '../../kernel/records.ts'
import { RULE_CHARS_MAX } from './rule.ts'

export interface PolicyEntry {
  readonly name: string
  readonly rule: string
  readonly line: number
}

/** Where the file cannot be read. */
export class PolicyFileUnreadable extends Error {
  override name = 'PolicyFileUnreadable'
  readonly line: number

  constructor(line: number, why: string) {
    super(`line ${line}: ${why}`)
    this.line = line
  }
}

export const POLICY_FILE_BYTES_MAX = 1024 * 1024

export function parsePolicyFile(text: string): PolicyEntry[] {
  const plain = text.replace(/^\uFEFF/, '')
  const entries = /^\s*\{/.test(plain) ? fromJson(plain) : fromYaml(plain)
  const seen = new Map<string, number>()
  for (const { name, line } of entries) {
    const before = seen.get(name)
    if (before !== undefined)
      throw new PolicyFileUnreadable(line, `${name} is there twice; first in line ${before}`)
    seen.set(name, line)
  }
  return entries
}

function fromJson(text: string): PolicyEntry[] {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (error) {
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? []
    throw new PolicyFileUnreadable(
      lineAt(text, Number(position ?? 0)),
      `it is not JSON: ${(error as Error).message}`,
    )
  }
  return Object.entries(content as object).map(([name, rule]) => {
    const line = lineAt(text, Math.max(0, text.indexOf(JSON.stringify(name))))
    if (typeof rule !== 'string') throw new PolicyFileUnreadable(line, `the rule of ${name} is no text`)
    return { name, rule, line }
  })
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length

function fromYaml(text: string): PolicyEntry[] {
  const lines = text.split(/\r?\n/)
  const entries: PolicyEntry[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    if (isNothing(line) || (entries.length === 0 && line.trimEnd() === '---')) continue
    if (line.trimEnd() === '...') break
    if (/^\s/.test(line))
      throw new PolicyFileUnreadable(at + 1, 'it begins with a blank; names begin at the left edge')
    const { name, rest } = nameIn(line, at + 1)
    const { rule, lastLine } = valueFrom(rest, lines, at)
    entries.push({ name, rule, line: at + 1 })
    at = lastLine
  }
  return entries
}

const isNothing = (line: string): boolean => /^\s*(#.*)?$/.test(line)

function nameIn(line: string, number: number): { name: string; rest: string } {
  const [inQuotes, double, single] = QUOTED_NAME.exec(line) ?? []
  const colon = inQuotes === undefined ? plainNameEnd(line) : endOf(inQuotes, line)
  const name =
    double !== undefined
      ? unescaped(double, number)
      : (single?.replaceAll("''", "'") ?? line.slice(0, Math.max(colon, 0)).trimEnd())
  if (colon < 0 || name === '') throw new PolicyFileUnreadable(number, `it is not of the form "name": "rule"`)
  return { name, rest: line.slice(colon + 1).trim() }
}

const QUOTED_NAME = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')/

/** Where the colon after a quoted name is, or -1. */
function endOf(inQuotes: string, line: string): number {
  const after = line.slice(inQuotes.length)
  const colon = line.length - after.trimStart().length
  return COLON.exec(line.slice(colon))?.index === 0 ? colon : -1
}

/** A colon inside a name, as in `os_compute_api:servers`, has no blank after it. */
const COLON = /:(?:\s|$)/
const NOT_AT_START = /^[\s"'#&*!|>@`%{}[\],?-]/

function plainNameEnd(line: string): number {
  const colon = line.search(COLON)
  return NOT_AT_START.test(line) || line.slice(0, Math.max(colon, 0)).includes('#') ? -1 : colon
}

/** A value in quotes may go on over several lines; one without may too, if those are indented. */
function valueFrom(
  rest: string,
  lines: readonly string[],
  first: number,
): { rule: string; lastLine: number } {
  const number = first + 1
  const quote = rest.charAt(0)
  if (quote === '"' || quote === "'") {
    let all = rest
    let at = first
    for (;;) {
      const value = quoted(all, quote, number)
      if (value !== null) return { rule: value, lastLine: at }
      const next = all.length > RULE_CHARS_MAX ? undefined : lines[++at]
      if (next === undefined)
        throw new PolicyFileUnreadable(
          number,
          `the ${quote} at its start is not closed within ${RULE_CHARS_MAX} characters`,
        )
      all = `${all.trimEnd()} ${next.trim()}`
    }
  }
  if (rest === '' || rest.startsWith('#'))
    throw new PolicyFileUnreadable(number, 'it has no rule; write "@" to let everybody, "!" to let nobody')
  if (/^[!@&*|>%`{[\]},]/.test(rest))
    throw new PolicyFileUnreadable(number, `a rule that begins with ${rest.charAt(0)} must be in quotes`)
  let rule = withoutComment(rest)
  let at = first
  while (/^\s+[^\s#]/.test(lines[at + 1] ?? '')) rule += ` ${withoutComment((lines[++at] as string).trim())}`
  return { rule, lastLine: at }
}

function withoutComment(text: string): string {
  const at = text.search(/\s#/)
  return at < 0 ? text : text.slice(0, at).trimEnd()
}

/** Null: it is not closed yet. */
function quoted(text: string, quote: string, number: number): string | null {
  const pattern = quote === '"' ? /^"((?:[^"\\]|\\.)*)"(.*)$/s : /^'((?:[^']|'')*)'(?!')(.*)$/s
  const [, inner, after = ''] = pattern.exec(text) ?? []
  if (inner === undefined) return null
  if (!/^\s*(#.*)?$/.test(after))
    throw new PolicyFileUnreadable(number, `there is something after the rule: ${after.trim()}`)
  return quote === '"' ? unescaped(inner, number) : inner.replaceAll("''", "'")
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  n: '\n',
  t: '\t',
  ' ': ' ',
}

function unescaped(text: string, number: number): string {
  return text.replace(/\\(.)/gs, (_, char: string) => {
    const plain = ownValue(ESCAPES, char)
    if (plain === undefined) throw new PolicyFileUnreadable(number, `the escape \\${char} is not known here`)
    return plain
  })
}
