import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type ConnectionLimits, Connections } from './connections.ts'

test('a connection that never sent a request is ended, one with a request under way is not', async () => {
  const answers: (() => void)[] = []
  const server = createServer()
  const connections = new Connections(server, false, (_request, response) =>
    answers.push(() => response.end('done')),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const unused = connect(port, '127.0.0.1')
  await once(unused, 'connect')
  const answer = fetch(`http://127.0.0.1:${port}/`)
  await once(server, 'request')
  server.close()
  connections.endIdle()
  unused.resume()
  await once(unused, 'close')
  answers[0]?.()
  expect(await (await answer).text()).toBe('done')
  server.closeAllConnections()
})

test('a request that is on its way when its connection would be ended is still answered', async () => {
  const server = createServer()
  const connections = new Connections(server, false, (_request, response) => response.end('done'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const opened = once(server, 'connection')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await opened
  server.close()
  connections.endIdle()
  client.write('POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  let answer = ''
  for await (const chunk of client) answer += chunk
  expect(answer).toMatch(/^HTTP\/1.1 200 .*done$/s)
})

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'

/** Takes requests and lets the test answer them. */
async function held(limits: Partial<ConnectionLimits> = {}) {
  const server = createServer()
  const started: ServerResponse[] = []
  const connections = new Connections(server, false, (_request, response) => started.push(response), limits)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(client, 'connect')
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await sleep(2)
  }
  return { server, connections, started, client, until }
}

test('of pipelined requests one is served at a time, in their order, and the next once its answer has left', async () => {
  const { started, client, until } = await held()
  client.write(GET.repeat(3))
  await until(() => started.length > 0)
  await sleep(5)
  expect(started).toHaveLength(1)
  let received = ''
  client.on('data', chunk => {
    received += chunk
  })
  for (let nth = 0; nth < 3; nth++) {
    await until(() => started.length > nth)
    expect(started).toHaveLength(nth + 1)
    started[nth]?.end(`answer ${nth}`)
  }
  await until(() => received.includes('answer 2'))
  expect(received.match(/answer \d/g)).toEqual(['answer 0', 'answer 1', 'answer 2'])
})

test('a client that sends requests and reads nothing has one answer held, and is cut', async () => {
  const { server, started, client } = await held({ untakenMsMax: 50, checkMs: 10 })
  client.write(GET.repeat(100))
  const [{ socket }] = await once(server, 'request')
  const large = Buffer.alloc(16 * 1024 * 1024)
  started[0]?.end(large)
  client.pause()
  await once(socket, 'close')
  expect(started).toHaveLength(1)
  expect(socket.writableLength).toBeLessThanOrEqual(large.length + 1_000)
})

test('a client that goes on sending behind an answer without end is cut, and nothing that waits is done', async () => {
  const { server, started, client, until } = await held({ waitingMax: 3 })
  let requests = 0
  server.on('request', () => requests++)
  client.on('error', () => undefined).resume()
  client.write(GET)
  await until(() => started.length === 1)
  started[0]?.write('one event of a feed')
  const closed = once(client, 'close')
  client.write(GET.repeat(3))
  await until(() => requests === 4)
  expect(client.destroyed).toBe(false)
  client.write(GET)
  await closed
  expect(started).toHaveLength(1)
})

test('a request that comes after the last answer of its connection is not done', async () => {
  const { server, started, client, until } = await held()
  client.on('error', () => undefined).resume()
  client.write(GET)
  await until(() => started.length === 1)
  const response = started[0] as ServerResponse
  const { socket } = response
  // As if the rest of the answer took its time to leave.
  if (socket !== null) socket.destroySoon = () => undefined
  response.shouldKeepAlive = false
  response.end('last')
  await once(response, 'close')
  const came = once(server, 'request')
  client.write(GET)
  await came
  expect(started).toHaveLength(1)
})

test('a request that is half sent is no idle connection', async () => {
  const { connections, started, client, until } = await held()
  client.write(GET)
  await until(() => started.length === 1)
  started[0]?.end('first')
  await once(client, 'data')
  client.write(GET.slice(0, 10))
  await sleep(20)
  connections.endIdle()
  client.write(GET.slice(10))
  await until(() => started.length === 2)
  started[1]?.end('second')
  expect(String((await once(client, 'data'))[0])).toContain('second')
})

test('past the limit a connection is closed at once, and one that ends makes room', async () => {
  const { server, client } = await held({ connectionsMax: 2 })
  const { port } = server.address() as AddressInfo
  const count = () => new Promise<number>(resolve => server.getConnections((_, found) => resolve(found)))
  const second = connect(port, '127.0.0.1')
  await expect.poll(count).toBe(2)
  const third = connect(port, '127.0.0.1').on('error', () => undefined)
  third.resume()
  await once(third, 'close')
  expect(await count()).toBe(2)
  client.destroy()
  await expect.poll(count).toBe(1)
  const fourth = connect(port, '127.0.0.1')
  await expect.poll(count).toBe(2)
  expect([second.destroyed, fourth.destroyed]).toEqual([false, false])
})
