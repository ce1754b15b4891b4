import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { StoreRefused } from '../store.ts'
import { authority, clientCertificate, clientKey } from './certificates.fixture.ts'
import { resolveOptions } from './connection-options.ts'
import { nowhere } from './fresh-database.fixture.ts'

type Env = Record<string, string>

function home(files: Record<string, string> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'berth-home-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  mkdirSync(join(directory, '.postgresql'))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(directory, name), text)
    chmodSync(join(directory, name), 0o600)
  }
  return directory
}

const options = (url: string, env: Env = {}, homeDirectory = nowhere.homeDirectory) =>
  resolveOptions(url, { env, homeDirectory })

const tlsOf = (url: string, homeDirectory?: string, env?: Env) =>
  options(url, env, homeDirectory).hosts.map(({ tls }) => tls)[0]

describe('where to connect to', () => {
  test('comes from the address, then from the environment, then from habit', () => {
    const env = { PGHOST: 'elsewhere', PGPORT: '6000', PGUSER: 'env', PGDATABASE: 'env-db', PGAPPNAME: 'app' }
    expect(options('postgres://', env)).toMatchObject({
      hosts: [{ host: 'elsewhere', port: 6000 }],
      user: 'env',
      database: 'env-db',
      applicationName: 'app',
    })
    expect(options('postgres://me@host:1/db?application_name=x', env)).toMatchObject({
      hosts: [{ host: 'host', port: 1 }],
      user: 'me',
      database: 'db',
      applicationName: 'x',
    })
    const { username } = userInfo()
    expect(options('postgres://host')).toMatchObject({
      hosts: [{ host: 'host', port: 5432 }],
      user: username,
      database: username,
      applicationName: 'berth',
      startupOptions: null,
      connectMsMax: null,
    })
  })

  test('may be several hosts with a port each, or with one for all', () => {
    const places = (url: string) => options(url).hosts.map(({ host, port }) => `${host} ${port}`)
    expect(places('postgres://a:1,b,[::1]:3')).toEqual(['a 1', 'b 5432', '::1 3'])
    expect(places('postgres:///?host=a,b&port=7')).toEqual(['a 7', 'b 7'])
    expect(places('postgres:///?host=/run/x,/run/y')).toEqual(['/run/x 5432', '/run/y 5432'])
  })

  test.each([
    ['postgres://host:70000', 'the port 70000 of the database is not a number from 1 to 65535'],
    ['postgres://host:x', 'the port x of the database is not a number from 1 to 65535'],
    ['postgres:///?host=a,b,c&port=1,2', 'there are 2 ports for 3 hosts of the database'],
    ['postgres://host?connect_timeout=soon', 'connect_timeout is soon, and must be a number of seconds'],
    [
      'postgres://host?target_session_attrs=standby',
      'target_session_attrs is standby, but berth needs a server that takes writes',
    ],
    [
      'postgres://host?sslmode=maybe',
      'sslmode is maybe, and must be one of disable, allow, prefer, require, verify-ca, verify-full',
    ],
    [
      'postgres://host?sslmode=require&sslrootcert=system',
      'sslmode is require, and with sslrootcert=system it must be verify-full',
    ],
    [
      'postgres://host?sslmode=verify-ca',
      'sslmode is verify-ca and the root certificate /nowhere/.postgresql/root.crt does not exist: provide it, or set sslrootcert=system to trust what the system trusts',
    ],
    ['postgres://host?sslcert=/nowhere/mine.crt', 'the certificate /nowhere/mine.crt does not exist'],
  ])('%s is refused', (url, message) => expect(() => options(url)).toThrow(new StoreRefused(message)))

  test('has limits and options as libpq says them', () => {
    const found = options('postgres://host?connect_timeout=1', { PGOPTIONS: '-c search_path=x' })
    expect(found).toMatchObject({ connectMsMax: 2000, startupOptions: '-c search_path=x' })
    expect(options('postgres://host?connect_timeout=0').connectMsMax).toBe(null)
    expect(options('postgres://host', { PGTARGETSESSIONATTRS: 'read-write' }).hosts).toHaveLength(1)
  })
})

