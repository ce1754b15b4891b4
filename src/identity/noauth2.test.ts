import { expect, test } from 'vitest'
import { noauth2 } from './noauth2.ts'

const placement = noauth2({ plainRoles: [] })
const share = noauth2({ plainRoles: ['member', 'reader'] })
const as = (token: string | undefined, headers: Record<string, string> = {}) =>
  placement.authenticate({ ...(token === undefined ? {} : { 'x-auth-token': token }), ...headers })

test('no token, an empty one, one without a user or with bad UTF-8 is nobody', () => {
  for (const token of [undefined, '', ':project', '%ff']) expect(as(token), String(token)).toBeNull()
})

test('USER alone is its own project; admin has roles, others only what the service gives them', () => {
  expect(as('joe')).toEqual({ userId: 'joe', projectId: 'joe', roles: [], systemScope: false })
  expect(as('admin')).toMatchObject({ projectId: 'admin', roles: ['admin', 'member', 'reader'] })
  expect(share.authenticate({ 'x-auth-token': 'joe' })).toMatchObject({ roles: ['member', 'reader'] })
})

test('USER:PROJECT names the project, none is no project, empty is the user', () => {
  expect(as('joe:p')).toMatchObject({ userId: 'joe', projectId: 'p' })
  expect(as('joe:none')).toMatchObject({ projectId: null })
  expect(as('joe:None')).toMatchObject({ projectId: null })
  expect(as('joe:')).toMatchObject({ projectId: 'joe' })
})

test('USER:PROJECT:ROLES names the roles, also against the name admin', () => {
  expect(as('joe:p:Reader, service')).toMatchObject({ projectId: 'p', roles: ['reader', 'service'] })
  expect(as('admin:p:reader')).toMatchObject({ roles: ['reader'] })
  expect(as('admin:p:')).toMatchObject({ roles: [] })
})

test('the token is percent-decoded', () => {
  expect(as('j%C3%B6e%3Ap')).toMatchObject({ userId: 'jöe', projectId: 'p' })
})

test('X-Roles and X-Project-Id win over the token', () => {
  expect(as('admin', { 'x-roles': 'READER' })).toMatchObject({ roles: ['reader'] })
  expect(as('admin', { 'x-roles': '' })).toMatchObject({ roles: [] })
  expect(as('joe:p', { 'x-project-id': 'q' })).toMatchObject({ projectId: 'q' })
})

test('a system-scoped request has no project of its own', () => {
  expect(as('admin', { 'openstack-system-scope': 'all' })).toMatchObject({
    systemScope: true,
    projectId: null,
  })
})

test('a service may want all three parts', () => {
  const catalog = noauth2({ plainRoles: ['member'], needsAllParts: true })
  expect(catalog.authenticate({ 'x-auth-token': 'joe:p' })).toBeNull()
  expect(catalog.authenticate({ 'x-auth-token': 'joe' })).toBeNull()
  expect(catalog.authenticate({ 'x-auth-token': 'joe:p:member:more' })).toBeNull()
  expect(catalog.authenticate({ 'x-auth-token': 'joe:p:member' })).not.toBeNull()
  expect(catalog.authenticate({ 'x-auth-token': 'admin' })).toMatchObject({ projectId: 'admin' })
})
