import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, toyServer } from '../toy-service.fixture.ts'

const directory = mkdtempSync(join(tmpdir(), 'healthcheck-'))
const file = (name: string) => join(directory, name)

test('it answers OK without a token, at the root and below every service', async () => {
  const { server } = toyServer(['/placement', '/share'])
  for (const url of ['/healthcheck', '/placement/healthcheck', '/share/healthcheck', '/healthcheck?x=1']) {
    const { statusCode, payload, headers } = await ask(server, url)
    expect([statusCode, payload, headers['content-type']]).toEqual([200, 'OK', 'text/plain; charset=UTF-8'])
  }
  expect((await ask(server, '/placement/healthcheck/none')).statusCode).toBe(404)
  expect((await ask(server, { method: 'POST', url: '/healthcheck' })).statusCode).toBe(405)
})

test('beside a service at the root it is there too', async () => {
  const { server } = toyServer([''])
  expect((await ask(server, '/healthcheck')).payload).toBe('OK')
})

test('HEAD is 204, as oslo.middleware answers it', async () => {
  const { server } = toyServer()
  const { statusCode, payload } = await ask(server, { method: 'HEAD', url: '/healthcheck' })
  expect([statusCode, payload]).toEqual([204, ''])
})

test('while the file exists it is 503 DISABLED BY FILE, and OK again without it', async () => {
  const path = file('disable')
  const { server } = toyServer([''], {
    healthcheck: { disableFiles: [path], enableFiles: [], isDetailed: false },
  })
  expect((await ask(server, '/healthcheck')).payload).toBe('OK')
  writeFileSync(path, '')
  const away = await ask(server, '/healthcheck')
  expect([away.statusCode, away.payload]).toEqual([503, 'DISABLED BY FILE'])
  expect((await ask(server, { method: 'HEAD', url: '/healthcheck' })).statusCode).toBe(503)
  expect((await ask(server, '/healthz')).statusCode).toBe(200)
  rmSync(path)
  expect((await ask(server, '/healthcheck')).statusCode).toBe(200)
})

test('while a file is missing that must be there it is 503 FILE PATH MISSING', async () => {
  const { server } = toyServer([''], {
    healthcheck: { disableFiles: [], enableFiles: [directory, file('none')], isDetailed: false },
  })
  const { statusCode, payload } = await ask(server, '/healthcheck')
  expect([statusCode, payload]).toEqual([503, 'FILE PATH MISSING'])
})

test('where /readyz says no, so does it', async () => {
  const { server } = toyServer([''], { health: { warning: () => null, unready: () => 'gone' } })
  const { statusCode, payload } = await ask(server, '/healthcheck')
  expect([statusCode, payload]).toEqual([503, 'THE DATABASE CANNOT BE USED; SEE THE LOG'])
})

test('Accept chooses between text, HTML and JSON; what fits none is text', async () => {
  const { server } = toyServer()
  const typed = async (accept: string) => {
    const { headers, payload } = await ask(server, { url: '/healthcheck', headers: { accept } })
    return [headers['content-type'], payload]
  }
  expect(await typed('application/json')).toEqual([
    'application/json',
    '{\n    "detailed": false,\n    "reasons": [\n        "OK"\n    ]\n}',
  ])
  const [type, html] = await typed('text/html')
  expect(type).toBe('text/html; charset=UTF-8')
  expect(html).toContain('<TD>OK</TD>')
  expect(await typed('*/*')).toEqual(['text/plain; charset=UTF-8', 'OK'])
  expect(await typed('image/png')).toEqual(['text/plain; charset=UTF-8', 'OK'])
})

test('paths are shown only with details, and escaped in HTML', async () => {
  const path = file('<a>')
  const options = (isDetailed: boolean) => ({
    healthcheck: { disableFiles: [path], enableFiles: [], isDetailed },
  })
  const accept = (type: string) => ({ url: '/healthcheck', headers: { accept: type } })
  const plain = toyServer([''], options(false)).server
  for (const type of ['text/plain', 'text/html', 'application/json'])
    expect((await ask(plain, accept(type))).payload).not.toContain(directory)
  const detailed = toyServer([''], options(true)).server
  expect((await ask(detailed, accept('application/json'))).json()).toMatchObject({
    detailed: true,
    reasons: [
      { reason: 'OK', class: 'HealthcheckResult' },
      { reason: 'OK', class: 'HealthcheckResult', details: `Path '${path}' was not found` },
    ],
  })
  expect((await ask(detailed, accept('text/html'))).payload).toContain('&lt;a&gt;')
})
