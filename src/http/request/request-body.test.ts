import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { BodyMemory } from './body-memory.ts'
import { hasBody, RequestAborted, readBody } from './request-body.ts'

function upload(headers: Record<string, string> = {}) {
  const stream = new PassThrough()
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage }
}

const limited = (bytesMax: number, memory = new BodyMemory(1_000), owner = 'a') => ({
  bytesMax,
  memory,
  owner,
})

test('chunks are joined', async () => {
  const { stream, request } = upload()
  const body = readBody(request, limited(10))
  stream.write('abc')
  stream.end('def')
  expect((await body).toString()).toBe('abcdef')
})

test('a body of just the limit is taken, one byte more is 413', async () => {
  const fits = upload()
  fits.stream.end('x'.repeat(10))
  expect(await readBody(fits.request, limited(10))).toHaveLength(10)
  const over = upload()
  over.stream.end('x'.repeat(11))
  await expect(readBody(over.request, limited(10))).rejects.toMatchObject({ status: 413 })
})

test('a declared length over the limit is refused before anything is sent', async () => {
  const { request } = upload({ 'content-length': '11' })
  await expect(readBody(request, limited(10))).rejects.toMatchObject({ status: 413 })
})

test('a client that disconnects is not an error', async () => {
  const { stream, request } = upload()
  const body = readBody(request, limited(10))
  stream.destroy(new Error('reset'))
  await expect(body).rejects.toBeInstanceOf(RequestAborted)
  await expect(readBody(request, limited(10))).rejects.toBeInstanceOf(RequestAborted)
})

test('bytes one by one become a single buffer', async () => {
  const { stream, request } = upload()
  const body = readBody(request, limited(100))
  for (let nth = 0; nth < 100; nth++) stream.write(String(nth % 10))
  stream.end()
  expect((await body).toString()).toBe('0123456789'.repeat(10))
})

const arrival = () => new Promise(resolve => setImmediate(resolve))

test('what unfinished bodies hold is bounded, for each owner and for all, and given back', async () => {
  const memory = new BodyMemory(400)
  const begin = (owner: string, bytes: number) => {
    const { stream, request } = upload()
    stream.write('x'.repeat(bytes))
    return { stream, body: readBody(request, limited(1_000, memory, owner)) }
  }
  const first = begin('a', 60)
  await arrival()
  await expect(begin('a', 60).body).rejects.toMatchObject({ status: 503 })
  expect(memory.held).toBe(60)
  const others = ['b', 'c', 'd'].map(owner => begin(owner, 100))
  await arrival()
  await expect(begin('e', 50).body).rejects.toMatchObject({ status: 503 })
  first.stream.end()
  expect(await first.body).toHaveLength(60)
  for (const { stream } of others) stream.destroy()
  await Promise.allSettled(others.map(({ body }) => body))
  expect(memory.held).toBe(0)
})

test('a body that comes whole needs no room', async () => {
  const { stream, request } = upload({ 'content-length': '3' })
  const body = readBody(request, limited(10, new BodyMemory(0)))
  stream.end('abc')
  expect((await body).toString()).toBe('abc')
})

test('a request has a body when it declares a length above zero, or sends chunks', () => {
  expect(hasBody(upload({ 'content-length': '5' }).request)).toBe(true)
  expect(hasBody(upload({ 'transfer-encoding': 'chunked' }).request)).toBe(true)
  expect(hasBody(upload({ 'content-length': '0' }).request)).toBe(false)
  expect(hasBody(upload().request)).toBe(false)
})
