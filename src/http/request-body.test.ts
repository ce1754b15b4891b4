import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { hasBody, RequestAborted, readBody } from './request-body.ts'

function upload(headers: Record<string, string> = {}) {
  const stream = new PassThrough()
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage }
}

test('chunks are joined', async () => {
  const { stream, request } = upload()
  const body = readBody(request, 10)
  stream.write('abc')
  stream.end('def')
  expect((await body).toString()).toBe('abcdef')
})

test('a body of just the limit is taken, one byte more is 413', async () => {
  const fits = upload()
  fits.stream.end('x'.repeat(10))
  expect(await readBody(fits.request, 10)).toHaveLength(10)
  const over = upload()
  over.stream.end('x'.repeat(11))
  await expect(readBody(over.request, 10)).rejects.toMatchObject({ status: 413 })
})

test('a declared length over the limit is refused before anything is sent', async () => {
  const { request } = upload({ 'content-length': '11' })
  await expect(readBody(request, 10)).rejects.toMatchObject({ status: 413 })
})

test('a client that hangs up, or has done so already, is told apart from errors', async () => {
  const { stream, request } = upload()
  const body = readBody(request, 10)
  stream.destroy(new Error('reset'))
  await expect(body).rejects.toBeInstanceOf(RequestAborted)
  await expect(readBody(request, 10)).rejects.toBeInstanceOf(RequestAborted)
})

test('a request has a body when it declares a length above zero, or sends chunks', () => {
  expect(hasBody(upload({ 'content-length': '5' }).request)).toBe(true)
  expect(hasBody(upload({ 'transfer-encoding': 'chunked' }).request)).toBe(true)
  expect(hasBody(upload({ 'content-length': '0' }).request)).toBe(false)
  expect(hasBody(upload().request)).toBe(false)
})
