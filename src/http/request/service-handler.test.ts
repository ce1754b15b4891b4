import { expect, test } from 'vitest'
import { AuthenticationUnavailable } from '../authenticator.ts'
import type { ServerOptions } from '../server.ts'
import { ask, toyServer } from '../toy-service.fixture.ts'

const ADMIN = { 'x-auth-token': 'admin' }

function client(options: Partial<ServerOptions> = {}, mounts = ['']) {
  const toy = toyServer(mounts, options)
  const call = (method: string, url: string, headers: Record<string, string> = {}, payload?: string) =>
    ask(toy.server, {
      method,
      url,
      headers: { ...ADMIN, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
  return { ...toy, call }
}

const { call, server } = client()
const version = (text: string) => ({ 'openstack-api-version': `placement ${text}` })
const JSON_TYPE = { 'content-type': 'application/json' }
const REQUEST_ID = /^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

test('an answer has exactly its content type, its version, vary and a request id', async () => {
  const answer = await call('GET', '/things', version('1.1'))
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['openstack-api-version']).toBe('placement 1.1')
  expect(answer.headers.vary).toBe('openstack-api-version')
  expect(answer.headers['x-openstack-request-id']).toMatch(REQUEST_ID)
  expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length))
})

test('the root needs no token, all else does; 401 is not an errors list and tells no version', async () => {
  expect((await ask(server, '/')).statusCode).toBe(200)
  const refused = await ask(server, '/things')
  expect(refused.statusCode).toBe(401)
  expect(refused.json()).toMatchObject({ code: '401 Unauthorized' })
  expect(refused.headers).not.toHaveProperty('openstack-api-version')
  expect(refused.headers['x-openstack-request-id']).toMatch(REQUEST_ID)
  expect((await ask(server, { url: '/pony', headers: version('9.9') })).statusCode).toBe(401)
})

test('no version header means the oldest, latest the newest', async () => {
  expect((await call('GET', '/')).headers['openstack-api-version']).toBe('placement 1.0')
  expect((await call('GET', '/', version('latest'))).headers['openstack-api-version']).toBe('placement 1.2')
})

test('a version we lack is 406 with the range, a malformed one 400, both before the route is looked at', async () => {
  const unknown = await call('GET', '/pony', version('0.5'))
  expect(unknown.statusCode).toBe(406)
  expect(unknown.json().errors[0]).toMatchObject({ min_version: '1.0', max_version: '1.2' })
  expect(unknown.json().errors[0].detail).toContain('Unacceptable version header: 0.5')
  expect(unknown.headers).not.toHaveProperty('vary')
  const malformed = await call('GET', '/pony', version('1.2.3'))
  expect(malformed.statusCode).toBe(400)
  expect(malformed.json().errors[0].detail).toContain('invalid version string: 1.2.3')
})

test('a body without a type is 400 before the route is looked at', async () => {
  const answer = await call('POST', '/pony', { 'content-length': '3' }, 'abc')
  expect(answer.statusCode).toBe(400)
  expect(answer.json().errors[0].detail).toContain('content-type header required when content-length > 0')
})

test('an unknown path is 404 with a request id in the body, and from some version on with a code', async () => {
  const old = await call('GET', '/pony')
  expect(old.statusCode).toBe(404)
  expect(old.json().errors[0].request_id).toBe(old.headers['x-openstack-request-id'])
  expect(old.json().errors[0]).not.toHaveProperty('code')
  expect(old.headers['openstack-api-version']).toBe('placement 1.0')
  const fresh = await call('GET', '/pony', version('1.2'))
  expect(fresh.json().errors[0].code).toBe('placement.undefined_code')
})

test('another method is 405 with Allow, also HEAD, OPTIONS and unknown ones', async () => {
  for (const method of ['PUT', 'HEAD', 'OPTIONS', 'PATCH', 'PROPFIND']) {
    const answer = await call(method, '/things')
    expect(answer.statusCode, method).toBe(405)
    expect(answer.headers.allow).toBe('GET, POST, DELETE')
    if (method === 'HEAD') expect(answer.payload).toBe('')
    else expect(answer.json().errors[0].detail).toContain(`The method ${method} is not allowed for this`)
  }
})

test('what the version lacks is 404 before 415 and 403, or 405 where the route says so', async () => {
  const stranger = { 'x-auth-token': 'joe', 'content-type': 'text/plain' }
  expect((await call('POST', '/late', stranger, 'x')).statusCode).toBe(404)
  const gated = await call('DELETE', '/things', stranger)
  expect(gated.statusCode).toBe(405)
  expect(gated.headers.allow).toBe('GET, POST')
  expect((await call('DELETE', '/things', version('1.1'))).statusCode).toBe(204)
})

