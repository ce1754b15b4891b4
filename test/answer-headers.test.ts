/** Every answer of every route has the headers that keep browsers out of trouble, whoever makes the answer. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, METHODS } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CatalogContext } from '../src/catalog/context.ts'
import { catalogRoutes } from '../src/catalog/routes.ts'
import type { ComputeContext } from '../src/compute/context.ts'
import { computeRoutes } from '../src/compute/routes.ts'
import type { IdentityContext } from '../src/identity/api/context.ts'
import { identityRoutes } from '../src/identity/api/service.ts'
import type { PlacementContext } from '../src/placement/context.ts'
import { placementRoutes } from '../src/placement/routes.ts'
import type { ShareContext } from '../src/shares/context.ts'
import { shareRoutes } from '../src/shares/routes.ts'
import { authority, serverCertificate, serverKey } from '../src/store/postgres/certificates.fixture.ts'
import { type V1Context, v1Routes } from '../src/v1/routes.ts'
import { World } from '../src/world/world.ts'
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
}

function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<Answered> {
  const { port } = new URL(berth.server.url)
  const options = { host: '127.0.0.1', port, path, method, agent, servername: 'localhost' }
  return new Promise((resolve, reject) => {
    const asked = request({ ...options, headers: { origin: ORIGIN, ...headers } }, answer => {
      resolve({ status: answer.statusCode as number, headers: answer.headers })
      // Some go on for ever.
      answer.resume()
      setTimeout(() => answer.complete || answer.destroy(), 200).unref()
    })
    asked.on('error', reject).end()
  })
}

// What routes look at while they are listed; nobody asks them anything here.
const context = { world: new World(), settings: {} } as unknown
const at = (mount: string, routes: readonly { readonly method: string; readonly path: string }[]) =>
  routes.map(({ method, path }) => [method, `${mount}${path.replaceAll(/\{\w+\}/g, 'x')}`] as const)

const routes = [
  ...at('/placement', placementRoutes(context as PlacementContext)),
  ...at('/compute', computeRoutes(context as ComputeContext)),
  ...at('/image', catalogRoutes(context as CatalogContext)),
  ...at('/share', shareRoutes(context as ShareContext)),
  ...at('/identity', identityRoutes(context as IdentityContext)),
  ...at('/v1', v1Routes({ placement: context } as unknown as V1Context)),
  ...['/', '/healthz', '/readyz', '/metrics', '/nothing', '/placement', '/compute/none', '/v1/none'].map(
    path => ['GET', path] as const,
  ),
  ['PUT', '/healthz'] as const,
]

const EXPECTED = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
}

test('there is something to walk', () => {
  expect(routes.length).toBeGreaterThan(200)
})

test.each(['nobody', 'the admin'])('every route, asked by %s', async who => {
  const token = who === 'nobody' ? '' : (berth.server.firstStartToken as string)
  const lacking: string[] = []
  for (const [method, path] of routes) {
    const { status, headers } = await ask(method, path, token === '' ? {} : { 'x-auth-token': token })
    for (const [name, value] of Object.entries(EXPECTED))
      if (headers[name] !== value) lacking.push(`${method} ${path} ${status} ${name}: ${headers[name]}`)
  }
  expect(lacking).toEqual([])
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
