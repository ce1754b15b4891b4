import { versions as computeVersions } from '../../src/compute/versions.ts'
import { versions as placementVersions } from '../../src/placement/versions.ts'
import { versions as shareVersions } from '../../src/shares/versions.ts'
import type { Chance } from './chance.ts'
import { nastyText } from './nasty.ts'
import type { Role } from './roles.ts'
import type { FuzzRoute, ServiceName } from './routes.ts'

/** In their order, with repetitions. */
export type Headers = (readonly [name: string, value: string])[]

const VERSION_TYPES: Readonly<Partial<Record<ServiceName, readonly [type: string, newest: string]>>> = {
  placement: ['placement', placementVersions.max],
  compute: ['compute', computeVersions.max],
  share: ['shared-file-system', shareVersions.max],
}
/** Also asked for: versions that do not exist yet. */
const MINORS_BEYOND = 3

/** What a good client sends. Mostly the newest versions, so that routes exist. */
export function usualHeaders(
  chance: Chance,
  route: FuzzRoute,
  role: Role,
  contentType: string | null,
): Headers {
  const headers: Headers = [['host', '127.0.0.1']]
  if (role.token !== null) headers.push(['x-auth-token', role.token])
  if (contentType !== null) headers.push(['content-type', contentType])
  const type = VERSION_TYPES[route.service]
  if (type !== undefined) {
    const [name, newest] = type
    const [major, minor] = newest.split('.').map(Number) as [number, number]
    const version = chance.percent(60) ? 'latest' : `${major}.${chance.below(minor + 1 + MINORS_BEYOND)}`
    if (route.service === 'share')
      headers.push(['x-openstack-manila-api-version', version === 'latest' ? newest : version])
    else headers.push(['openstack-api-version', `${name} ${version}`])
  }
  if (route.path.endsWith('/auth/tokens') && route.method !== 'POST')
    headers.push(['x-subject-token', chance.percent(30) ? (role.token ?? 'x') : 'another'])
  if (route.service === 'v1' && chance.percent(10)) headers.push(['idempotency-key', `k${chance.below(50)}`])
  return headers
}

const VERSIONS = [
  'latest',
  '',
  '1',
  '1.',
  '.1',
  '1.1.1',
  '99.99',
  '1.99999999999',
  '-1.1',
  '1.0x',
  ' 1.1',
  'placement',
  'placement latest latest',
  'compute 2.1, placement 1.1',
  'placement 1.1,placement 1.2',
  'placement\t1.1',
  'PLACEMENT 1.10',
  'placement 1.010',
  'compute 2.٣',
  ',,,,',
  'placement 1.2;q=1',
]
const MEDIA_TYPES = [
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/JSON',
  'application/json;',
  'application/json, text/html',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/x-ndjson',
  '*/*',
  'application/',
  '/',
  'application/json; charset="',
  'text/html',
]
const ACCEPTS = [
  '',
  '*/*',
  'text/html',
  'application/json;q=0',
  'text/plain',
  'application/xml',
  '*',
  ';;;',
  'a/b;q=x',
  'text/html;q=0.1,application/json;q=0.2',
  `${'a/b,'.repeat(500)}*/*`,
  'application/json;'.repeat(300),
]

type Change = (chance: Chance, headers: Headers) => void
const put = (headers: Headers, name: string, value: string): void => {
  const at = headers.findIndex(([known]) => known === name)
  if (at >= 0) headers.splice(at, 1)
  headers.push([name, value])
}

/** Without line breaks, which would begin another request; nonsense.ts has those. */
const fieldText = (text: string): string =>
  Buffer.from(text.toWellFormed(), 'utf8')
    .toString('latin1')
    .replace(/[\0\r\n]/g, '?')

