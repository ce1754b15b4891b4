import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compilePolicy, type PolicyMode } from './compile-policy.ts'
import { operations } from './operations.ts'
import { ROLES, reach } from './reach.fixture.ts'

function tableOf(mode: PolicyMode): string {
  const policy = compilePolicy(mode)
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