test('two routes share a path and the version picks one', async () => {
  expect((await call('GET', '/parts')).json()).toBe('old')
  expect((await call('GET', '/parts', version('1.1'))).json()).toBe('new')
})

test('another media type is 415 before 403; parameters and case do not matter', async () => {
  const stranger = { 'x-auth-token': 'joe' }
  expect(
    (await call('PUT', '/things/1', { ...stranger, 'content-type': 'text/plain' }, 'x')).statusCode,
  ).toBe(415)
  const none = await call('PUT', '/things/1', stranger)
  expect(none.statusCode).toBe(415)
  expect(none.json().errors[0].detail).toContain('The media type None is not supported, use application/json')
  for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
    expect((await call('PUT', '/things/1', { 'content-type': type }, '{}')).statusCode).toBe(200)
})

test('Accept without JSON is 406 before 403, in the form it asks for', async () => {
  const answer = await call('GET', '/things', { accept: 'text/plain', 'x-auth-token': 'joe' })
  expect(answer.statusCode).toBe(406)
  expect(answer.headers['content-type']).toBe('text/plain; charset=UTF-8')
  expect(answer.payload).toContain('Only application/json is provided')
  expect(answer.headers['openstack-api-version']).toBe('placement 1.0')
})

test('the policy refuses before the query and the body are minded', async () => {
  const answer = await call('POST', '/things?x=%ff', { 'x-auth-token': 'joe', ...JSON_TYPE }, '{')
  expect(answer.statusCode).toBe(403)
  expect(answer.json().errors[0].detail).toContain(
    'Policy does not allow placement:traits:list to be performed.',
  )
})

test('the policy is asked about what the route says', async () => {
  const reader = { 'x-auth-token': 'joe:p:reader' }
  expect((await call('GET', '/usages?project_id=p', reader)).statusCode).toBe(200)
  expect((await call('GET', '/usages?project_id=q', reader)).statusCode).toBe(403)
  expect((await call('GET', '/usages?project_id=%ff', reader)).statusCode).toBe(403)
})

test('a query that spells no UTF-8 is 400', async () => {
  const answer = await call('GET', '/things?name=%ff')
  expect(answer.statusCode).toBe(400)
  expect(answer.json().errors[0].detail).toContain('Invalid query string parameters')
})

test('the handler gets params, query, body, features, caller and mount', async () => {
  const { call: callMounted } = client({}, ['/placement'])
  const headers = { ...JSON_TYPE, ...version('1.1') }
  const answer = await callMounted('PUT', '/placement/things/%C3%BC?a=1&a=+2', headers, '{"x":1}')
  expect(answer.json()).toEqual({
    method: 'PUT',
    params: { id: 'ü' },
    query: [
      ['a', '1'],
      ['a', ' 2'],
    ],
    body: '{"x":1}',
    bytes: 7,
    features: { parts: true, codes: false },
    user: 'admin',
    mount: '/placement',
  })
})

test('bodiless answers have no content type; Location is absolute, below the mount and safe', async () => {
  const { call: callMounted } = client({}, ['/placement'])
  const made = await callMounted('POST', '/placement/things', { ...JSON_TYPE, host: 'cloud:8778' }, '{}')
  expect(made.statusCode).toBe(201)
  expect(made.headers.location).toBe('http://cloud:8778/placement/things/%C3%BC%201')
  expect(made.headers['x-toy']).toBe('yes')
  expect(made.headers).not.toHaveProperty('content-type')
  const gone = await call('DELETE', '/things/1', version('1.1'))
  expect(gone.headers).not.toHaveProperty('content-type')
  expect(gone.headers).not.toHaveProperty('content-length')
})

test('forwarded scheme and host are believed only behind a proxy of ours', async () => {
  const forwarded = { ...JSON_TYPE, 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'api.example' }
  expect((await call('POST', '/things', forwarded, '{}')).headers.location).toMatch(/^http:\/\/localhost/)
  const proxied = await client({ trustProxy: true }).call('POST', '/things', forwarded, '{}')
  expect(proxied.headers.location).toMatch(/^https:\/\/api\.example\/things/)
})

test('cache headers appear with the version that has them, when there is a time to show', async () => {
  const fresh = await call('GET', '/things', version('1.1'))
  expect(fresh.headers['last-modified']).toBe('Thu, 29 Feb 2024 12:00:00 GMT')
  expect(fresh.headers['cache-control']).toBe('no-cache')
  for (const answer of [await call('GET', '/things'), await call('GET', '/parts', version('1.1'))]) {
    expect(answer.headers).not.toHaveProperty('last-modified')
    expect(answer.headers).not.toHaveProperty('cache-control')
  }
})

