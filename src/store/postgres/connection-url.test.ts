import { describe, expect, test } from 'vitest'
import { hidePassword } from '../database-url.ts'
import { StoreRefused } from '../store.ts'
import { parseUrl } from './connection-url.ts'

describe('an address is taken apart', () => {
  test.each([
    ['postgres://', {}],
    ['postgresql://host', { host: 'host' }],
    ['postgres://host:5433/berth', { host: 'host', port: '5433', dbname: 'berth' }],
    ['postgres://me@host', { user: 'me', host: 'host' }],
    ['postgres://me:secret@host/', { user: 'me', password: 'secret', host: 'host' }],
    [
      'postgres://m%40e:s%2Fe%3Ac%25@host/b%20c',
      { user: 'm@e', password: 's/e:c%', host: 'host', dbname: 'b c' },
    ],
    ['postgres://me:at@sign@host', { user: 'me', password: 'at@sign', host: 'host' }],
    ['postgres://h1:5432,h2:5433/berth', { host: 'h1,h2', port: '5432,5433', dbname: 'berth' }],
    ['postgres://h1,h2:5433', { host: 'h1,h2', port: ',5433' }],
    ['postgres://[::1]:5433,[fe80::1]/x', { host: '::1,fe80::1', port: '5433,', dbname: 'x' }],
    ['postgres://%2Frun%2Fpostgresql/x', { host: '/run/postgresql', dbname: 'x' }],
    ['postgres:///x?host=/run/postgresql&port=5433', { host: '/run/postgresql', port: '5433', dbname: 'x' }],
    ['postgres://host?sslmode=verify-full&ssl=true', { host: 'host', sslmode: 'require' }],
    [
      'postgres://host/x?options=-c%20a%3Db&application_name=',
      { host: 'host', dbname: 'x', options: '-c a=b', application_name: '' },
    ],
  ])('%s', (url, parameters) => expect(parseUrl(url)).toEqual(parameters))
})

describe('a wrong address is refused in one line without its password', () => {
  test.each([
    ['mysql://me:secret@host', 'it does not begin with postgres://'],
    ['postgres://me:secret%2@host', 'the password has a % that is not percent-encoding'],
    ['postgres://me:secret@host/%zz', 'the name of the database has a % that is not percent-encoding'],
    ['postgres://me:secret@host/a%00', 'the name of the database has a character with the number 0'],
    ['postgres://me:secret@[::1', 'the host [::1 is not one'],
    ['postgres://me:secret@host?sslmode', 'the parameter sslmode needs one = and a value'],
    ['postgres://me:secret@host?sslmode=a=b', 'the parameter sslmode needs one = and a value'],
    ['postgres://me:secret@host?sslcrl=x', 'it has the parameter sslcrl, which berth does not know'],
  ])('%s', (url, fault) => {
    expect(() => parseUrl(url)).toThrow(new StoreRefused(`the address of the database is wrong: ${fault}`))
  })
})

describe('is shown without its password', () => {
  test.each([
    ['postgres://host/x', 'postgres://host/x'],
    ['postgres://me@h1,h2:1/x', 'postgres://me@h1,h2:1/x'],
    ['postgres://me:secret@host/x?sslmode=require', 'postgres://me@host/x?sslmode=require'],
    ['postgres://me:se@cr:et@host', 'postgres://me@host'],
    ['postgres://:secret@host', 'postgres://@host'],
    ['postgres://host?password=secret&user=me', 'postgres://host?password=***&user=me'],
    ['postgres://host?p%61ssword=secret', 'postgres://host?password=***'],
    ['postgres://host?user=me&sslpassword=secret', 'postgres://host?user=me&sslpassword=***'],
    ['me:secret@host', 'the database'],
  ])('%s', (url, shown) => expect(hidePassword(url)).toBe(shown))
})
