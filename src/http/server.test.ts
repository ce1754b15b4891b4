import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { ServerOptions } from './server.ts'
import { ask, PIECES, type Toy, toyServer } from './toy-service.fixture.ts'

const ADMIN = { 'x-auth-token': 'admin' }
const listening: Toy[] = []

afterEach(async () => {
  for (const { server } of listening.splice(0)) await server.drain({ finishMsMax: 100 })
})

async function listen(options: Partial<ServerOptions> = {}, mounts = ['']) {
  const toy = toyServer(mounts, options)
  listening.push(toy)
  const [address] = await toy.server.open({ host: '127.0.0.1', port: 0 })
  const { port } = address as { port: number }
  return { ...toy, port }
}

/** A connection that collects what comes back. */
function open(port: number) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', chunk => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  const until = async (text: string) => {
    while (!received.includes(text)) await Promise.race([once(socket, 'data'), closed])
    return received
  }
  return { socket, until, all: async () => closed.then(() => received) }
}

async function raw(port: number, text: string): Promise<{ head: string; status: number; body: string }> {
  const connection = open(port)
  connection.socket.write(text)
  const received = await connection.all()
  const split = received.indexOf('\r\n\r\n')
  const head = received.slice(0, split)
  return { head, status: Number(head.split(' ')[1]), body: received.slice(split + 4) }
}

const request = (line: string, headers: readonly string[] = [], body = '') =>
  `${[`${line} HTTP/1.1`, 'Host: x', 'X-Auth-Token: admin', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`

const errorOf = (body: string) => JSON.parse(body).errors[0]

test('a body in pieces arrives whole, compressed or not', async () => {
  const { port } = await listen({ compresses: true })
  const whole = Buffer.concat(PIECES).toString()
  const { head, body } = await raw(port, request('GET /pieces'))
  expect(head.toLowerCase()).toContain(`content-length: ${whole.length}`)
  expect(body === whole).toBe(true)
  for (const encoding of ['zstd', 'gzip']) {
    const small = await fetch(`http://127.0.0.1:${port}/pieces`, {
      headers: { ...ADMIN, 'accept-encoding': encoding },
    })
    expect(small.headers.get('content-encoding')).toBe(encoding)
    expect((await small.text()) === whole).toBe(true)
  }
})

test('a Content-Length that is no integer is 400 in the form of the API', async () => {
  const { port } = await listen()
  const { status, body, head } = await raw(
    port,
    request('POST /things', ['Content-Length: hi mom', 'Content-Type: application/json'], '{}'),
  )
  expect(status).toBe(400)
  expect(errorOf(body)).toMatchObject({ status: 400, title: 'Bad Request' })
  expect(errorOf(body).detail).toContain('content-length header must be an integer')
  expect(head).toContain(`x-openstack-request-id: ${errorOf(body).request_id}`)
  expect(head).toContain('content-type: application/json\r\n')
})

test('what is no HTTP is 400 in the form of the API, and is logged and counted', async () => {
  const { port, logged, metrics } = await listen()
  const { status, body } = await raw(port, 'PONY HORSE\r\n\r\n')
  expect(status).toBe(400)
  expect(errorOf(body).detail).toContain('HPE_')
  expect(logged()).toContain('"msg":"unreadable request"')
  expect(metrics.render()).toContain('service="none",method="none",route="none",status="400"} 1')
})

