import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Connections } from '../connections.ts'
import { createLog } from '../ops/log.ts'
import { HttpMetrics, Registry } from '../ops/metrics.ts'
import { allowLongBody, handleClientErrors } from './client-error.ts'

function handler(breakOff: Connections['breakOff'] = (_socket, _broken, end) => end(true)) {
  return handleClientErrors({
    newRequestId: () => 'req-1',
    headBytesMax: 1024,
    breakOff,
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

/** Sends some bytes and, after the first answer, the rest. Returns the statuses of all answers. */
async function statusesOf(listener: RequestListener, first: string, rest?: string): Promise<string[]> {
  const server = createServer()
  const connections = new Connections(server, false, listener)
  server.on(
    'clientError',
    handler((...broken) => connections.breakOff(...broken)),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write(first)
  let received = ''
  client.on('data', chunk => {
    if (received === '' && rest !== undefined) client.end(rest)
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

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
const POST = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n'
const CHUNKED = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n'
const LAST = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'

test.each([
  ['nonsense', `${POST}{}${GET}${GET}no request`, ['200', '200', '200', '400']],
  ['a body that is no longer HTTP', `${GET}${GET}${CHUNKED}zz`, ['200', '200', '400']],
  ['what comes after the last one', `${GET}${GET}${LAST}${GET}`, ['200', '200', '200']],
])('every request before %s has its own answer, sooner or later', async (_what, sent, statuses) => {
  const later: RequestListener = (_request, response) => void setTimeout(() => response.end('done'), 10)
  const atOnce: RequestListener = (_request, response) => void response.end('done')
  expect(await statusesOf(later, sent)).toEqual(statuses)
  expect(await statusesOf(atOnce, sent)).toEqual(statuses)
})

test('an answer that is half sent is sent whole', async () => {
  const half: RequestListener = (_request, response) => {
    response.write('half')
    setTimeout(() => response.end('done'), 10)
  }
  expect(await statusesOf(half, `${GET}no request`)).toEqual(['200', '400'])
})
