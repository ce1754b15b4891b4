import { expect, test } from 'vitest'
import { filterRules, rolesText } from './policy-search.ts'

const rule = (operation: string, allowed_roles: string[], from: 'default' | 'file' = 'default') => ({
  operation,
  what: `Do ${operation}`,
  rule: 'role:x',
  from,
  allowed_roles,
})
const rules = [
  rule('berth:fleet', ['admin', 'service']),
  rule('share:get', ['admin', 'reader'], 'file'),
  rule('nobody', []),
]
const names = (filter: Partial<Parameters<typeof filterRules>[1]>) =>
  filterRules(rules, { search: '', role: null, onlyFile: false, ...filter }).map(one => one.operation)

test('rules are found by operation, words, rule, role and source', () => {
  expect(names({ search: 'do share' })).toEqual(['share:get'])
  expect(names({ role: 'admin' })).toEqual(['berth:fleet', 'share:get'])
  expect(names({ role: 'reader', search: 'fleet' })).toEqual([])
  expect(names({ onlyFile: true })).toEqual(['share:get'])
})

test('roles are said in words', () => {
  expect(rolesText([], ['admin'])).toBe('no role alone')
  expect(rolesText(['admin'], ['admin', 'reader'])).toBe('admin')
  expect(rolesText(['admin', 'reader'], ['admin', 'reader'])).toBe('every role')
})
