import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Credentials } from '../../http/api.ts'
import { compileCheck } from './evaluate.ts'
import { parseRule, RULE_CHARS_MAX, RuleUnreadable } from './rule.ts'

const caller: Credentials = { userId: 'u', projectId: 'p', roles: ['member', 'reader'], systemScope: false }
const admin = (asked: Credentials) => asked.roles.includes('admin')
const holds = (text: string, target: Record<string, string | null> = {}, who = caller) =>
  compileCheck(parseRule(text), () => admin)(who, { project_id: 'p', ...target })

test.each<[string, boolean]>([
  ['', true],
  ['@', true],
  ['!', false],
  ['role:member', true],
  ['role:MEMBER', true],
  ['role:admin', false],
  ['not role:admin', true],
  ['NOT role:member', false],
  ['role:admin or role:reader', true],
  ['role:admin and role:reader', false],
  ['role:member or role:admin and role:pony', true],
  ['(role:member or role:admin) and role:pony', false],
  ['not role:admin and role:reader', true],
  ['not (role:member and role:reader)', false],
  ['((role:member))', true],
  ['project_id:%(project_id)s', true],
  ['tenant_id:%(project_id)s', true],
  ['project_id:p', true],
  ['project_id:q', false],
  ['user_id:%(user_id)s', false],
  ["'public':%(visibility)s", false],
  ['is_admin:True', false],
  ['is_admin:False', true],
  ['system_scope:all', false],
  ['rule:anything', false],
  ["'a b':a", false],
])('%j is %s for a member of p', (text, wanted) => {
  expect(holds(text)).toBe(wanted)
})

test('a missing attribute of the target or of the caller matches nothing', () => {
  expect(holds('user_id:%(user_id)s', { user_id: null })).toBe(false)
  expect(holds('project_id:%(project_id)s', { project_id: null }, { ...caller, projectId: null })).toBe(false)
  expect(holds('project_id:%(toString)s')).toBe(false)
  expect(holds('user_id:%(target.user.id)s', { 'target.user.id': 'u' })).toBe(true)
  expect(holds("'public':%(visibility)s", { visibility: 'public' })).toBe(true)
  expect(holds('project_id:%(project_id)s%(visibility)s', { project_id: 'p', visibility: '' })).toBe(true)
})

test.each<[string, string]>([
  ['role:admin role:member', "'and' or 'or' is missing before 'role:member'"],
  ['role:admin or', 'it ends where a check is expected'],
  ['or role:admin', "a check is expected before 'or'"],
  ['(role:admin', "a ')' is missing"],
  ['role:admin)', "'and' or 'or' is missing before ')'"],
  ['admin', "'admin' is not a check"],
  ['role:', "'role:' has nothing after its colon"],
  ['pony:%(project_id)s', "asks for 'pony'"],
  ['http://example.org/check', "asks for 'http'"],
  ['role:%(role)s', 'give the name of a role'],
  ["'public:%(visibility)s", 'a check cannot begin with'],
  [`${'('.repeat(100)}@${')'.repeat(100)}`, 'nested more than 50 deep'],
  ['x'.repeat(RULE_CHARS_MAX + 1), 'at most 10000 characters'],
])('%j is refused: %s', (text, why) => {
  expect(() => parseRule(text)).toThrow(why)
  expect(() => parseRule(text)).toThrow(RuleUnreadable)
})

/** Rules as text together with what they mean. */
const { rule } = fc.letrec<{ rule: readonly [string, boolean] }>(tie => ({
  rule: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<readonly [string, boolean]>(
      ['@', true],
      ['!', false],
      ['role:reader', true],
      ['role:admin', false],
      ['project_id:%(project_id)s', true],
    ),
    tie('rule').map(([text, is]) => [`not (${text})`, !is] as const),
    fc.tuple(tie('rule'), tie('rule')).map(([a, b]) => [`(${a[0]}) and (${b[0]})`, a[1] && b[1]] as const),
    fc.tuple(tie('rule'), tie('rule')).map(([a, b]) => [`(${a[0]}) or  (${b[0]})`, a[1] || b[1]] as const),
  ),
}))

test('any nesting means what it says', () => {
  fc.assert(fc.property(rule, ([text, is]) => holds(text) === is))
})

test('any text is read or refused, and never anything else', () => {
  const piece = fc.constantFrom(
    '(',
    ')',
    ' ',
    'and',
    'or',
    'not',
    '%(',
    ')s',
    "'",
    '"',
    ':',
    'role',
    'a',
    '%',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
      try {
        parseRule(pieces.join(''))
      } catch (error) {
        expect(error).toBeInstanceOf(RuleUnreadable)
      }
    }),
  )
})