test('an error of a handler carries its code where the version shows codes', async () => {
  const coded = await call('GET', '/fail/conflict', version('1.2'))
  expect(coded.statusCode).toBe(409)
  expect(coded.json().errors[0]).toMatchObject({ title: 'Conflict', code: 'placement.concurrent_update' })
  expect(coded.json().errors[0].detail).toContain('Generations differ')
  expect((await call('GET', '/fail/plain', version('1.2'))).json().errors[0].code).toBe(
    'placement.undefined_code',
  )
  expect((await call('GET', '/fail/conflict')).json().errors[0]).not.toHaveProperty('code')
})

test('a change that the world does not take is 409 with the name of the index', async () => {
  const answer = await call('GET', '/fail/world')
  expect(answer.statusCode).toBe(409)
  expect(answer.json().errors[0].detail).toContain('another row has the same traits (name)')
})

test('a store that is away is 503 with Retry-After, and tells nothing of itself', async () => {
  const answer = await call('GET', '/fail/store')
  expect(answer.statusCode).toBe(503)
  expect(answer.headers['retry-after']).toBe('1')
  expect(answer.json().errors[0].title).toBe('Service Unavailable')
  expect(answer.payload).not.toContain('secret')
})

test('a bug is a logged 500 that names the request id and nothing of the house', async () => {
  const { call: callLogged, logged } = client()
  const answer = await callLogged('GET', '/fail/bug')
  expect(answer.statusCode).toBe(500)
  const { detail, request_id } = answer.json().errors[0]
  expect(detail).toContain(request_id)
  expect(answer.payload).not.toContain('secret')
  const record = JSON.parse(logged().split('\n')[0] as string)
  expect(record).toMatchObject({ level: 'error', request_id, error: { message: 'secret of the house' } })
})

test('an identity service that is away is 503, a refusal may carry a challenge', async () => {
  const away = client({
    authenticator: { authenticate: async () => new AuthenticationUnavailable('timeout') },
  })
  const answer = await away.call('GET', '/things')
  expect(answer.statusCode).toBe(503)
  expect(answer.headers['retry-after']).toBe('1')
  const strict = client({ authenticator: { authenticate: async () => null, challenge: 'Keystone uri="x"' } })
  expect((await strict.call('GET', '/things')).headers['www-authenticate']).toBe('Keystone uri="x"')
})

test('a body over the limit is 413, whether it says so or not', async () => {
  const small = client({ limits: { bodyBytesMax: 10 } })
  const long = JSON.stringify('x'.repeat(20))
  const declared = await small.call('PUT', '/things/1', JSON_TYPE, long)
  expect(declared.statusCode).toBe(413)
  expect(declared.json().errors[0].detail).toContain('at most 10 bytes')
  expect((await small.call('PUT', '/things/1', JSON_TYPE, '"1234567"')).statusCode).toBe(200)
})

test('a body has at most 64 KiB unless its route takes more, and that at most as configured', async () => {
  const body = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
  const status = async (path: string, bytes: number) =>
    (await client({ limits: { bodyBytesMax: 100_000 } }).call('PUT', path, JSON_TYPE, body(bytes))).statusCode
  expect(await status('/things/1', 65_536)).toBe(200)
  expect(await status('/things/1', 65_537)).toBe(413)
  expect(await status('/large', 100_000)).toBe(200)
  expect(await status('/large', 100_001)).toBe(413)
})

test('a URL over the limit is 414', async () => {
  const { call: callSmall } = client({ limits: { urlBytesMax: 100 } })
  expect((await callSmall('GET', `/things/${'x'.repeat(100)}`)).statusCode).toBe(414)
})

test('with CORS, OPTIONS is 200 for every origin, and answers are shared with the allowed one', async () => {
  const shared = client({ cors: { allowedOrigins: ['http://valid.example.com'] } })
  const asked = { 'access-control-request-method': 'GET', origin: 'http://valid.example.com' }
  const preflight = await shared.call('OPTIONS', '/', asked)
  expect(preflight.statusCode).toBe(200)
  expect(preflight.headers['access-control-allow-origin']).toBe('http://valid.example.com')
  const stranger = await ask(shared.server, { method: 'OPTIONS', url: '/things', headers: { origin: 'x' } })
  expect(stranger.statusCode).toBe(200)
  expect(stranger.headers).not.toHaveProperty('access-control-allow-origin')
  const answer = await shared.call('GET', '/', asked)
  expect(answer.headers['access-control-allow-origin']).toBe('http://valid.example.com')
  expect(answer.headers.vary).toBe('openstack-api-version, Origin')
  const refused = await ask(shared.server, { url: '/things', headers: asked })
  expect(refused.statusCode).toBe(401)
  expect(refused.headers['access-control-allow-origin']).toBe('http://valid.example.com')
})

test('routes with an operation that no policy knows stop the start', () => {
  const policy = { knows: () => false, operations: () => [], allows: () => true }
  expect(() => toyServer([''], { policy })).toThrow('asks for placement:traits:list')
})
