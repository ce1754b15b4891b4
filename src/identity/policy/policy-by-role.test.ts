import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Credentials } from '../../http/api.ts'
import { type Policy, type PolicyMode, policyOf } from '../policy.ts'
import { operations } from './operations.ts'

/** Each with what it implies. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  admin: ['admin', 'manager', 'member', 'reader'],
  service: ['service'],
  manager: ['manager', 'member', 'reader'],
  member: ['member', 'reader'],
  reader: ['reader'],
  none: [],
}

/** How far a caller gets: with what is everybody's, of their own project, and of others. */
function reach(policy: Policy, operation: string, roles: readonly string[]): string {
  const caller: Credentials = { userId: 'u', projectId: 'p', roles, systemScope: false }
  const may = (project_id: string, user_id: string, visibility: string) =>
    policy.allows(operation, caller, {
      ...{ project_id, user_id, visibility },
      ...{ 'target.user.id': user_id, 'target.project.id': project_id, 'target.token.user_id': user_id },
    })
  if (may('q', 'v', 'private')) return 'all'
  const others = may('q', 'v', 'public') ? 'public' : ''
  const own = may('p', 'u', 'private') ? 'own' : ''
  return [own, others].filter(one => one !== '').join('+') || '-'
}

function tableOf(mode: PolicyMode): string {
  const policy = policyOf(mode)
  const names = Object.keys(ROLES)
  const rows = operations
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name }) => [name, ...names.map(role => reach(policy, name, ROLES[role] ?? []))])
  const lines = [['operation', ...names], ...rows].map(cells =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(56) : cell.padEnd(11)))
      .join('')
      .trimEnd(),
  )
  return `rbac = ${mode}\n\n${lines.join('\n')}\n`
}

test('what every role may do is on file; if it should be otherwise, look at each line, then update with -u', async () => {
  const text = `${tableOf('secure')}\n${tableOf('legacy')}`
  await expect(text).toMatchFileSnapshot(fileURLToPath(new URL('policy-by-role.txt', import.meta.url)))
})
