import { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { createLog } from '../ops/log.ts'
import { HttpMetrics, Registry } from '../ops/metrics.ts'
import { allowLongBody, clientErrorHandler } from './client-error.ts'

function handler() {
  return clientErrorHandler({
    newRequestId: () => 'req-1',
    headBytesMax: 1024,
    log: createLog({ stream: { write: () => {} } }),
    metrics: new HttpMetrics(new Registry()),
    securityHeaders: ['x-safe', 'yes'],
  })
}

const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

function socket(): Socket {
  const made = new Socket()
  vi.spyOn(made, 'writable', 'get').mockReturnValue(true)
  vi.spyOn(made, 'end').mockReturnValue(made)
  return made
}

test('a request that takes too long is answered with 408 and cut off', () => {
  const slow = socket()
  handler()(late, slow)
  expect(slow.end).toHaveBeenCalledWith(expect.stringContaining('HTTP/1.1 408 '))
})

test('a body that may take long is let go on while it does, and no longer', () => {
  const slow = socket()
  const handle = handler()
  const done = allowLongBody(slow)
  handle(late, slow)
  expect(slow.end).not.toHaveBeenCalled()
  expect(slow.destroyed).toBe(false)
  done()
  handle(late, slow)
  expect(slow.end).toHaveBeenCalledTimes(1)
})
