import { expect, test } from 'vitest'
import { readUwsgi } from './uwsgi.ts'

const read = (...lines: readonly string[]) => readUwsgi('uwsgi.ini', `[uwsgi]\n${lines.join('\n')}\n`)
const flagsOf = (...lines: readonly string[]) => {
  const reading = read(...lines)
  return reading.ok ? reading.settings.flags : reading.problem
}

test.each([
  ['http = 10.1.2.3:8780', { host: '10.1.2.3', port: '8780', behind_proxy: 'true' }],
  ['http-socket = 0.0.0.0:8778', { host: '0.0.0.0', port: '8778', behind_proxy: 'true' }],
  ['http = [fd00::1]:8780', { host: 'fd00::1', port: '8780', behind_proxy: 'true' }],
  ['http = :8778', { host: '0.0.0.0', port: '8778', behind_proxy: 'true' }],
  [
    'https = 10.1.2.3:8780,/etc/cert.pem,/etc/key.pem',
    { host: '10.1.2.3', port: '8780', tls_cert: '/etc/cert.pem', tls_key: '/etc/key.pem' },
  ],
])('%s becomes an address, and a certificate or a proxy in front', (line, flags) => {
  expect(flagsOf(line, 'module = placement.wsgi.api:application', 'processes = 5')).toEqual(flags)
})

test('statistics by HTTP become an address for health checks, others do not', () => {
  expect(flagsOf('http = :1', 'stats = 0.0.0.0:1717', 'stats-http = true')).toMatchObject({
    health_listen: '0.0.0.0:1717',
  })
  for (const lines of [['stats = 0.0.0.0:1717'], ['stats = /run/stats', 'stats-http = true']])
    expect(flagsOf('http = :1', ...lines)).not.toHaveProperty('health_listen')
})

test('variables are read with any characters in their values', () => {
  expect(read('http = :1', 'env = OS_PLACEMENT_CONFIG_DIR=/etc/p', 'env = A=b=c')).toMatchObject({
    settings: { env: { OS_PLACEMENT_CONFIG_DIR: '/etc/p', A: 'b=c' } },
  })
})

test.each([
  [['socket = 127.0.0.1:3031'], { key: 'http', wrong: expect.stringContaining('own protocol') }],
  [['http = nowhere'], { key: 'http', value: 'nowhere' }],
  [['http = host:70000'], { key: 'http' }],
  [['http = [10.0.0.1]:80'], { key: 'http' }],
  [['https = 10.0.0.1:80'], { key: 'https', remedy: 'write host:port,certificate,key' }],
  [['http = :1', 'module = nova.wsgi:application'], { key: 'module', wrong: 'is not Placement' }],
  [['nonsense'], { key: null, wrong: expect.stringContaining('line 2') }],
])('%j is refused', (lines, problem) => {
  expect(flagsOf(...lines)).toMatchObject({ ...problem, origin: { from: 'file', name: 'uwsgi.ini' } })
})
