/** The roles of a new store. */
import { ownValue } from '../../kernel/records.ts'

export const ROLES = ['admin', 'manager', 'member', 'reader', 'service'] as const

/** As Keystone sets them up. */
const IMPLIED: Readonly<Record<string, string>> = { admin: 'manager', manager: 'member', member: 'reader' }

/** Roles with all that they imply, each once. */
export function addImplied(roles: Iterable<string>): string[] {
  const all = new Set<string>()
  for (const role of roles)
    for (let next: string | undefined = role; next !== undefined; next = ownValue(IMPLIED, next))
      all.add(next)
  return [...all]
}
