import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
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

/** The statuses that a client hears which sends some bytes and, once something came back, the rest. */
async function statusesOf(listener: RequestListener, first: string, rest: string): Promise<string[]> {
  const server = createServer(listener).on('clientError', handler())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write(first)
  let received = ''
  client.on('data', chunk => {
    if (received === '') client.end(rest)
    received += chunk
  })
  await once(client, 'close')
  return received.match(/(?<=HTTP\/1\.1 )\d+/g) ?? []
}

test.each([
  ['ends early', 'content-length: 9\r\n\r\n{', ''],
  ['is no longer HTTP', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n', 'zz\r\n'],
])('a body that %s after its answer gets no second answer', async (_how, framing, rest) => {
  const refuse: RequestListener = (_request, response) => void response.writeHead(403).end('no')
  expect(await statusesOf(refuse, `POST / HTTP/1.1\r\nhost: a\r\n${framing}`, rest)).toEqual(['403'])
})

test('a request that is being done is answered for itself, not for the nonsense behind it', async () => {
  const done: RequestListener = (_request, response) =>
    void setTimeout(() => response.writeHead(201).end('made'), 20)
  const post = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}'
  expect(await statusesOf(done, `${post}no request`, '')).toEqual(['201'])
})