test('an HTTP/1.1 request without Host is 400', async () => {
  const { port } = await listen()
  const { status, body } = await raw(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')
  expect(status).toBe(400)
  expect(errorOf(body).detail).toContain('host header required')
})

test('headers over the limit are 431, a URL over it 414, both in the form of the API', async () => {
  const { port } = await listen({ limits: { urlBytesMax: 1000, headerBytesMax: 2000 } })
  const headers = await raw(port, request('GET /', [`X-Long: ${'x'.repeat(5000)}`]))
  expect(headers.status).toBe(431)
  expect(errorOf(headers.body).detail).toContain('at most 2000 bytes')
  const overParser = await raw(port, `GET /${'x'.repeat(5000)}`)
  expect(overParser.status).toBe(414)
  expect(errorOf(overParser.body).title).toBe('Request-URI Too Long')
  expect((await raw(port, request(`GET /${'x'.repeat(1200)}`))).status).toBe(414)
})

test('by default a head of nearly 64 KiB is served, most of it one path segment', async () => {
  const { port } = await listen()
  const id = 'x'.repeat(50_000)
  const { status, body } = await raw(port, request(`GET /things/${id}`, [`X-Long: ${'y'.repeat(14_000)}`]))
  expect(status).toBe(200)
  expect(JSON.parse(body).params.id).toBe(id)
})

test('a chunked body is read, and refused with 413 when it grows over the limit', async () => {
  const { port } = await listen({ limits: { bodyBytesMax: 50_000 } })
  const headers = ['Transfer-Encoding: chunked', 'Content-Type: application/json']
  const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`
  const fits = await raw(port, request('PUT /things/1', headers, `${chunk(30_000)}${chunk(20_000)}0\r\n\r\n`))
  expect(JSON.parse(fits.body).bytes).toBe(50_000)
  const over = await raw(port, request('PUT /things/1', headers, `${chunk(50_001)}0\r\n\r\n`))
  expect(over.status).toBe(413)
  expect(errorOf(over.body).detail).toContain('at most 50000 bytes')
})

test('a connection survives a refused body and serves the next request', async () => {
  const { port } = await listen({ limits: { bodyBytesMax: 10 } })
  const { socket, until } = open(port)
  const head = 'Host: x\r\nX-Auth-Token: admin\r\n'
  socket.write(
    `PUT /things/1 HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 50000\r\n\r\n`,
  )
  await until('413 ')
  socket.write('x'.repeat(50_000))
  socket.write(`GET /things HTTP/1.1\r\n${head}\r\n`)
  expect(await until('200 OK')).toContain('413 Payload Too Large')
  socket.destroy()
})

test('a client that hangs up while sending is no error of ours', async () => {
  const { port, metrics, logged } = await listen()
  const { socket } = open(port)
  socket.write(request('PUT /things/1', ['Content-Type: application/json', 'Content-Length: 100'], 'abc'))
  await eventually(() => metrics.render().includes('berth_http_requests_in_flight 1'))
  socket.destroy()
  await eventually(() => metrics.render().includes('status="499"} 1'))
  expect(metrics.render()).toContain('berth_http_requests_in_flight 0')
  expect(logged()).not.toContain('"level":"error"')
})

test('the whole URL in the first line is served, as are escapes that spell no UTF-8 and strange methods', async () => {
  const { port } = await listen()
  expect((await raw(port, request('GET http://x/things/1'))).status).toBe(200)
  expect((await raw(port, request('GET /things/%ff'))).status).toBe(404)
  expect((await raw(port, request('GET /things/%zz'))).status).toBe(200)
  expect((await raw(port, request('PURGE /things'))).status).toBe(405)
  expect((await raw(port, request('OPTIONS *'))).status).toBe(404)
})

test('a service below a prefix has two names for its root, and nothing beside it', async () => {
  const { server } = toyServer(['/placement'])
  for (const url of ['/placement', '/placement/', '/placement?x=1'])
    expect((await ask(server, url)).json(), url).toEqual({ toy: true })
  expect((await ask(server, { url: '/placement/things', headers: ADMIN })).statusCode).toBe(200)
  for (const url of ['/placementx', '/things', '/%70lacement/things']) {
    const lost = await ask(server, { url, headers: ADMIN })
    expect(lost.statusCode, url).toBe(404)
    expect(lost.json().errors[0].request_id).toBe(lost.headers['x-openstack-request-id'])
  }
  const odd = await ask(server, {
    method: 'POST',
    url: '/lost',
    headers: { 'content-type': ';;' },
    payload: 'x',
  })
  expect(odd.statusCode).toBe(404)
})

test('the root lists the mounts, unless a service is there', async () => {
  const listed = await ask(toyServer(['/placement', '/compute']).server, '/')
  expect(listed.json().services).toEqual([
    { name: 'toy', path: '/placement/', min_version: '1.0', max_version: '1.2' },
    { name: 'toy', path: '/compute/', min_version: '1.0', max_version: '1.2' },
  ])
  expect((await ask(toyServer(['', '/placement']).server, '/')).json()).toEqual({ toy: true })
})

test('a request goes to the longest mount that its path is below, however its URL is written', async () => {
  const { port } = await listen({}, ['/a', '/a/b'])
  const expected: readonly (readonly [url: string, status: number, mount: string | null])[] = [
    ['/a', 200, null],
    ['/a/', 200, null],
    ['/a/things/1', 200, '/a'],
    ['/a/things?a=1', 200, '/a'],
    ['/a?x=1', 200, null],
    ['/a/b', 200, null],
    ['/a/b/things/2', 200, '/a/b'],
    ['/a/b/no', 404, null],
    ['/a/bc', 404, null],
    ['/ab', 404, null],
    ['/%61/things/1', 404, null],
    ['/', 200, null],
    ['/healthz', 200, null],
    ['/nowhere', 404, null],
  ]
  const sameId = (body: string) => body.replaceAll(/req-[0-9a-f-]{36}/g, 'req')
  for (const [url, status, mount] of expected) {
    const short = await raw(port, request(`GET ${url}`))
    const long = await raw(port, request(`GET http://x${url}`))
    expect([url, short.status, long.status]).toEqual([url, status, status])
    expect(sameId(short.body), url).toBe(sameId(long.body))
    expect(short.head, url).toMatch(/x-openstack-request-id: req-[0-9a-f-]{36}/i)
    if (mount !== null) expect(JSON.parse(short.body).mount, url).toBe(mount)
  }
})

