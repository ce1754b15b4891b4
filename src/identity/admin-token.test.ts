import { expect, test } from 'vitest'
import { adminToken } from './admin-token.ts'

const authenticator = adminToken('sesame')

test('the token makes an admin who is also service, member and reader', () => {
  expect(authenticator.authenticate({ 'x-auth-token': 'sesame' })).toEqual({
    userId: 'admin',
    projectId: 'admin',
    roles: ['admin', 'service', 'member', 'reader'],
    systemScope: false,
  })
})

test('any other token, or none, is nobody', () => {
  for (const token of ['', 'sesam', 'sesame ', 'SESAME', 'sesame, sesame'])
    expect(authenticator.authenticate({ 'x-auth-token': token }), token).toBeNull()
  expect(authenticator.authenticate({})).toBeNull()
})

test('headers that noauth2 believes are not believed here', () => {
  expect(authenticator.authenticate({ 'x-roles': 'admin', 'x-project-id': 'p' })).toBeNull()
})

test('an empty secret is refused at start', () => {
  expect(() => adminToken('')).toThrow('empty admin token')
})
