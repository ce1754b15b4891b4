import { StoreRefused } from '../store.ts'

/** Parameters of a URL, by libpq's names; hosts and ports are comma-separated lists, as in libpq. */
export type Parameters = Readonly<Partial<Record<ParameterName, string>>>

const parameterNames = [
  'host',
  'port',
  'user',
  'password',
  'passfile',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslpassword',
  'target_session_attrs',
  'application_name',
  'options',
  'connect_timeout',
] as const
export type ParameterName = (typeof parameterNames)[number]

const isParameter = (name: string): name is ParameterName =>
  (parameterNames as readonly string[]).includes(name)

const SCHEME = /^postgres(?:ql)?:\/\//

/** Parses a URL as libpq does. Rejects it in one line that never contains the password. */
export function parseUrl(url: string): Parameters {
  if (!SCHEME.test(url)) throw refuseUrl('it does not begin with postgres://')
  const text = url.replace(SCHEME, '')
  const [, authority = '', path, query] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(text) ?? []
  const at = authority.lastIndexOf('@')
  const found: Partial<Record<ParameterName, string>> = {
    ...(at < 0 ? {} : parseUser(authority.slice(0, at))),
    ...parseHosts(authority.slice(at + 1)),
    ...(path === undefined || path === '' ? {} : { dbname: decode(path, 'the name of the database') }),
  }
  for (const pair of (query ?? '').split('&')) if (pair !== '') Object.assign(found, parseParameter(pair))
  return found
}

export function hidePassword(url: string): string {
  const [, scheme, authority = '', path = '', query] =
    /^([a-z]+:\/\/)([^/?]*)([^?]*)(?:\?(.*))?$/s.exec(url) ?? []
  if (scheme === undefined) return 'postgres://…'
  const at = authority.lastIndexOf('@')
  const [user] = authority.slice(0, Math.max(at, 0)).split(':')
  const shown = at < 0 ? authority : `${user}@${authority.slice(at + 1)}`
  return `${scheme}${shown}${path}${query === undefined ? '' : `?${query.split('&').map(renderPair).join('&')}`}`
}

/** Hides a password however its name is encoded. */
function renderPair(pair: string): string {
  const [left = ''] = pair.split('=')
  const name = left.includes('%') ? decodeQuietly(left) : left
  return name.toLowerCase().includes('password') ? `${name}=***` : pair
}

function decodeQuietly(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return 'password'
  }
}

const refuseUrl = (fault: string) => new StoreRefused(`the address of the database is wrong: ${fault}`)

function decode(text: string, what: string): string {
  let plain: string
  try {
    plain = decodeURIComponent(text)
  } catch {
    throw refuseUrl(`${what} has a % that is no percent-encoding`)
  }
  if (plain.includes('\0')) throw refuseUrl(`${what} has a character with the number 0`)
  return plain
}

function parseUser(text: string): Parameters {
  const colon = text.indexOf(':')
  const user = decode(colon < 0 ? text : text.slice(0, colon), 'the user')
  const password = colon < 0 ? '' : decode(text.slice(colon + 1), 'the password')
  return { ...(user === '' ? {} : { user }), ...(password === '' ? {} : { password }) }
}

/** `h1:5432,[::1]:5433`: each with or without a port. */
function parseHosts(text: string): Parameters {
  if (text === '') return {}
  const pairs = text.split(',').map(one => {
    const [, v6, name, port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(one) ?? []
    if (v6 === undefined && name === undefined)
      throw refuseUrl(`the host ${decode(one, 'a host')} is not one`)
    return { host: decode(v6 ?? name ?? '', 'a host'), port: port ?? '' }
  })
  const hosts = pairs.map(({ host }) => host).join(',')
  const ports = pairs.map(({ port }) => port).join(',')
  return {
    ...(/[^,]/.test(hosts) ? { host: hosts } : {}),
    ...(/[^,]/.test(ports) ? { port: ports } : {}),
  }
}

function parseParameter(pair: string): Parameters {
  const [left = '', ...right] = pair.split('=')
  const name = decode(left, 'a parameter')
  if (right.length !== 1) throw refuseUrl(`the parameter ${name} needs one = and a value`)
  const value = decode(right[0] as string, `the parameter ${name}`)
  // JDBC's notation, which libpq understands too.
  if (name === 'ssl' && value === 'true') return { sslmode: 'require' }
  if (!isParameter(name)) throw refuseUrl(`it has the parameter ${name}, which berth does not know`)
  return { [name]: value }
}