test('a request with two Host headers, or with none, is 400 wherever it goes', async () => {
  const { port } = await listen({}, ['/a'])
  for (const path of ['/a/things', '/healthz', '/nowhere']) {
    const two = await raw(port, request(`GET ${path}`, ['host: y']))
    expect([path, two.status]).toEqual([path, 400])
    expect(errorOf(two.body).detail).toContain('more than one host header')
    const none = await raw(port, `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`)
    expect([path, none.status]).toEqual([path, 400])
  }
})

test('health, readiness and metrics need no token, beside a service at the root too', async () => {
  let warning: string | null = 'the last write failed: /var/lib/berth is full'
  let unready: string | null = null
  const { server } = toyServer([''], { health: { warning: () => warning, unready: () => unready } })
  expect((await ask(server, '/healthz')).statusCode).toBe(200)
  const troubled = await ask(server, '/readyz')
  expect(troubled.statusCode).toBe(200)
  expect(troubled.json()).toEqual({ ready: true, warning: 'the last write failed; see the log' })
  warning = null
  unready = 'connect ECONNREFUSED 10.0.0.7:5432'
  const away = await ask(server, '/readyz')
  expect([away.statusCode, away.json()]).toEqual([
    503,
    { ready: false, reason: 'the database cannot be used; see the log' },
  ])
  unready = null
  expect((await ask(server, '/readyz')).json()).toEqual({ ready: true })
  await ask(server, { url: '/things/1', headers: ADMIN })
  const metrics = await ask(server, '/metrics')
  expect(metrics.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(metrics.payload).toContain(
    'berth_http_requests_total{service="toy",method="GET",route="/things/{id}",status="200"} 1',
  )
})

test('every request is one log line that tells who, what and how it ended, but no token', async () => {
  const { server, logged } = toyServer()
  const headers = {
    'x-auth-token': 'joe:p:admin',
    'openstack-api-version': 'placement 1.1',
    'x-openstack-request-id': 'req-01234567-89ab-cdef-0123-456789abcdef',
  }
  const answer = await ask(server, { url: '/things?a=1', headers })
  const lines = logged().split('\n').slice(0, -1)
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    msg: 'request',
    request_id: answer.headers['x-openstack-request-id'],
    global_request_id: 'req-01234567-89ab-cdef-0123-456789abcdef',
    service: 'toy',
    method: 'GET',
    path: '/things?a=1',
    status: 200,
    user: 'joe',
    project: 'p',
    microversion: '1.1',
    bytes: answer.rawPayload.length,
  })
  expect(lines[0]).not.toContain('joe:p:admin')
})

