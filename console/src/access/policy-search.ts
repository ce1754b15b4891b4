import type { PolicyInForce } from '../../../src/wire/accounts.ts'

export type PolicyRule = PolicyInForce['rules'][number]

interface PolicyFilter {
  /** In lower case. */
  readonly search: string
  /** Only what this role alone allows. */
  readonly role: string | null
  readonly onlyFile: boolean
}

export const filterRules = (
  rules: readonly PolicyRule[],
  { search, role, onlyFile }: PolicyFilter,
): readonly PolicyRule[] =>
  rules.filter(
    ({ operation, what, rule, from, allowed_roles }) =>
      (role === null || allowed_roles.includes(role)) &&
      (!onlyFile || from === 'file') &&
      `${operation}\n${what}\n${rule}`.toLowerCase().includes(search),
  )

/** Which roles alone are enough, in words. */
export function rolesText(allowed: readonly string[], all: readonly string[]): string {
  if (allowed.length === 0) return 'no role alone'
  return allowed.length === all.length ? 'every role' : allowed.join(', ')
}
