import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { StoreRefused } from '../store.ts'
import { type ParameterName, type Parameters, parseUrl } from './connection-url.ts'
import { findPassword, readPassFile } from './pass-file.ts'
import { listTlsTries, type TlsTries } from './tls.ts'

export interface ConnectionEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
}

export interface Host {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly password: string | null
  readonly tls: TlsTries
}

export interface ConnectionOptions {
  readonly hosts: readonly Host[]
  readonly user: string
  readonly database: string
  readonly applicationName: string
  readonly startupOptions: string | null
  /** Null if not set: then the limit for answers applies. */
  readonly connectMsMax: number | null
  /** A hint about passwords for a failed authentication. */
  readonly passwordHint: string | null
}

const VARIABLES: Readonly<Partial<Record<ParameterName, string>>> = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  passfile: 'PGPASSFILE',
  dbname: 'PGDATABASE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
  application_name: 'PGAPPNAME',
  options: 'PGOPTIONS',
  connect_timeout: 'PGCONNECT_TIMEOUT',
}

/** Combines the URL, the environment and libpq's files. Throws StoreRefused in one line. */
export function resolveOptions(url: string, place: ConnectionEnvironment): ConnectionOptions {
  const parameters = { ...readEnvironment(place.env), ...parseUrl(url) }
  checkSessionAttributes(parameters.target_session_attrs)
  const user = parameters.user ?? userInfo().username
  const database = parameters.dbname ?? user
  const passFile = readPassFile(parameters.passfile ?? join(place.homeDirectory, '.pgpass'))
  const tls = listTlsTries(parameters, place.homeDirectory)
  const hosts = parseHosts(parameters).map(({ host, port }) => ({
    host,
    port,
    password: parameters.password ?? findPassword(passFile, { host, port, database, user }),
    // A Unix socket needs no TLS.
    tls: host.startsWith('/') ? [false as const] : tls,
  }))
  return {
    hosts,
    user,
    database,
    applicationName: parameters.application_name ?? 'berth',
    startupOptions: parameters.options ?? null,
    connectMsMax: connectMs(parameters.connect_timeout),
    passwordHint: passFile.fault,
  }
}

function readEnvironment(env: ConnectionEnvironment['env']): Parameters {
  return Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([name, variable]) => (env[variable] ? [[name, env[variable]]] : [])),
  )
}

/** Berth writes: a read-only server is skipped, whatever else is requested. */
function checkSessionAttributes(wanted = 'any'): void {
  if (!['any', 'read-write', 'primary'].includes(wanted))
    throw new StoreRefused(`target_session_attrs is ${wanted}, but berth needs a server that takes writes`)
}

function connectMs(seconds: string | undefined): number | null {
  if (seconds === undefined) return null
  if (!/^-?\d{1,6}$/.test(seconds.trim()))
    throw new StoreRefused(`connect_timeout is ${seconds}, and must be a number of seconds`)
  const number = Number(seconds)
  // As in libpq: zero or less is no limit, and the minimum is two seconds.
  return number <= 0 ? null : Math.max(number, 2) * 1000
}

const DEFAULT_PORT = 5432

function parseHosts({ host = '', port = '' }: Parameters): { host: string; port: number }[] {
  const hosts = host.split(',')
  const ports = port.split(',')
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new StoreRefused(`there are ${ports.length} ports for ${hosts.length} hosts of the database`)
  return hosts.map((name, at) => {
    const number = parsePort(ports[ports.length === 1 ? 0 : at] as string)
    return { host: name === '' ? findNearest(number) : name, port: number }
  })
}

function parsePort(text: string): number {
  const port = text === '' ? DEFAULT_PORT : Number(text)
  if (!/^\d*$/.test(text.trim()) || port < 1 || port > 65_535)
    throw new StoreRefused(`the port ${text} of the database is not a number from 1 to 65535`)
  return port
}

/** Without a host: the usual directories of the socket, else localhost. */
function findNearest(port: number): string {
  const directories = ['/var/run/postgresql', '/tmp']
  return directories.find(directory => existsSync(join(directory, `.s.PGSQL.${port}`))) ?? 'localhost'
}
