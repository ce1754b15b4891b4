import type { Credentials } from '../../http/api.ts'
import type { PolicyTarget } from '../../http/policy.ts'
import { assert } from '../../kernel/assert.ts'
import { ownValue } from '../../kernel/records.ts'
import { ADMIN_RULE, type CallerAttribute, type Check, type Piece } from './rule.ts'

/** A compiled rule: one closure per check, because every request evaluates some. */
export type PolicyCheck = (caller: Credentials, target: PolicyTarget) => boolean

/** `named` finds the rule that another one names; there must be no cycle. */
export function compileCheck(check: Check, named: (name: string) => PolicyCheck): PolicyCheck {
  switch (check.kind) {
    case 'always':
      return () => true
    case 'never':
      return () => false
    case 'role': {
      const { name } = check
      return caller => caller.roles.includes(name)
    }
    case 'rule':
      return named(check.name)
    case 'not': {
      const inner = compileCheck(check.of, named)
      return (caller, target) => !inner(caller, target)
    }
    case 'and': {
      const all = check.of.map(one => compileCheck(one, named))
      return (caller, target) => all.every(one => one(caller, target))
    }
    case 'or': {
      const any = check.of.map(one => compileCheck(one, named))
      return (caller, target) => any.some(one => one(caller, target))
    }
    case 'match':
      return compileMatch(check, named)
    default:
      return check satisfies never
  }
}

function compileMatch(
  { left, right }: Extract<Check, { kind: 'match' }>,
  named: (name: string) => PolicyCheck,
): PolicyCheck {
  const fillExpected = (target: PolicyTarget) => fillPattern(right, target)
  if ('text' in left) return (_caller, target) => fillExpected(target) === left.text
  if (left.caller === 'is_admin') {
    const isAdmin = named(ADMIN_RULE)
    return (caller, target) => fillExpected(target) === (isAdmin(caller, target) ? 'True' : 'False')
  }
  const attribute = left.caller
  return (caller, target) => {
    const is = readAttribute(caller, attribute)
    // A caller without a project owns nothing, not even what has no project.
    return is !== null && is === fillExpected(target)
  }
}

function readAttribute(caller: Credentials, attribute: Exclude<CallerAttribute, 'is_admin'>): string | null {
  switch (attribute) {
    case 'project_id':
      return caller.projectId
    case 'user_id':
      return caller.userId
    case 'system_scope':
      return caller.systemScope ? 'all' : null
    default:
      return attribute satisfies never
  }
}

/** Null where the target lacks an attribute. */
function fillPattern(pieces: readonly Piece[], target: PolicyTarget): string | null {
  let text = ''
  for (const piece of pieces) {
    const part = 'text' in piece ? piece.text : (ownValue(target, piece.target) ?? null)
    if (part === null || part === undefined) return null
    text += part
  }
  assert(pieces.length > 0, 'a match has something to match')
  return text
}
