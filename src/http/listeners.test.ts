import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type ListenOptions, type Server as NetServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Listeners } from './listeners.ts'

async function opened(where = { host: '127.0.0.1', port: 0 }, mayShare = true) {
  const server = createServer((_request, response) => response.end('done'))
  const listeners = new Listeners(server, false)
  onTestFinished(async () => {
    server.closeAllConnections()
    await listeners.close()
  })
  const addresses = await listeners.open(where, async (options: ListenOptions) => {
    if (options.reusePort && !mayShare) throw Object.assign(new Error('listen'), { code: 'ENOTSUP' })
    server.listen(options)
    await once(server, 'listening')
  })
  return { server, listeners, addresses, port: (addresses[0] as AddressInfo).port }
}

/** How many of so many connections that wait are accepted in one turn of the event loop, at most. */
async function mostPerTurn(server: NetServer, port: number, count: number): Promise<number> {
  const perTurn: number[] = [0]
  server.on('connection', () => perTurn.push((perTurn.pop() as number) + 1))
  const clients = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  while (perTurn.reduce((a, b) => a + b) < count) {
    await nextTurn()
    perTurn.push(0)
  }
  for (const client of clients) client.destroy()
  return Math.max(...perTurn)
}

test.runIf(process.platform === 'linux')('several connections are accepted in one turn', async () => {
  const { server, port } = await opened()
  expect(await mostPerTurn(server, port, 64)).toBeGreaterThan(2)
})

test('where ports cannot be shared, one socket serves', async () => {
  const { port } = await opened(undefined, false)
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('done')
})

test('a port in use is refused, also if its owner would share it', async () => {
  const { port } = await opened()
  await expect(opened({ host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('every address of localhost has the same port, and a closed one refuses', async () => {
  const { addresses, listeners, port } = await opened({ host: 'localhost', port: 0 })
  for (const { address, family } of addresses) {
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`
    expect(await (await fetch(url, { headers: { connection: 'close' } })).text()).toBe('done')
  }
  await listeners.close()
  for (const { address } of addresses)
    await expect(once(connect(port, address), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a port that was given is taken as it is', async () => {
  const { port, listeners } = await opened()
  await listeners.close()
  expect((await opened({ host: '127.0.0.1', port })).port).toBe(port)
})
