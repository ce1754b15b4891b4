import { expect, test } from 'vitest'
import { compilePolicy, PolicyRefused } from './compile-policy.ts'
import { PolicyFileUnreadable, parsePolicyFile } from './policy-file.ts'

const rules = (text: string) =>
  Object.fromEntries(parsePolicyFile(text).map(({ name, rule }) => [name, rule]))

const aliases = (count: number): string => Array.from({ length: count }, (_, nth) => `b${nth}: *a`).join('\n')

test('names and rules, quoted or not, with comments and a document mark', () => {
  const text = `---
# A sample file has all of it in comments:
#"placement:usages": "role:admin"
"os_compute_api:flavors": "role:member"   # mine
'get_metadef_tags': 'role:a or ''public'':%(visibility)s'
add_metadef_tag: rule:admin_api # plain
placement:traits:list: role:reader and
  project_id:%(project_id)s
"placement:traits:show": "role:a or
    role:b"
nobody: "!"
"quoted \\" name": ""
`
  expect(rules(text)).toEqual({
    'os_compute_api:flavors': 'role:member',
    get_metadef_tags: "role:a or 'public':%(visibility)s",
    add_metadef_tag: 'rule:admin_api',
    'placement:traits:list': 'role:reader and project_id:%(project_id)s',
    'placement:traits:show': 'role:a or role:b',
    nobody: '!',
    'quoted " name': '',
  })
  expect(parsePolicyFile(text).at(0)).toMatchObject({ line: 4 })
})

test('what else YAML has: block scalars, folded lines, anchors, an indented map', () => {
  expect(rules('a: |\n  role:x\nb: >-\n  role:x or\n  role:y\n')).toEqual({
    a: 'role:x',
    b: 'role:x or role:y',
  })
  expect(rules('a: &mine role:x\nb: *mine\n')).toEqual({ a: 'role:x', b: 'role:x' })
  expect(rules('\n a: role:x')).toEqual({ a: 'role:x' })
  expect(Object.keys(rules(`a: &a role:x\n${aliases(100)}`))).toHaveLength(101)
})

test('JSON, an empty file, and only comments', () => {
  expect(rules('{"a": "role:x",\n "b": "!"}')).toEqual({ a: 'role:x', b: '!' })
  expect(parsePolicyFile('{"a": "role:x",\n "b": "!"}').at(1)).toMatchObject({ name: 'b', line: 2 })
  for (const text of ['', '\n', '# nothing', '{}', '---\n', '\uFEFF']) expect(rules(text)).toEqual({})
})

test.each<[string, string]>([
  ['a: role:x\n  - b', 'the rule of a'],
  ['a:\n', 'line 1: it has no rule'],
  ['a: !', 'line 1: a rule that begins with ! must be in quotes'],
  ['a: @', 'line 1: a rule that begins with @ must be in quotes'],
  ['a: !!str x', 'line 1: a rule that begins with ! must be in quotes'],
  ['a: `x', 'line 1: a rule that begins with ` must be in quotes'],
  ['a: {b: c}', 'line 1: a rule that begins with { must be in quotes'],
  ['a:\n  b: c', 'line 2: the rule of a is not a string'],
  ['a: [role:x]', 'line 1: a rule that begins with [ must be in quotes'],
  ['b: "@"\na: "role:x\n\n', 'line 2: the " is not closed'],
  ["a: 'role:x\n", "line 1: the ' is not closed"],
  ['a: "role:x" or', 'line 1: unexpected text after the rule: or'],
  ['a: "\\q"', 'line 1: the escape \\q is unknown'],
  ['nothing', 'line 1: it is not of the form'],
  ['- a', 'line 1: it is not of the form'],
  ['a: "@"\na: "!"', 'line 2: a is defined twice; first in line 1'],
  ['{"a": ', 'line 1: it is not YAML: Flow map must end with a }'],
  ['a: role:x: y', 'line 1: it is not YAML: Nested mappings'],
  ['1: role:x', 'line 1: it is not of the form'],
  ['? [a]\n: role:x', 'line 1: it is not of the form'],
  ['<<: {a: "@"}', 'line 1: a rule that begins with {'],
  ['a: "@"\n---\nb: "!"', 'line 2: it begins a second document'],
  ['a: *gone', 'line 1: it names an anchor that does not exist'],
  [`a: &a role:x\n${aliases(101)}`, 'line 102: it has more than 100 aliases'],
  [`a: "@"\nb: ${'['.repeat(20_000)}`, 'line 2: it is nested more than 64 levels deep'],
  ['{"a": 1}', 'the rule of a is not a string'],
])('%j is refused with its line', (text, why) => {
  const use = () => {
    const entries = parsePolicyFile(text)
    compilePolicy('secure', [...entries, { name: 'placement:usages', rule: 'rule:a', line: 99 }])
  }
  expect(use).toThrow(why)
})

test('a line replaces the default of its operation, also the older one', () => {
  const policy = compilePolicy('legacy', parsePolicyFile('"placement:reshaper:reshape": "role:mover"'))
  const as = (role: string) =>
    policy.allows(
      'placement:reshaper:reshape',
      { userId: 'u', projectId: 'p', roles: [role], systemScope: false },
      { project_id: 'p' },
    )
  expect([as('mover'), as('admin'), as('service')]).toEqual([true, false, false])
  expect(policy.rules.find(({ from }) => from === 'file')).toMatchObject({ rule: 'role:mover' })
})

test('a rule that others name can be replaced, and new ones made', () => {
  const text = 'context_is_admin: rule:boss\nboss: role:chief\n'
  const policy = compilePolicy('secure', parsePolicyFile(text))
  const chief = { userId: 'u', projectId: 'p', roles: ['chief'], systemScope: false }
  expect(policy.allows('add_metadef_tag', chief, { project_id: null })).toBe(true)
  expect(policy.allows('context_is_admin', chief, { project_id: null })).toBe(true)
  expect(policy.allows('add_metadef_tag', { ...chief, roles: ['admin'] }, { project_id: null })).toBe(false)
})

test('rules for operations of other services have no effect and are reported', () => {
  const policy = compilePolicy('secure', parsePolicyFile('"os_compute_api:servers:create": "pony:%(ride)s"'))
  expect(policy.unused.map(({ name }) => name)).toEqual(['os_compute_api:servers:create'])
})

test.each<[string, string]>([
  ['"placement:usages": "rule:pony"', 'line 1: placement:usages names the rule pony, which does not exist'],
  ['"placement:usages": "rule:a"\na: rule:b\nb: rule:a', 'line 2: placement:usages -> a -> b -> a is a loop'],
  ['context_is_admin: "is_admin:True"', 'is a loop'],
  ['"placement:usages": "role:admin or or"', 'line 1: the rule of placement:usages: a check is expected'],
])('%s is refused', (text, why) => {
  expect(() => compilePolicy('secure', parsePolicyFile(text))).toThrow(PolicyRefused)
  expect(() => compilePolicy('secure', parsePolicyFile(text))).toThrow(why)
})

test('the file says in which line it cannot be read', () => {
  expect(() => parsePolicyFile('a: "@"\nb')).toThrow(PolicyFileUnreadable)
})
