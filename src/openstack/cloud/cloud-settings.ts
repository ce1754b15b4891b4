import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { SettingsRefused } from '../../client/failure.ts'
import type { ServerTrust } from '../../http/outgoing/http-client.ts'
import { ownValue } from '../../kernel/records.ts'
import { stripEnd } from '../../kernel/strip.ts'
import { type CloudPlace, findCloud, type RawCloud, toRecord, type Values } from './clouds-file.ts'
import { keyPrefixes, type ServiceType } from './service-types.ts'

/** How to get a token. */
type CloudAuth =
  | {
      readonly kind: 'keystone'
      /** With `/v3` at its end. */
      readonly url: string
      /** The `auth` of a sign-in. */
      readonly request: Readonly<Record<string, unknown>>
      /** Names the credentials in the error if Keystone refuses them. */
      readonly who: string
    }
  /** A fixed token without a catalog: every service needs an endpoint_override. */
  | { readonly kind: 'fixed'; readonly token: string | null }

interface ServiceSettings {
  /** Replaces the endpoint of the catalog. */
  readonly endpoint: string | null
  readonly region: string | null
  readonly interface: string
}

export interface CloudSettings {
  readonly name: string
  /** The file that describes it. */
  readonly from: string
  readonly auth: CloudAuth
  readonly region: string | null
  readonly trust: ServerTrust
  /** For each request. */
  readonly timeoutMs: number
  readonly service: (type: ServiceType) => ServiceSettings
}

const TIMEOUT_S = 60
const TIMEOUT_S_MAX = 3_600

/** The cloud of this name, ready to sign in to. Throws SettingsRefused with one plain line. */
export async function readCloudSettings(name: string | undefined, place: CloudPlace): Promise<CloudSettings> {
  const raw = await findCloud(name, place)
  const read = new CloudValues(raw)
  const region = read.text('region_name') ?? read.firstRegion()
  const usual = read.text('interface') ?? read.text('endpoint_type') ?? 'public'
  return {
    name: raw.name,
    from: raw.from,
    auth: parseAuth(read),
    region,
    trust: await readTrust(read, place),
    timeoutMs: read.seconds('api_timeout', TIMEOUT_S, TIMEOUT_S_MAX) * 1_000,
    service(type) {
      const ofService = (key: string) =>
        keyPrefixes(type)
          .map(prefix => read.text(`${prefix}_${key}`))
          .find(value => value !== null) ?? null
      const chosen = ofService('interface') ?? ofService('endpoint_type') ?? usual
      return {
        endpoint: ofService('endpoint_override') ?? ofService('endpoint'),
        region: ofService('region_name') ?? region,
        interface: stripSuffix(chosen, 'URL'),
      }
    },
  }
}

const stripSuffix = (text: string, suffix: string): string =>
  text.endsWith(suffix) ? text.slice(0, -suffix.length) : text

/** Values of one cloud, with names for messages. */
class CloudValues {
  readonly what: string
  readonly #values: Values
  readonly #auth: Values

  constructor({ name, from, values }: RawCloud) {
    this.what = `cloud ${name} (${from})`
    this.#values = values
    const auth = ownValue(values, 'auth')
    this.#auth = auth === undefined || auth === null ? {} : toRecord(auth, `auth of ${this.what}`)
  }

  text(key: string): string | null {
    return this.#toText(key, ownValue(this.#values, key))
  }

  /** Like openstacksdk, also accepts members of `auth` beside it. */
  auth(key: string): string | null {
    return this.#toText(key, ownValue(this.#auth, key)) ?? this.text(key)
  }

  requireAuth(key: string): string {
    const value = this.auth(key)
    if (value === null) throw this.refuse(`has no ${key} below auth`)
    return value
  }

