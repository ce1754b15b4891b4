import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { userInfo } from 'node:os'
import { parseDatabaseUrl } from '../database-url.ts'
import { StoreRefused } from '../store.ts'
import { isIdentityChecked, listTlsTries, type TlsTries } from './tls.ts'

export interface ConnectionEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Host {
  /** A name, an address, or a Unix socket. */
  readonly host: string
  readonly port: number
  readonly tls: TlsTries
}

export interface ConnectionOptions {
  /** The first is preferred; the others are for when it cannot be used. */
  readonly hosts: readonly Host[]
  readonly user: string
  readonly password: string | null
  readonly database: string
  /** Null if not set: then the limit for answers applies. */
  readonly connectMsMax: number | null
}

const parameterNames = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'unix_socket',
  'connect_timeout',
  'ssl_mode',
  'ssl_ca',
  'ssl_cert',
  'ssl_key',
  'ssl_verify_cert',
  'ssl_verify_identity',
  'ssl_disabled',
] as const
export type Parameters = Readonly<Partial<Record<(typeof parameterNames)[number], string>>>

/** Options of Python's drivers that Berth does not need. */
const NEEDLESS = ['charset', 'binary_prefix', 'read_timeout', 'write_timeout', 'plugin_name', 'program_name']

const DEFAULT_PORT = 3306
const SOCKETS = ['/run/mysqld/mysqld.sock', '/tmp/mysql.sock']

/** Combines the URL and the environment. Throws StoreRefused in one line. */
export function resolveOptions(url: string, { env }: ConnectionEnvironment): ConnectionOptions {
  const parameters: Parameters = parseDatabaseUrl(url, {
    scheme: /^(?:mysql|mariadb)(?:\+[a-z0-9_]+)?:\/\//,
    shown: 'mysql:// or mariadb://',
    parameterNames,
    translate,
  })
  if (parameters.dbname === undefined)
    throw new StoreRefused('the address of the database is wrong: it names no database')
  const tls = listTlsTries(parameters)
  const hosts = parseHosts(parameters)
  // The driver would compare the certificate of an address with the name localhost.
  const address = hosts.find(({ host }) => isIP(host) !== 0)
  if (address !== undefined && isIdentityChecked(tls))
    throw new StoreRefused(
      `the name in the certificate of ${address.host} is to be checked, and that is an address: use its name, or ssl_mode=VERIFY_CA`,
    )
  return {
    // A Unix socket needs no TLS.
    hosts: hosts.map(place => ({ ...place, tls: place.host.startsWith('/') ? [false as const] : tls })),
    user: parameters.user ?? userInfo().username,
    password: parameters.password ?? env.MYSQL_PWD ?? null,
    database: parameters.dbname,
    connectMsMax: parseSeconds(parameters.connect_timeout),
  }
}

/** `ssl-mode` as MySQL's programs spell it, and what has no meaning here. */
function translate(name: string, value: string): Parameters | null {
  if (NEEDLESS.includes(name)) return {}
  if (name === 'ssl' && value === 'true') return { ssl_mode: 'REQUIRED' }
  return name === 'ssl-mode' ? { ssl_mode: value } : null
}

function parseSeconds(seconds: string | undefined): number | null {
  if (seconds === undefined) return null
  if (!/^\d{1,6}$/.test(seconds))
    throw new StoreRefused(`connect_timeout is ${seconds}, and must be a number of seconds`)
  return Number(seconds) === 0 ? null : Number(seconds) * 1_000
}

function parseHosts({ host, port = '', unix_socket }: Parameters): { host: string; port: number }[] {
  if (unix_socket !== undefined) return [{ host: unix_socket, port: DEFAULT_PORT }]
  const hosts = (host ?? SOCKETS.find(existsSync) ?? 'localhost').split(',')
  const ports = port.split(',')
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new StoreRefused(`there are ${ports.length} ports for ${hosts.length} hosts of the database`)
  return hosts.map((name, at) => ({
    host: name === '' ? 'localhost' : name,
    port: parsePort(ports[ports.length === 1 ? 0 : at] as string),
  }))
}

function parsePort(text: string): number {
  const port = text === '' ? DEFAULT_PORT : Number(text)
  if (!/^\d*$/.test(text) || port < 1 || port > 65_535)
    throw new StoreRefused(`the port ${text} of the database is not a number from 1 to 65535`)
  return port
}
