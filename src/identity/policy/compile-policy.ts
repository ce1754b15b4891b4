import type { Policy } from '../../http/policy.ts'
import { assert } from '../../kernel/assert.ts'
import { compileCheck, type PolicyCheck } from './evaluate.ts'
import { namedRules, operations } from './operations.ts'
import type { PolicyEntry } from './policy-file.ts'
import { type Check, listRuleNames, parseRule, RuleUnreadable } from './rule.ts'

/**
 * `legacy` is upstream with its old defaults still in force, `secure` with the new ones only; `open` allows every
 * authenticated caller everything.
 */
export type PolicyMode = 'legacy' | 'secure' | 'open'

/** The rule in force for an operation, and where it is from. */
interface RuleInForce {
  readonly operation: string
  readonly what: string
  readonly rule: string
  readonly from: 'default' | 'file'
}

export interface WholePolicy extends Policy {
  readonly rules: readonly RuleInForce[]
  /** Lines of the file about unknown operations; they have no effect. */
  readonly unused: readonly PolicyEntry[]
}

/** Unusable rules of the policy file, each with its line. */
export class PolicyRefused extends Error {
  override name = 'PolicyRefused'
}

const known = new Map(operations.map(operation => [operation.name, operation]))
assert(known.size === operations.length, 'every operation is there once')

export const isKnownOperation = (operation: string): boolean => known.has(operation)

interface Source {
  readonly text: string
  readonly line: number | null
}

export function compilePolicy(mode: PolicyMode, entries: readonly PolicyEntry[] = []): WholePolicy {
  const given = new Map(entries.map(({ name, rule, line }) => [name, { text: rule, line }]))
  const book = new RuleBook(name => given.get(name) ?? findDefault(name, mode))
  const checks = new Map<string, PolicyCheck>()
  for (const { name } of operations) checks.set(name, book.compile(name))
  return {
    knows: isKnownOperation,
    operations: () => operations.map(({ name }) => name),
    allows(operation, credentials, target) {
      const check = checks.get(operation)
      assert(check !== undefined, () => `no policy for operation ${operation}`)
      if (mode === 'open') return true
      // Operations need a token of a project: system scope is refused whatever its roles.
      if (credentials.systemScope) return false
      return check(credentials, target)
    },
    rules: operations.map(({ name, what }) => ({
      operation: name,
      what,
      rule: (given.get(name) ?? (findDefault(name, mode) as Source)).text,
      from: given.has(name) ? 'file' : 'default',
    })),
    unused: entries.filter(({ name }) => !book.used.has(name)),
  }
}

/** As in oslo.policy while old defaults are in force: either rule is enough. */
function findDefault(name: string, mode: PolicyMode): Source | null {
  const operation = known.get(name)
  if (operation !== undefined && (namedRules[name] === undefined || operation.rule !== `rule:${name}`)) {
    const { rule, olderRule } = operation
    const text =
      mode === 'secure' || olderRule === null ? rule : rule === '@' ? rule : joinRules(rule, olderRule)
    return { text, line: null }
  }
  return Object.hasOwn(namedRules, name) ? { text: namedRules[name] as string, line: null } : null
}

const joinRules = (rule: string, older: string): string => (older === '@' ? older : `(${rule}) or (${older})`)

/** Rules by name, each parsed once. */
class RuleBook {
  readonly used = new Set<string>()
  readonly #sourceOf: (name: string) => Source | null
  readonly #done = new Map<string, PolicyCheck>()
  readonly #open: string[] = []

  constructor(sourceOf: (name: string) => Source | null) {
    this.#sourceOf = sourceOf
  }

  compile(name: string): PolicyCheck {
    const done = this.#done.get(name)
    if (done !== undefined) return done
    const source = this.#sourceOf(name) as Source
    if (this.#open.includes(name)) throw refuseRule(source, `${[...this.#open, name].join(' -> ')} is a loop`)
    this.used.add(name)
    this.#open.push(name)
    const check = readRule(name, source)
    for (const needed of listRuleNames(check))
      if (this.#sourceOf(needed) === null)
        throw refuseRule(source, `${name} names the rule ${needed}, which does not exist`)
    const compiled = compileCheck(check, needed => this.compile(needed))
    this.#open.pop()
    this.#done.set(name, compiled)
    return compiled
  }
}

function readRule(name: string, source: Source): Check {
  try {
    return parseRule(source.text)
  } catch (error) {
    if (!(error instanceof RuleUnreadable)) throw error
    throw refuseRule(source, `the rule of ${name}: ${error.message}`)
  }
}

const refuseRule = ({ line }: Source, why: string): PolicyRefused =>
  new PolicyRefused(line === null ? why : `line ${line}: ${why}`)
