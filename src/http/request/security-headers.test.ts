import { expect, test } from 'vitest'
import { apiSecurityHeaders, pageSecurityHeaders } from './security-headers.ts'

test('an answer of the API loads nothing and is shown in no frame', () => {
  expect(apiSecurityHeaders(false)).toEqual({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  })
})

test('over TLS, browsers come by no other way for a year', () => {
  expect(apiSecurityHeaders(true)['strict-transport-security']).toBe('max-age=31536000')
})

test('the console runs its own scripts only, and talks to its own server only', () => {
  const policy = pageSecurityHeaders(false, 'word')['content-security-policy'] as string
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("connect-src 'self';")
  expect(policy).toContain("style-src 'self' 'nonce-word';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy.split(';').find(part => part.includes('script-src'))).not.toMatch(/unsafe|\*/)
  expect(pageSecurityHeaders(true, 'word')).toMatchObject({ 'x-frame-options': 'DENY' })
})
