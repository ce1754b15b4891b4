import type { Credentials } from '../../http/api.ts'
import { type AuthenticationResult, AuthenticationUnavailable } from '../../http/authenticator.ts'
import type { Clock } from '../../kernel/clock.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { digestOf } from '../builtin/tokens.ts'
import { FairTurns, type Lane } from '../fair-turns.ts'
import { type HttpAnswer, HttpClient, type ServerTrust } from './http-client.ts'

/** By name, or by id where that is known: an id wins. */
interface KeystoneDomain {
  readonly id: string | null
  readonly name: string
}

export interface KeystoneSettings {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly project: string
  readonly userDomain: KeystoneDomain
  readonly projectDomain: KeystoneDomain
  /** The address that callers without a token are told; null: that of `url`. */
  readonly publicUrl: string | null
  readonly trust: ServerTrust
  /** How long what it said about a token is believed. */
  readonly cacheMs: number
  readonly timeoutMs: number
  readonly clock: Clock
}

export type KeystoneAnswer = HttpAnswer

interface Known {
  readonly verdict: Credentials | null
  readonly untilMs: number
}

const CACHED_MAX = 10_000
/** So many questions are under way at most; who comes then is told to try again. */
const ASKING_MAX = 64
/** So many people sign in at a time; checking a password is slow on purpose. */
const PASSING = { atOnceMax: 32, waitingMax: 100, perLaneMax: 20 }
/** The own token is replaced so long before it expires. */
const RENEW_MS = 60_000

/** A Keystone somewhere else, which knows what tokens are for. When it cannot be asked, nobody gets in. */
export class Keystone {
  readonly url: string
  /** Where people sign in. */
  readonly publicUrl: string
  readonly #settings: KeystoneSettings
  readonly #client: HttpClient
  readonly #known = new BoundedCache<Known>(CACHED_MAX)
  readonly #asking = new Map<string, Promise<AuthenticationResult>>()
  #own: { readonly token: string; readonly expiresAtMs: number } | null = null
  #signingIn: Promise<string> | null = null
  readonly #passing = new FairTurns(PASSING)

  constructor(settings: KeystoneSettings) {
    this.#settings = settings
    this.#client = new HttpClient(settings.trust)
    this.url = settings.url.replace(/\/v3$/, '')
    this.publicUrl = settings.publicUrl ?? this.url
  }

  verdict(token: string): AuthenticationResult | Promise<AuthenticationResult> {
    const digest = digestOf(token)
    const known = this.#known.get(digest)
    if (known !== undefined && known.untilMs > this.#settings.clock.nowMs()) return known.verdict
    const running = this.#asking.get(digest)
    if (running !== undefined) return running
    if (this.#asking.size >= ASKING_MAX)
      return new AuthenticationUnavailable(`${ASKING_MAX} questions to Keystone are under way`)
    const asking = this.#ask(token, digest).finally(() => this.#asking.delete(digest))
    this.#asking.set(digest, asking)
    return asking
  }

  async #ask(token: string, digest: string): Promise<AuthenticationResult> {
    const { clock, cacheMs } = this.#settings
    const askedMs = clock.nowMs()
    try {
      const found = await this.#validated(token)
      const untilMs = Math.min(askedMs + cacheMs, found?.expiresAtMs ?? Number.POSITIVE_INFINITY)
      const verdict = found === null || found.expiresAtMs <= clock.nowMs() ? null : found.credentials
      if (cacheMs > 0) this.#known.set(digest, { verdict, untilMs })
      return verdict
    } catch (error) {
      this.#known.delete(digest)
      return new AuthenticationUnavailable(error instanceof Error ? reasonOf(error) : String(error))
    }
  }

  async #validated(token: string): Promise<Validated | null> {
    const ask = async () =>
      this.#send('GET', '/v3/auth/tokens?nocatalog', {
        'x-auth-token': await this.#ownToken(),
        'x-subject-token': token,
      })
    let answer = await ask()
    if (answer.status === 401) {
      // Our own token is good no more; that says nothing about the one we asked about.
      this.#own = null
      answer = await ask()
    }
    if (answer.status === 404) return null
    if (answer.status !== 200) throw new Error(`Keystone answered ${answer.status} when asked about a token`)
    return validatedOf(answer.body)
  }

  async #ownToken(): Promise<string> {
    const { clock } = this.#settings
    if (this.#own !== null && this.#own.expiresAtMs - RENEW_MS > clock.nowMs()) return this.#own.token
    this.#signingIn ??= this.#signIn().finally(() => {
      this.#signingIn = null
    })
    return this.#signingIn
  }

  async #signIn(): Promise<string> {
    const { username, password, project, userDomain, projectDomain } = this.#settings
    const auth = {
      identity: {
        methods: ['password'],
        password: { user: { name: username, domain: domainOf(userDomain), password } },
      },
      scope: { project: { name: project, domain: domainOf(projectDomain) } },
    }
    const answer = await this.#send('POST', '/v3/auth/tokens?nocatalog', {}, { auth })
    const token = answer.headers.get('x-subject-token')
    if (answer.status !== 201 || token === null)
      throw new Error(`Keystone answered ${answer.status} when ${username} signed in`)
    this.#own = { token, expiresAtMs: validatedOf(answer.body).expiresAtMs }
    return token
  }

  /** Asks what somebody else wants to know, with what they showed and not as ourselves. */
  async passOn(
    lane: Lane,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<KeystoneAnswer | AuthenticationUnavailable> {
    try {
      return await this.#passing.run(lane, () => this.#send(method, path, headers, body))
    } catch (error) {
      return new AuthenticationUnavailable(error instanceof Error ? reasonOf(error) : String(error))
    }
  }

  #send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<KeystoneAnswer> {
    const text = body === undefined ? null : JSON.stringify(body)
    return this.#client.send({
      method,
      url: `${this.url}${path}`,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(text === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
      },
      body: text,
      timeoutMs: this.#settings.timeoutMs,
    })
  }
}

