/** The file with which Kolla-Ansible and OpenStack-Helm tell uWSGI where Placement listens. */
import { parseHostAndPort } from './host-and-port.ts'
import type { KeyName } from './keys.ts'
import { type Assignment, IniUnreadable, parseIni } from './oslo/ini.ts'
import type { ConfigProblem } from './resolve.ts'

/** What the file asks of the server. */
interface UwsgiSettings {
  /** Values in the form of flags. */
  readonly flags: Readonly<Partial<Record<KeyName, string>>>
  /** Variables that uWSGI would set. */
  readonly env: Readonly<Record<string, string>>
}

export type UwsgiReading =
  | { readonly ok: true; readonly settings: UwsgiSettings }
  | { readonly ok: false; readonly problem: ConfigProblem }

const SECTION = 'uwsgi'
const PLAIN = ['http', 'http-socket']
const SECURE = ['https', 'https-socket']
const APPLICATIONS = ['module', 'wsgi', 'wsgi-file', 'mount']
const PLACEMENT = /\bplacement\b/

/**
 * Address, port and certificate, the address of uWSGI's statistics if they use HTTP, and variables. Settings
 * for uWSGI's own processes, threads, buffers and logs have no meaning here.
 */
export function readUwsgi(path: string, text: string): UwsgiReading {
  const problem = (
    key: string | null,
    value: string | null,
    wrong: string,
    remedy: string,
  ): UwsgiReading => ({
    ok: false,
    problem: { key, value, origin: { from: 'file', name: path }, wrong, remedy },
  })
  let options: readonly Assignment[]
  try {
    options = parseIni(text).filter(({ section }) => section === SECTION)
  } catch (error) {
    if (!(error instanceof IniUnreadable)) throw error
    return problem(null, null, `cannot be read at line ${error.line}: ${error.message}`, 'correct it')
  }
  const strange = options.find(({ key, value }) => APPLICATIONS.includes(key) && !PLACEMENT.test(value))
  if (strange !== undefined)
    return problem(strange.key, strange.value, 'is not Placement', 'start that service with its own image')
  const address = options.find(({ key }) => PLAIN.includes(key) || SECURE.includes(key))
  if (address === undefined)
    return problem('http', null, 'is not set: Berth does not speak uWSGI’s own protocol', 'set it')
  const [where = '', cert, key] = address.value.split(',').map(part => part.trim())
  const listen = parseHostAndPort(where)
  const isSecure = SECURE.includes(address.key)
  if (listen === null || (isSecure && (cert === undefined || key === undefined)))
    return problem(address.key, address.value, 'is not an address that can be used', addressForm(isSecure))
  return {
    ok: true,
    settings: { flags: { ...flagsOf(listen, cert, key), ...healthOf(options) }, env: envOf(options) },
  }
}

const addressForm = (isSecure: boolean): string =>
  isSecure ? 'write host:port,certificate,key' : 'write host:port'

function flagsOf(
  { host, port }: { host: string; port: number },
  cert?: string,
  key?: string,
): UwsgiSettings['flags'] {
  const listen = { host, port: String(port) }
  // uWSGI without TLS means that there is a proxy or a private network in front.
  return cert === undefined || key === undefined
    ? { ...listen, behind_proxy: 'true' }
    : { ...listen, tls_cert: cert, tls_key: key }
}

/** OpenStack-Helm uses uWSGI's statistics as a liveness probe. */
function healthOf(options: readonly Assignment[]): UwsgiSettings['flags'] {
  const stats = options.find(({ key }) => key === 'stats')?.value
  const isHttp = options.some(({ key, value }) => key === 'stats-http' && value.toLowerCase() === 'true')
  return stats !== undefined && isHttp && parseHostAndPort(stats) !== null ? { health_listen: stats } : {}
}

const envOf = (options: readonly Assignment[]): Record<string, string> =>
  Object.fromEntries(
    options.flatMap(({ key, value }) => {
      const [name = '', ...rest] = value.split('=')
      return key === 'env' && name !== '' ? [[name, rest.join('=')]] : []
    }),
  )
