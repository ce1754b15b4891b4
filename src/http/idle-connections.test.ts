import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { Connections } from './idle-connections.ts'

test('a connection that never sent a request is ended, one with a request under way is not', async () => {
  const answers: (() => void)[] = []
  const server = createServer((_request, response) => answers.push(() => response.end('done')))
  const connections = new Connections(server)
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
  const server = createServer((_request, response) => response.end('done'))
  const connections = new Connections(server)
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
