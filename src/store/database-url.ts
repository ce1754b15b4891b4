import { StoreRefused } from './store.ts'

/** The address of a database: `scheme://user:password@host:port,host:port/name?parameter=value&…`. */

export interface UrlShape<Name extends string> {
  readonly scheme: RegExp
  /** How it begins, for messages. */
  readonly shown: string
  readonly parameterNames: readonly Name[]
  /** Other notations of a parameter; null for those without a meaning here. */
  readonly translate?: (name: string, value: string) => Readonly<Partial<Record<Name, string>>> | null
}

/** What every address may have; hosts and ports are comma-separated lists. */
type AddressPart = 'host' | 'port' | 'user' | 'password' | 'dbname'
type AddressParts = Readonly<Partial<Record<AddressPart, string>>>

/** Rejects a wrong address in one line that never contains the password. */
export function parseDatabaseUrl<Name extends string>(
  url: string,
  shape: UrlShape<Name>,
): Readonly<Partial<Record<Name | AddressPart, string>>> {
  if (!shape.scheme.test(url)) throw refuseUrl(`it does not begin with ${shape.shown}`)
  const text = url.replace(shape.scheme, '')
  const [, authority = '', path, query] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(text) ?? []
  const at = authority.lastIndexOf('@')
  const place: AddressParts = {
    ...(at < 0 ? {} : parseUser(authority.slice(0, at))),
    ...parseHosts(authority.slice(at + 1)),
    ...(path === undefined || path === '' ? {} : { dbname: decode(path, 'the name of the database') }),
  }
  const found = { ...place } as Partial<Record<Name | AddressPart, string>>
  for (const pair of (query ?? '').split('&'))
    if (pair !== '') Object.assign(found, parseParameter(pair, shape))
  return found
}

export function hidePassword(url: string): string {
  const [, scheme, authority = '', path = '', query] =
    /^([a-z0-9+_]+:\/\/)([^/?]*)([^?]*)(?:\?(.*))?$/s.exec(url) ?? []
  if (scheme === undefined) return 'the database'
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
    throw refuseUrl(`${what} has a % that is not percent-encoding`)
  }
  if (plain.includes('\0')) throw refuseUrl(`${what} has a character with the number 0`)
  return plain
}

function parseUser(text: string): AddressParts {
  const colon = text.indexOf(':')
  const user = decode(colon < 0 ? text : text.slice(0, colon), 'the user')
  const password = colon < 0 ? '' : decode(text.slice(colon + 1), 'the password')
  return { ...(user === '' ? {} : { user }), ...(password === '' ? {} : { password }) }
}

/** `h1:5432,[::1]:5433`: each with or without a port. */
function parseHosts(text: string): AddressParts {
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

function parseParameter<Name extends string>(
  pair: string,
  { parameterNames, translate }: UrlShape<Name>,
): Readonly<Partial<Record<Name, string>>> {
  const [left = '', ...right] = pair.split('=')
  const name = decode(left, 'a parameter')
  if (right.length !== 1) throw refuseUrl(`the parameter ${name} needs one = and a value`)
  const value = decode(right[0] as string, `the parameter ${name}`)
  const translated = translate?.(name, value)
  if (translated) return translated
  if (!(parameterNames as readonly string[]).includes(name))
    throw refuseUrl(`it has the parameter ${name}, which berth does not know`)
  return { [name]: value } as Partial<Record<Name, string>>
}
