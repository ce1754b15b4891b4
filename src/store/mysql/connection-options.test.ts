import { describe, expect, test } from 'vitest'
import { StoreRefused } from '../store.ts'
import { resolveOptions } from './connection-options.ts'

const resolve = (url: string, env = {}) => resolveOptions(url, { env })
const places = (url: string) => resolve(url).hosts.map(({ host, port }) => `${host}:${port}`)

test.each(['mysql', 'mariadb', 'mysql+pymysql', 'mariadb+mariadbconnector'])('%s:// is taken', scheme => {
  const { hosts, user, password, database } = resolve(`${scheme}://me:p%40ss@db1:3307,db2,[::1]:3308/berth`)
  expect(hosts.map(({ host, port }) => `${host} ${port}`)).toEqual(['db1 3307', 'db2 3306', '::1 3308'])
  expect([user, password, database]).toEqual(['me', 'p@ss', 'berth'])
})

test('the password may be in MYSQL_PWD; that of the address counts more', () => {
  expect(resolve('mysql://me@db/berth', { MYSQL_PWD: 'secret' }).password).toBe('secret')
  expect(resolve('mysql://me:own@db/berth', { MYSQL_PWD: 'secret' }).password).toBe('own')
})

test('character sets and timeouts for Python drivers have no effect', () => {
  expect(places('mysql+pymysql://me@db/berth?charset=utf8&read_timeout=30')).toEqual(['db:3306'])
})

test('a Unix socket needs no TLS', () => {
  const [host] = resolve('mysql://me@/berth?unix_socket=/run/mysqld/mysqld.sock&ssl_mode=REQUIRED').hosts
  expect(host).toMatchObject({ host: '/run/mysqld/mysqld.sock', tls: [false] })
})

describe('TLS', () => {
  const tls = (parameters: string) => resolve(`mysql://me@db/berth?${parameters}`).hosts[0]?.tls

  test('is tried first and not required, unless the address says otherwise', () => {
    expect(tls('')).toEqual([expect.objectContaining({ rejectUnauthorized: false }), false])
    expect(tls('ssl_mode=DISABLED')).toEqual([false])
    expect(tls('ssl_disabled=true')).toEqual([false])
    expect(tls('ssl=true')).toEqual([expect.objectContaining({ rejectUnauthorized: false })])
  })

  test('verifies the server, and its name if asked to', () => {
    const [byAuthority] = tls('ssl-mode=verify_ca') ?? []
    expect(byAuthority).toMatchObject({ rejectUnauthorized: true, checkServerIdentity: expect.any(Function) })
    const [byName] = tls('ssl_verify_identity=true') ?? []
    expect(byName).toEqual({ rejectUnauthorized: true })
  })
})

test.each([
  ['mysql://me@db', 'it names no database'],
  ['mysql://me@db/berth?pony=1', 'it has the parameter pony, which berth does not know'],
  ['mysql://me@db:99999/berth', 'the port 99999 of the database is not a number from 1 to 65535'],
  ['mysql://me@db/berth?ssl_mode=maybe', 'ssl_mode is maybe, and must be one of DISABLED, PREFERRED'],
  ['mysql://me@db/berth?ssl_verify_cert=perhaps', 'ssl_verify_cert is perhaps, and must be true or false'],
  ['mysql://me@db/berth?ssl_ca=/nowhere/ca.pem', 'ssl_ca is /nowhere/ca.pem, which cannot be read (ENOENT)'],
  ['mysql://me@db/berth?ssl_cert=/nowhere/cert.pem', 'ssl_cert and ssl_key belong together'],
  [
    'mysql://me@db,10.0.0.1/berth?ssl_verify_identity=true',
    'the name in the certificate of 10.0.0.1 is to be checked, and that is an address',
  ],
  ['mysql://me@db/berth?connect_timeout=soon', 'connect_timeout is soon, and must be a number of seconds'],
])('%s is refused in one line', (url, line) => {
  expect(() => resolve(url)).toThrow(StoreRefused)
  expect(() => resolve(url)).toThrow(line)
})