describe('a password', () => {
  const file = [
    '# a comment',
    'a:5432:berth:me:for\\:a\\\\',
    'b:*:*:me:for b',
    'localhost:*:berth:*:for sockets',
    '*:*:*:you:with:colons',
  ].join('\n')
  const passwords = (url: string, env: Env = {}, homeDirectory = home({ '.pgpass': file })) =>
    options(url, env, homeDirectory).hosts.map(({ password }) => password)

  test('comes from the address, from the environment, or from the first line of the file that fits', () => {
    expect(passwords('postgres://me:own@a/berth', { PGPASSWORD: 'env' })).toEqual(['own'])
    expect(passwords('postgres://me@a/berth', { PGPASSWORD: 'env' })).toEqual(['env'])
    expect(passwords('postgres://me@a,b:7,c/berth')).toEqual(['for:a\\', 'for b', null])
    expect(passwords('postgres://me@a:5433/berth')).toEqual([null])
    expect(passwords('postgres://me@/berth?host=/run/x')).toEqual(['for sockets'])
    expect(passwords('postgres://you@z/any')).toEqual(['with:colons'])
  })

  test('may be in a file of another name', () => {
    const directory = home({ mine: '*:*:*:*:from mine' })
    const path = join(directory, 'mine')
    expect(passwords('postgres://me@a', { PGPASSFILE: path })).toEqual(['from mine'])
    expect(passwords(`postgres://me@a?passfile=${path}`)).toEqual(['from mine'])
  })

  test('in a file that others may read is not used, and there is a hint', () => {
    const directory = home({ '.pgpass': file })
    const path = join(directory, '.pgpass')
    chmodSync(path, 0o640)
    const found = options('postgres://me@a/berth', {}, directory)
    expect(found.hosts[0]?.password).toBe(null)
    expect(found.passwordHint).toBe(`${path} is not used, because others may read it: chmod 600 ${path}`)
  })
})

describe('sslmode', () => {
  const unsafe = { rejectUnauthorized: false }

  test('without certificates encrypts and trusts any server', () => {
    expect(tlsOf('postgres://h?sslmode=disable')).toEqual([false])
    expect(tlsOf('postgres://h?sslmode=allow')).toEqual([false, unsafe])
    expect(tlsOf('postgres://h')).toEqual([unsafe, false])
    expect(tlsOf('postgres://h', undefined, { PGSSLMODE: 'require' })).toEqual([unsafe])
  })

  test('with a root certificate trusts the servers that it signed', () => {
    const directory = home({ '.postgresql/root.crt': authority })
    const signed = { ca: authority, rejectUnauthorized: true }
    const anyName = { ...signed, checkServerIdentity: expect.any(Function) }
    expect(tlsOf('postgres://h?sslmode=require', directory)).toEqual([anyName])
    expect(tlsOf('postgres://h?sslmode=verify-ca', directory)).toEqual([anyName])
    expect(tlsOf('postgres://h?sslmode=verify-full', directory)).toEqual([signed])
    expect(tlsOf('postgres://h', directory)?.[0]).toMatchObject(unsafe)
    expect(tlsOf('postgres://h?sslrootcert=system', directory)).toEqual([{ rejectUnauthorized: true }])
  })

  test('is nothing to a Unix socket', () => {
    expect(tlsOf('postgres:///?host=/run/x&sslmode=require')).toEqual([false])
  })

  test('shows our own certificate where there is one, unless others may read its key', () => {
    const files = { '.postgresql/postgresql.crt': clientCertificate, '.postgresql/postgresql.key': clientKey }
    const directory = home(files)
    const url = 'postgres://h?sslmode=require&sslpassword=x'
    const own = { ...unsafe, cert: clientCertificate, key: clientKey, passphrase: 'x' }
    expect(tlsOf(url, directory)).toEqual([own])
    const key = join(directory, '.postgresql/postgresql.key')
    chmodSync(key, 0o644)
    expect(() => tlsOf(url, directory)).toThrow(
      new StoreRefused(`the key ${key} may be read by others: chmod 600 ${key}`),
    )
    rmSync(key)
    expect(() => tlsOf(url, directory)).toThrow(/is there, but its key .* is not/)
  })
})
