import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import {
  anotherAuthority,
  authority,
  clientCertificate,
  clientKey,
  serverCertificate,
  serverKey,
} from '../../store/postgres/certificates.fixture.ts'
import { CertificateRefused, readCertificate, watchCertificate } from './certificates.ts'
import { createLog } from './log.ts'

let directory: string
let paths: { cert: string; key: string }
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-tls-'))
  paths = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
  await writeFile(paths.cert, serverCertificate)
  await writeFile(paths.key, serverKey)
})
afterEach(() => rm(directory, { recursive: true }))

function get(
  port: number,
  path: string,
  ca: string,
): Promise<{ status: number; headers: object; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, ca, servername: 'localhost', agent: false },
      answer => {
        let text = ''
        answer.on('data', chunk => {
          text += chunk
        })
        answer.on('end', () =>
          resolve({ status: answer.statusCode as number, headers: answer.headers, text }),
        )
      },
    )
    asked.on('error', reject).end()
  })
}

test('a server with a certificate speaks HTTPS and nothing else, and names itself so', async () => {
  const berth = await Berth.start({ tls_cert: paths.cert, tls_key: paths.key })
  try {
    expect(berth.server.url).toMatch(/^https:/)
    const port = Number(new URL(berth.server.url).port)
    const { status, headers, text } = await get(port, '/compute/', authority)
    expect(status).toBe(200)
    expect(text).toContain(`"href":"https://`)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
    expect((await get(port, '/healthz', authority)).headers).toMatchObject({
      'strict-transport-security': 'max-age=31536000',
    })
    await expect(get(port, '/healthz', anotherAuthority)).rejects.toThrow()
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
    const old = connect({
      host: '127.0.0.1',
      port,
      ca: authority,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    })
    await expect(
      new Promise((resolve, reject) => old.on('secureConnect', resolve).on('error', reject)),
    ).rejects.toThrow()
  } finally {
    await berth.end()
  }
})

test('files that are missing, or do not belong together, are refused in one line', async () => {
  await writeFile(paths.key, clientKey)
  await expect(readCertificate(paths)).rejects.toThrow(CertificateRefused)
  await writeFile(paths.key, 'nothing')
  await expect(readCertificate(paths)).rejects.toThrow('cannot be used')
  await expect(readCertificate({ ...paths, key: join(directory, 'none') })).rejects.toThrow('does not exist')
})

test('files that are replaced are taken, and half a pair is waited out', async () => {
  const lines: string[] = []
  const log = createLog({ stream: { write: text => lines.push(text) } })
  const taken = Promise.withResolvers<string>()
  const stop = watchCertificate(paths, log, ({ cert }) => taken.resolve(cert.toString()), 20)
  const later = new Date(Date.now() + 5_000)
  await new Promise(resolve => setTimeout(resolve, 60))
  await writeFile(paths.cert, clientCertificate)
  await utimes(paths.cert, later, later)
  while (!lines.join('').includes('cannot load the new certificate'))
    await new Promise(resolve => setTimeout(resolve, 10))
  await writeFile(paths.key, clientKey)
  await utimes(paths.key, later, later)
  expect(await taken.promise).toBe(clientCertificate)
  stop()
})
