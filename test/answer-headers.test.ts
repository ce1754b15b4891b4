/** What holds for every answer of every route, whoever makes it: security headers, CORS, compression, log and metrics. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, METHODS } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authority, serverCertificate, serverKey } from '../src/store/postgres/certificates.fixture.ts'
import { Berth } from './running-berth.ts'

const ORIGIN = 'https://pages.example.org'
const agent = new Agent({ keepAlive: true, ca: authority, maxSockets: 4 })
let berth: Berth
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-headers-'))
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  await writeFile(cert, serverCertificate)
  await writeFile(key, serverKey)
  berth = await Berth.start({
    tls_cert: cert,
    tls_key: key,
    cors_allowed_origin: [ORIGIN],
    compress_answers: true,
    // Only so is /identity there.
    auth: 'token',
    rbac: 'secure',
    log_format: 'json',
  })
})
afterAll(async () => {
  agent.destroy()
  await berth.end()
  await rm(directory, { recursive: true })
})

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Of the body; null if it was cut off. */
  readonly bytes: number | null
}

/** Some answers go on for ever. */
const PATIENCE_MS = 200

function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<Answered> {
  const { port } = new URL(berth.server.url)
  const options = { host: '127.0.0.1', port, path, method, agent, servername: 'localhost' }
  return new Promise((resolve, reject) => {
    const asked = request({ ...options, headers: { origin: ORIGIN, ...headers } }, answer => {
      let bytes = 0
      answer.on('data', chunk => {
        bytes += chunk.length
      })
      const timer = setTimeout(() => answer.destroy(), PATIENCE_MS)
      answer
        .on('error', () => undefined)
        .on('close', () => {
          clearTimeout(timer)
          const status = answer.statusCode as number
          resolve({ status, headers: answer.headers, bytes: answer.complete ? bytes : null })
        })
    })
    asked.on('error', reject).end()
  })
}

/** The line about a request. The log is written after the answer. */
async function findLogLine(requestId: string): Promise<{ readonly bytes: number } | null> {
  for (let tries = 0; tries < 100; tries++) {
    const line = berth.logLines.findLast(
      one => one.includes(`"request_id":"${requestId}"`) && one.includes('"msg":"request"'),
    )
    if (line !== undefined) return JSON.parse(line)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  return null
}

/** How many requests the metrics have counted, this one not yet. */
async function countRequests(): Promise<number> {
  const text = await new Promise<string>((resolve, reject) => {
    const { port } = new URL(berth.server.url)
    request({ host: '127.0.0.1', port, path: '/metrics', agent, servername: 'localhost' }, answer => {
      let text = ''
      answer.on('data', chunk => {
        text += chunk
      })
      answer.on('end', () => resolve(text))
    })
      .on('error', reject)
      .end()
  })
  const counts = [...text.matchAll(/^berth_http_requests_total\{.*\} (\d+)$/gm)].map(match =>
    Number(match[1]),
  )
  return counts.reduce((sum, one) => sum + one, 0)
}

/** Every route of every mount, as the running server tells, and what is beside them. */
const walk = (): (readonly [method: string, path: string])[] => [
  ...berth.server.routes.map(
    ({ method, mount, path }) => [method, `${mount}${path.replaceAll(/\{\w+\}/g, 'x')}`] as const,
  ),
  ...['/nothing', '/placement', '/compute/none', '/v1/none', '/healthz/none'].map(
    path => ['GET', path] as const,
  ),
  ['PUT', '/healthz'],
  ['PUT', '/'],
]

const EXPECTED = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
}

test('there is something to walk, of every service', () => {
  expect(walk().length).toBeGreaterThan(200)
  expect([...new Set(berth.server.routes.map(({ service }) => service))].sort()).toEqual(
    ['berth', 'catalog', 'compute', 'health', 'identity', 'index', 'placement', 'share'].sort(),
  )
})

describe.each(['nobody', 'the admin'])('every route, asked by %s', who => {
  test('has security headers, CORS and a request id, and is logged and counted', async () => {
    const token = who === 'nobody' ? '' : (berth.server.firstStartToken as string)
    const before = await countRequests()
    const lacking: string[] = []
    for (const [method, path] of walk()) {
      const { status, headers, bytes } = await ask(
        method,
        path,
        token === '' ? {} : { 'x-auth-token': token },
      )
      const what = `${method} ${path} ${status}`
      for (const [name, value] of Object.entries(EXPECTED))
        if (headers[name] !== value) lacking.push(`${what} ${name}: ${headers[name]}`)
      if (headers['access-control-allow-origin'] !== ORIGIN) lacking.push(`${what} is for no other origin`)
      if (headers.vary?.includes('Origin') !== true) lacking.push(`${what} vary: ${headers.vary}`)
      const line = await findLogLine(String(headers['x-openstack-request-id']))
      if (line === null) lacking.push(`${what} is not logged`)
      else if (bytes !== null && line.bytes !== bytes)
        lacking.push(`${what} has ${bytes} bytes, ${line.bytes} are logged`)
    }
    expect(lacking).toEqual([])
    // The first look at the metrics is counted, too.
    expect((await countRequests()) - before).toBe(walk().length + 1)
  })
})

test.each(['/placement/resource_providers', '/v1/fleet', '/healthz', '/nothing'])(
  '%s is answered whatever the request expects, and with whatever method',
  async path => {
    const usual = await ask('GET', path)
    expect(await ask('GET', path, { expect: 'miracles' })).toMatchObject({
      status: usual.status,
      headers: EXPECTED,
    })
    for (const method of METHODS.filter(one => one !== 'CONNECT'))
      expect(await ask(method, path), method).toMatchObject({ headers: EXPECTED })
  },
)

describe('other origins', () => {
  test.each(['/placement/resource_providers', '/v1/fleet', '/readyz'])('may use %s', async path => {
    const { headers } = await ask('GET', path, { 'x-auth-token': berth.server.firstStartToken as string })
    expect(headers['access-control-allow-origin']).toBe(ORIGIN)
    expect(headers.vary).toContain('Origin')
    const preflight = await ask('OPTIONS', path, {
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-auth-token',
    })
    expect(preflight).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-methods': 'GET', ...EXPECTED },
    })
  })
})

test('long answers of /v1 are compressed, as those of services are', async () => {
  const { headers } = await ask('GET', '/v1/openapi.json', {
    'x-auth-token': berth.server.firstStartToken as string,
    'accept-encoding': 'gzip',
  })
  expect(headers['content-encoding']).toBe('gzip')
  expect(headers.vary).toContain('accept-encoding')
})
