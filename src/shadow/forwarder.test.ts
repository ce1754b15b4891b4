import { mkdtemp, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { Berth } from '../../test/running-berth.ts'
import { authority, serverCertificate, serverKey } from '../store/postgres/certificates.fixture.ts'
import type { KeptRequest } from './exchange.ts'
import { Forwarder } from './forwarder.ts'

const write: KeptRequest = {
  method: 'PUT',
  path: '/traits/CUSTOM_A',
  headers: {},
  rawHeaders: [],
  body: Buffer.alloc(0),
  requestId: 'req-1',
  caller: { remoteAddress: undefined, localAddress: undefined, localPort: undefined, encrypted: false },
}

/** A port whose host drops every further attempt to connect: nobody accepts, and the queue of the kernel is full. */
async function startDeafHost(): Promise<{ readonly port: number; end(): Promise<void> }> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
     const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port)
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
     })`,
    { eval: true },
  )
  const port = await new Promise<number>(resolve => worker.once('message', resolve))
  const fillers: Socket[] = []
  for (let isFull = false; !isFull && fillers.length < 20; ) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    fillers.push(socket)
    const opened = new Promise<boolean>(resolve => socket.once('connect', () => resolve(true)))
    isFull = !(await Promise.race([opened, sleep(200, false)]))
  }
  return {
    port,
    async end() {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    },
  }
}

test('a write to a host that drops packets ends in time and is known not to be sent', async () => {
  const host = await startDeafHost()
  const forwarder = new Forwarder(`http://127.0.0.1:${host.port}`, 300)
  await expect(forwarder.ask(write)).rejects.toMatchObject({ status: 503, isUnsent: true })
  forwarder.close()
  await host.end()
})

test('a write is known not to be sent if the encryption never comes about', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => silent.once('listening', resolve))
  const forwarder = new Forwarder(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`, 300)
  await expect(forwarder.ask(write)).rejects.toMatchObject({ status: 503, isUnsent: true })
  forwarder.close()
  silent.close()
})

test('a write without an answer in time is unknown, not unsent', async () => {
  const server = createServer(socket => void socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const forwarder = new Forwarder(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 300)
  await expect(forwarder.ask(write)).rejects.toMatchObject({ status: 504, isUnsent: false })
  forwarder.close()
  server.close()
})

/** Answers at first; later it closes, at the next request, every connection that it has, as a program that is killed. */
async function startClosing() {
  let closes = false
  const server = createServer(socket => {
    const isNew = closes
    socket.on('error', () => undefined)
    socket.on('data', () => {
      if (closes && !isNew) socket.resetAndDestroy()
      else setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'), 20)
    })
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closeFromNow: () => {
      closes = true
    },
  }
}

test('a read finds all kept connections closed, and is sent on a new one', async () => {
  const { server, url, closeFromNow } = await startClosing()
  const forwarder = new Forwarder(url, 2_000)
  const read = { ...write, method: 'GET' }
  await Promise.all(Array.from({ length: 5 }, () => forwarder.ask(read)))
  closeFromNow()
  expect((await forwarder.ask(read)).status).toBe(200)
  forwarder.close()
  server.close()
})

test('a Placement with a certificate of an own authority is shadowed once the authority is named', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'shadow-ca-'))
  const file = async (name: string, text: string) => {
    await writeFile(join(directory, name), text, { mode: 0o600 })
    return join(directory, name)
  }
  const placement = await Berth.start(
    { tls_cert: await file('cert.pem', serverCertificate), tls_key: await file('key.pem', serverKey) },
    false,
  )
  const shadow_of = `${placement.server.url.replace('127.0.0.1', 'localhost')}/placement`
  const shadow_ca_file = await file('ca.pem', authority)
  const berth = await Berth.start({ shadow_of, shadow_ca_file }, false)
  expect((await berth.ask('PUT', '/traits/CUSTOM_A', { minor: 39 })).status).toBe(201)
  const swept = async () => {
    const { sweep } = (await berth.ask('GET', '/v1/shadow')).json.shadow
    return [sweep.failure, sweep.passes > 0]
  }
  await expect.poll(swept, { timeout: 10_000 }).toEqual([null, true])
  await berth.stop()
  await placement.stop()
})
