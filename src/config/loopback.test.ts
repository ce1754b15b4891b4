import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  'LOCALHOST',
  '::ffff:127.0.0.1',
])('%s reaches this machine only', host => expect(isLoopback(host)).toBe(true))

test.each(['0.0.0.0', '::', '192.168.0.1', '128.0.0.1', 'localhost.example.org', '127.example.org', ''])(
  '%j may be reached by others',
  host => expect(isLoopback(host)).toBe(false),
)