const CHANGES: readonly Change[] = [
  (chance, headers) => put(headers, 'openstack-api-version', fieldText(chance.pick(VERSIONS))),
  (chance, headers) => put(headers, 'x-openstack-manila-api-version', fieldText(chance.pick(VERSIONS))),
  (chance, headers) => put(headers, 'x-openstack-nova-api-version', fieldText(chance.pick(VERSIONS))),
  (chance, headers) => put(headers, 'content-type', chance.pick(MEDIA_TYPES)),
  (chance, headers) => put(headers, 'accept', chance.pick(ACCEPTS)),
  (chance, headers) =>
    put(
      headers,
      'accept-encoding',
      chance.pick(['gzip', 'br', 'zstd', 'gzip;q=0', '*', 'identity;q=0', ',', 'gzip,'.repeat(500)]),
    ),
  (chance, headers) =>
    put(headers, 'content-encoding', chance.pick(['gzip', 'deflate', 'br', 'identity', 'x'])),
  (chance, headers) =>
    put(
      headers,
      'range',
      chance.pick(['bytes=0-1', 'bytes=-1', 'bytes=9-1', 'x', `bytes=${'0-1,'.repeat(500)}`]),
    ),
  (chance, headers) =>
    put(headers, 'if-none-match', chance.pick(['*', '"x"', 'W/"', ',', '"'.repeat(1_000)])),
  (chance, headers) =>
    put(headers, 'if-modified-since', chance.pick(['x', 'Thu, 01 Jan 1970 00:00:00 GMT', '9'.repeat(50)])),
  (chance, headers) => put(headers, 'expect', chance.pick(['100-continue', '100-Continue', '200-ok', ''])),
  (chance, headers) =>
    put(
      headers,
      'host',
      chance.pick(['', 'a b', 'x'.repeat(1_000), '[::1]', 'h:99999', 'é', '@', '..', 'a/b', 'a?b', '"']),
    ),
  (chance, headers) => headers.push(['host', chance.pick(['127.0.0.1', 'evil'])]),
  (chance, headers) =>
    put(
      headers,
      'x-forwarded-for',
      chance.pick(['1.2.3.4', '::1', 'x', '1.2.3.4, '.repeat(300), '999.9.9.9', '[', 'unknown']),
    ),
  (_, headers) =>
    headers.push(
      ['x-forwarded-proto', 'https'],
      ['x-forwarded-host', 'evil.example'],
      ['x-forwarded-prefix', '/x'],
      ['forwarded', 'for=1;host=x'],
    ),
  (chance, headers) => put(headers, 'x-openstack-request-id', fieldText(nastyText(chance, 500))),
  (chance, headers) => put(headers, 'idempotency-key', fieldText(nastyText(chance, 500))),
  (chance, headers) => put(headers, 'x-auth-token', fieldText(nastyText(chance, 5_000))),
  (_, headers) => headers.push(['x-auth-token', 'second']),
  (chance, headers) => put(headers, 'x-subject-token', fieldText(nastyText(chance, 2_000))),
  (_, headers) =>
    headers.push(
      ['x-user-id', 'admin'],
      ['x-roles', 'admin'],
      ['x-project-id', 'admin'],
      ['x-identity-status', 'Confirmed'],
      ['openstack-system-scope', 'all'],
    ),
  (chance, headers) => put(headers, 'origin', chance.pick(['null', 'http://evil', '', 'x'.repeat(3_000)])),
  (chance, headers) =>
    put(headers, 'connection', chance.pick(['close', 'upgrade', 'keep-alive, x', 'x-auth-token', ''])),
  (_, headers) =>
    headers.push(
      ['upgrade', 'h2c'],
      ['connection', 'upgrade, http2-settings'],
      ['http2-settings', 'AAMAAABk'],
    ),
  (chance, headers) =>
    put(headers, 'last-event-id', chance.pick(['1-x', '-1', '99999999999999999999-0', 'x', '0'])),
  (chance, headers) => {
    for (let left = chance.size(900); left > 0; left--) headers.push([`x-many-${left}`, 'v'])
  },
  (chance, headers) =>
    headers.push([`x-${'n'.repeat(1 + chance.size(3_000))}`, fieldText(nastyText(chance, 20_000))]),
  (_, headers) =>
    headers.push(
      ['x-http-method-override', 'DELETE'],
      ['x-original-url', '/v1/tokens'],
      ['x-rewrite-url', '/metrics'],
    ),
  (chance, headers) =>
    headers.push(['cookie', fieldText(nastyText(chance, 2_000))], ['authorization', 'Bearer x']),
]

export function mutateHeaders(chance: Chance, headers: Headers): void {
  for (let left = 1 + chance.below(3); left > 0; left--) chance.pick(CHANGES)(chance, headers)
}