test('a stream is logged with the bytes that were sent, an error in place of its first piece is answered', async () => {
  const { server, metrics, logged } = toyServer()
  const streamed = await ask(server, { url: '/stream', headers: ADMIN })
  expect(streamed.payload).toBe('piece 0\npiece 1\npiece 2\n')
  expect(streamed.headers['x-openstack-request-id']).toMatch(/^req-/)
  expect(streamed.headers).not.toHaveProperty('content-length')
  const refused = await ask(server, { url: '/broken-stream', headers: ADMIN })
  expect(refused.statusCode).toBe(409)
  expect(refused.json().errors[0].detail).toContain('Not now')
  expect(metrics.render()).toContain('{service="toy",method="GET",route="/stream",status="200"} 1')
  const lines = logged()
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
  expect(lines.map(({ path, bytes }) => [path, bytes])).toEqual([
    ['/stream', streamed.rawPayload.length],
    ['/broken-stream', refused.rawPayload.length],
  ])
})

test('a raw body is read by its handler, however long it is, if it is of the right type', async () => {
  const { server } = toyServer([''], { limits: { bodyBytesMax: 10 } })
  const send = (type: string) =>
    ask(server, {
      method: 'POST',
      url: '/raw',
      headers: { ...ADMIN, 'content-type': type },
      payload: 'x'.repeat(200_000),
    })
  expect((await send('text/plain; charset=utf-8')).json()).toEqual({ bytes: 200_000 })
  expect((await send('application/json')).statusCode).toBe(415)
})

test('a HEAD is answered with the headers of a GET and no body', async () => {
  const { server } = toyServer(['/placement'])
  for (const url of ['/', '/healthz', '/readyz', '/metrics']) {
    const [got, head] = [await ask(server, url), await ask(server, { method: 'HEAD', url })]
    expect([url, head.statusCode, head.payload]).toEqual([url, 200, ''])
    expect(head.headers['content-type'], url).toBe(got.headers['content-type'])
  }
})

test('draining: not ready, new connections refused, requests in flight finished, connections closed', async () => {
  const { port, server, gate } = await listen()
  const inFlight = open(port)
  inFlight.socket.write('GET /slow HTTP/1.1\r\nHost: x\r\nX-Auth-Token: admin\r\n\r\n')
  await gate.arrived
  const drained = server.drain({ lingerMs: 100 })
  expect((await raw(port, request('GET /readyz'))).body).toBe('{"ready":false,"reason":"draining"}')
  await eventually(async () => (await refused(port)) === true)
  gate.open()
  expect(await drained).toBe(true)
  const received = await inFlight.all()
  expect(received).toContain('connection: close')
  expect(received).toMatch(/"done"$/)
})

test('draining answers the next request of a kept connection, and tells its client to go', async () => {
  const { port, server } = await listen()
  const kept = open(port)
  const ask = () => kept.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  ask()
  await kept.until('"toy"')
  // Connections that were opened just now get a moment anyway.
  await sleep(300)
  const drained = server.drain()
  await eventually(async () => (await refused(port)) === true)
  ask()
  expect(await kept.all()).toMatch(/connection: keep-alive.*connection: close/is)
  expect(await drained).toBe(true)
})

test('draining cuts what does not finish within its bound', async () => {
  const { port, server, gate } = await listen()
  const stuck = open(port)
  stuck.socket.write(request('GET /slow'))
  await gate.arrived
  expect(await server.drain({ finishMsMax: 50 })).toBe(false)
  expect(await stuck.all()).toBe('')
  gate.open()
})

test('an idle connection does not hold up draining', async () => {
  const { port, server } = await listen()
  const idle = open(port)
  idle.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await idle.until('"toy"')
  expect(await server.drain({ finishMsMax: 5000 })).toBe(true)
})

async function refused(port: number): Promise<boolean> {
  const socket: Socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 500; turn++) {
    if (await check()) return
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  throw new Error('it did not come to pass')
}

test('a content type without a body is answered', async () => {
  const { port } = await listen({}, ['/toy'])
  const empty = await raw(port, request('POST /toy/things', ['Content-Type: application/json']))
  expect(empty.status).toBe(500)
  const elsewhere = await raw(port, request('POST /elsewhere', ['Content-Type: application/json']))
  expect(elsewhere.status).toBe(404)
})