const domainOf = ({ id, name }: KeystoneDomain): { id: string } | { name: string } =>
  id === null ? { name } : { id }

interface Validated {
  readonly credentials: Credentials
  readonly expiresAtMs: number
}

interface TokenDocument {
  readonly token: {
    readonly expires_at: string
    readonly user: { readonly id: string; readonly name?: unknown }
    readonly project?: { readonly id: string; readonly name?: unknown }
    readonly roles?: readonly { readonly name: string }[]
    readonly system?: Readonly<Record<string, unknown>>
    readonly domain?: Readonly<Record<string, unknown>>
    readonly application_credential?: Readonly<Record<string, unknown>>
    readonly 'OS-TRUST:trust'?: Readonly<Record<string, unknown>>
    readonly 'OS-OAUTH1'?: Readonly<Record<string, unknown>>
  }
}

function validatedOf(text: string): Validated {
  const { token } = JSON.parse(text) as TokenDocument
  const expiresAtMs = Date.parse(token.expires_at)
  if (typeof token.user.id !== 'string' || Number.isNaN(expiresAtMs))
    throw new Error('Keystone answered something that is no token')
  return {
    expiresAtMs,
    credentials: {
      userId: token.user.id,
      projectId: token.project?.id ?? null,
      // The roles of a domain are none in any project here.
      roles: token.domain === undefined ? (token.roles ?? []).map(({ name }) => name.toLowerCase()) : [],
      systemScope: token.system !== undefined,
      ...namesOf(token),
      ...delegationOf(token),
    },
  }
}

function namesOf({ user, project }: TokenDocument['token']): Pick<Credentials, 'names'> {
  if (typeof user.name !== 'string') return {}
  return { names: { user: user.name, project: typeof project?.name === 'string' ? project.name : null } }
}

/** Keystone does not say when what was delegated ends, so it makes nothing here that would outlive it. */
function delegationOf(token: TokenDocument['token']): Pick<Credentials, 'delegation'> {
  const by =
    token.application_credential !== undefined
      ? 'application credential of Keystone'
      : token['OS-TRUST:trust'] !== undefined
        ? 'trust of Keystone'
        : token['OS-OAUTH1'] !== undefined
          ? 'OAuth access token of Keystone'
          : null
  return by === null ? {} : { delegation: { by, isRestricted: true, endsAtMs: null } }
}

/** What Node says of a time-out is no help; a fault of the network has a code. */
function reasonOf(error: Error): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'Keystone did not answer in time'
  return 'code' in error ? `Keystone cannot be reached: ${error.message}` : error.message
}
