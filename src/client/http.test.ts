import { afterEach, expect, test } from 'vitest'
import { Answering, answerJson } from './answering.fixture.ts'
import { Refused, Unreachable } from './failure.ts'
import { HttpClient } from './http.ts'

let server: Answering | null = null
afterEach(() => server?.stop())

const clientOf = (url: string, patienceMs?: number) =>
  new HttpClient({ url, token: 's3cret', ...(patienceMs === undefined ? {} : { patienceMs }) })

test('the token and the body go out as they should', async () => {
  server = await Answering.start((_, response) => answerJson(response, 200, { fine: true }))
  const answer = await clientOf(server.url).json('PUT', '/a', { query: 'b=1', json: { c: 2 } })
  expect(answer).toEqual({ fine: true })
  expect(server.asked[0]).toMatchObject({
    method: 'PUT',
    url: '/a?b=1',
    body: '{"c":2}',
    headers: { 'x-auth-token': 's3cret', 'content-type': 'application/json' },
  })
})

test('a redirect is not followed: the token stays here', async () => {
  server = await Answering.start((_, response) =>
    response.writeHead(302, { location: 'http://elsewhere.example/' }).end(),
  )
  await expect(clientOf(server.url).send('GET', '/')).rejects.toThrow('http://elsewhere.example/')
  expect(server.asked).toHaveLength(1)
})

test('an error status is Refused', async () => {
  server = await Answering.start((_, response) =>
    answerJson(response, 409, { detail: 'taken', code: 'x.taken' }),
  )
  const error = await clientOf(server.url)
    .send('GET', '/')
    .catch(error => error)
  expect(error).toBeInstanceOf(Refused)
  expect(error).toMatchObject({ status: 409, code: 'x.taken', message: 'taken' })
})

test('no server is Unreachable, with a plain text', async () => {
  server = await Answering.start(() => undefined)
  server.stop()
  const error = await clientOf(server.url)
    .send('GET', '/')
    .catch(error => error)
  expect(error).toBeInstanceOf(Unreachable)
  expect(error).toMatchObject({ noServer: true, message: 'connection refused', url: server.url })
})

test('patience has an end', async () => {
  server = await Answering.start(() => undefined)
  const error = await clientOf(server.url, 50)
    .send('GET', '/')
    .catch(error => error)
  expect(error).toMatchObject({ name: 'Unreachable', message: 'no answer in time', noServer: false })
})

test('a body that breaks off is Unreachable', async () => {
  server = await Answering.start((_, response) => {
    response.writeHead(200).write('half')
    setTimeout(() => response.destroy(), 20)
  })
  const client = clientOf(server.url)
  const answer = await client.send('GET', '/')
  const read = async () => {
    for await (const _ of client.bytes(answer));
  }
  await expect(read()).rejects.toThrow(Unreachable)
})

test('an answer that is no JSON is an error', async () => {
  server = await Answering.start((_, response) => response.writeHead(200).end('<html>'))
  await expect(clientOf(server.url).json('GET', '/a')).rejects.toThrow('the answer to GET /a is not JSON')
})
