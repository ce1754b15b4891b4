import { expect, test } from 'vitest'
import { listUsers, rolesText, searchedText } from './listed-users.ts'

const ray = { id: 'u1', name: 'ray', enabled: true, email: 'Ray@example.org' }
const rae = { id: 'u2', name: 'rae', enabled: false }
const assignment = (project: string, role: string) => ({
  user: { id: 'u1', name: 'ray' },
  scope: { project: { id: `p-${project}`, name: project } },
  role: { id: `r-${role}`, name: role },
})
const assignments = [assignment('lab', 'reader'), assignment('admin', 'reader'), assignment('lab', 'member')]

test('a user has the roles of each project, and as many tokens and credentials as are its own', () => {
  const [first, second] = listUsers([ray, rae], assignments, [{ user: 'u1' }, { user: 'u1' }], [])
  expect(rolesText(first as never)).toBe('admin: reader; lab: member, reader')
  expect(first).toMatchObject({ tokens: 2, credentials: 0 })
  expect(second).toMatchObject({ projects: [], tokens: 0 })
})

test('what may not be seen is not counted as none', () => {
  expect(listUsers([ray], [], null, null)[0]).toMatchObject({ tokens: null, credentials: null })
})

test('a search finds names, addresses, projects and roles, in any case', () => {
  const [first] = listUsers([ray], assignments, null, null)
  const text = searchedText(first as never)
  for (const part of ['u1', 'ray@example', 'lab: member']) expect(text).toContain(part)
})
