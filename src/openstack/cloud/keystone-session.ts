import type { HttpAnswer } from '../../http/outgoing/http-client.ts'
import type { Clock } from '../../kernel/clock.ts'
import { stripEnd } from '../../kernel/strip.ts'
import { CloudFailure } from './cloud-failure.ts'
import type { CloudSettings } from './cloud-settings.ts'
import type { PoliteClient } from './polite-client.ts'
import { type ServiceType, serviceFacts } from './service-types.ts'

interface CatalogEndpoint {
  readonly interface: string
  readonly region: string | null
  readonly url: string
}

interface CatalogService {
  readonly type: string
  readonly endpoints: readonly CatalogEndpoint[]
}

interface SignedIn {
  /** Null if the cloud needs none. */
  readonly token: string | null
  readonly renewAtMs: number
  readonly catalog: readonly CatalogService[]
}

/** A token is renewed this long before it expires, at most a tenth of its life. */
const RENEW_MS = 120_000

/** The token of a cloud, renewed in time, and the catalog that came with it. */
export class KeystoneSession {
  readonly #settings: CloudSettings
  readonly #client: PoliteClient
  readonly #clock: Clock
  #signedIn: SignedIn | null = null
  #signingIn: Promise<SignedIn> | null = null

  constructor(settings: CloudSettings, client: PoliteClient, clock: Clock) {
    this.#settings = settings
    this.#client = client
    this.#clock = clock
  }

  async token(): Promise<string | null> {
    return (await this.#signIn()).token
  }

  /** Call this if a service refused the token, which Keystone may have revoked: the next token is a new one. */
  drop(token: string | null): void {
    if (this.#signedIn?.token === token) this.#signedIn = null
  }

  /** Where a service is; null if the cloud has none. */
  async addressOf(type: ServiceType): Promise<string | null> {
    const { endpoint, region, interface: wanted } = this.#settings.service(type)
    if (endpoint !== null) return stripEnd(endpoint, '/')
    const { catalog } = await this.#signIn()
    for (const name of serviceFacts[type].types) {
      const all = catalog.filter(service => service.type === name).flatMap(service => service.endpoints)
      const found = all.find(
        one => one.interface === wanted && (region === null || one.region === null || one.region === region),
      )
      if (found !== undefined) return found.url
    }
    return null
  }

  async #signIn(): Promise<SignedIn> {
    const { auth } = this.#settings
    if (auth.kind === 'fixed') return { token: auth.token, renewAtMs: Number.POSITIVE_INFINITY, catalog: [] }
    if (this.#signedIn !== null && this.#signedIn.renewAtMs > this.#clock.nowMs()) return this.#signedIn
    this.#signingIn ??= this.#ask(auth.url, auth.request, auth.who).finally(() => {
      this.#signingIn = null
    })
    this.#signedIn = await this.#signingIn
    return this.#signedIn
  }

  async #ask(url: string, request: object, who: string): Promise<SignedIn> {
    const answer = await this.#client.send({
      method: 'POST',
      url: `${url}/auth/tokens`,
      headers: {},
      json: { auth: request },
      service: 'Keystone',
    })
    const token = answer.headers.get('x-subject-token')
    if (answer.status !== 201 || token === null) throw this.#refuse(url, who, answer)
    return parseSignIn(answer.body, token, this.#clock.nowMs())
  }

  #refuse(url: string, who: string, { status }: HttpAnswer): CloudFailure {
    const { name, from } = this.#settings
    const why =
      status === 401
        ? `refuses ${who} of cloud ${name}: correct it in ${from}`
        : `answered ${status} when ${who} of cloud ${name} signed in`
    return new CloudFailure(`Keystone at ${url} ${why}`, status)
  }
}

function parseSignIn(body: string, token: string, nowMs: number): SignedIn {
  const document = parseJson(body) as {
    token?: { expires_at?: string | null; catalog?: readonly KeystoneService[] }
  } | null
  const expiresAtMs = Date.parse(document?.token?.expires_at ?? '')
  if (Number.isNaN(expiresAtMs)) throw new CloudFailure('Keystone answered without a valid token')
  const lifeMs = expiresAtMs - nowMs
  return {
    token,
    renewAtMs: expiresAtMs - Math.min(RENEW_MS, lifeMs / 10),
    catalog: (document?.token?.catalog ?? []).map(({ type, endpoints }) => ({
      type,
      endpoints: endpoints.map(one => ({
        interface: one.interface,
        region: one.region_id ?? one.region ?? null,
        url: one.url,
      })),
    })),
  }
}

interface KeystoneService {
  readonly type: string
  readonly endpoints: readonly {
    readonly interface: string
    readonly region_id?: string | null
    readonly region?: string | null
    readonly url: string
  }[]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
