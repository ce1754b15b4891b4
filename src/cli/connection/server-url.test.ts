import { expect, test } from 'vitest'
import { serverUrl } from './server-url.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8778'],
  ['0.0.0.0', 'http://127.0.0.1:8778'],
  ['::', 'http://[::1]:8778'],
  ['[::1]', 'http://[::1]:8778'],
  ['berth.example.org', 'http://berth.example.org:8778'],
])('a server that listens on %s is reached at %s', (host, url) => {
  expect(serverUrl(host, 8778)).toBe(url)
})