  isTrue(key: string, otherwise: boolean): boolean {
    const value = ownValue(this.#values, key)
    if (value === undefined || value === null) return otherwise
    const text = String(value).toLowerCase()
    if (['true', 'yes', 'on', '1'].includes(text)) return true
    if (['false', 'no', 'off', '0'].includes(text)) return false
    throw this.refuse(`has ${key} = ${text}: write true or false`)
  }

  seconds(key: string, otherwise: number, max: number): number {
    const text = this.text(key)
    if (text === null) return otherwise
    const seconds = Number(text)
    if (!(seconds > 0 && seconds <= max))
      throw this.refuse(`has ${key} = ${text}: write seconds, at most ${max}`)
    return seconds
  }

  /** Regions are names, or mappings with a name. */
  firstRegion(): string | null {
    const regions = ownValue(this.#values, 'regions')
    if (!Array.isArray(regions) || regions.length === 0) return null
    const [first] = regions as unknown[]
    return typeof first === 'string' ? first : this.#toText('name', toRecord(first, 'a region').name)
  }

  refuse(why: string): SettingsRefused {
    return new SettingsRefused(`${this.what} ${why}`)
  }

  #toText(key: string, value: unknown): string | null {
    if (value === undefined || value === null || value === '') return null
    if (typeof value === 'object') throw this.refuse(`has a ${key} that is no text`)
    return String(value)
  }
}

const AUTH_TYPES = 'password, token, v3applicationcredential, admin_token, none'

function parseAuth(read: CloudValues): CloudAuth {
  const type = read.text('auth_type') ?? guessType(read)
  switch (type) {
    case 'password':
    case 'v3password':
      return keystone(read, parsePassword(read), `user ${read.auth('username') ?? read.auth('user_id')}`)
    case 'token':
    case 'v3token':
      return keystone(read, { methods: ['token'], token: { id: read.requireAuth('token') } }, 'the token')
    case 'v3applicationcredential':
    case 'application_credential':
      return keystone(read, parseCredential(read), 'the application credential')
    case 'admin_token':
      return { kind: 'fixed', token: read.requireAuth('token') }
    case 'none':
      return { kind: 'fixed', token: null }
    default:
      throw read.refuse(`has auth_type ${type}: ${AUTH_TYPES} are supported`)
  }
}

function guessType(read: CloudValues): string {
  if (read.auth('application_credential_secret') !== null) return 'v3applicationcredential'
  return read.auth('token') !== null && read.auth('password') === null ? 'token' : 'password'
}

function keystone(
  read: CloudValues,
  identity: Readonly<Record<string, unknown>> & { readonly methods: readonly string[] },
  who: string,
): CloudAuth {
  const url = stripSuffix(stripEnd(read.requireAuth('auth_url'), '/'), '/v3')
  if (!/^https?:\/\//.test(url)) throw read.refuse(`has an auth_url that is no address: ${url}`)
  // An application credential belongs to its project.
  const scope = identity.methods[0] === 'application_credential' ? undefined : parseScope(read)
  const request = scope === undefined ? { identity } : { identity, scope }
  return { kind: 'keystone', url: `${stripSuffix(url, '/v2.0')}/v3`, request, who }
}

function parsePassword(read: CloudValues) {
  const id = read.auth('user_id')
  const user =
    id === null ? { name: read.requireAuth('username'), domain: parseDomain(read, 'user') } : { id }
  return { methods: ['password'], password: { user: { ...user, password: read.requireAuth('password') } } }
}

function parseCredential(read: CloudValues) {
  const id = read.auth('application_credential_id')
  const secret = read.requireAuth('application_credential_secret')
  if (id !== null) return { methods: ['application_credential'], application_credential: { id, secret } }
  const userId = read.auth('user_id')
  const user =
    userId === null
      ? { name: read.requireAuth('username'), domain: parseDomain(read, 'user') }
      : { id: userId }
  const name = read.requireAuth('application_credential_name')
  return { methods: ['application_credential'], application_credential: { name, user, secret } }
}

function parseScope(read: CloudValues): object {
  if (read.auth('system_scope') !== null) return { system: { all: true } }
  const trust = read.auth('trust_id')
  if (trust !== null) return { 'OS-TRUST:trust': { id: trust } }
  const id = read.auth('project_id') ?? read.auth('tenant_id')
  if (id !== null) return { project: { id } }
  const name = read.auth('project_name') ?? read.auth('tenant_name')
  if (name !== null) return { project: { name, domain: parseDomain(read, 'project') } }
  throw read.refuse('names no project: write project_name, project_id or system_scope below auth')
}

function parseDomain(read: CloudValues, whose: 'user' | 'project'): { id: string } | { name: string } {
  const id = read.auth(`${whose}_domain_id`) ?? read.auth('domain_id') ?? read.auth('default_domain_id')
  if (id !== null) return { id }
  const name =
    read.auth(`${whose}_domain_name`) ?? read.auth('domain_name') ?? read.auth('default_domain_name')
  return name === null ? { id: read.auth('default_domain') ?? 'default' } : { name }
}

async function readTrust(read: CloudValues, place: CloudPlace): Promise<ServerTrust> {
  const isBlind = !read.isTrue('verify', true) || read.isTrue('insecure', false)
  const file = async (key: string) => {
    const path = read.text(key)
    return path === null ? null : readPem(expandPath(path, place), `${key} of ${read.what}`)
  }
  const [authorities, certificate, key] = [await file('cacert'), await file('cert'), await file('key')]
  if (certificate === null) return { authorities, isBlind }
  // The key may be in the file of the certificate.
  return { authorities, isBlind, client: { certificate, key: key ?? certificate } }
}

function expandPath(path: string, { homeDirectory, workingDirectory }: CloudPlace): string {
  if (path.startsWith('~/')) return join(homeDirectory, path.slice(2))
  return isAbsolute(path) ? path : join(workingDirectory, path)
}

async function readPem(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new SettingsRefused(`${what}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
