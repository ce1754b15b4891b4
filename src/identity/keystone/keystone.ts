import type { Credentials } from '../../http/api.ts'
import { type AuthenticationResult, AuthenticationUnavailable } from '../../http/authenticator.ts'
import { type HttpAnswer, HttpClient, type ServerTrust } from '../../http/outgoing/http-client.ts'
import { traceOutgoing } from '../../http/tracing/outgoing.ts'
import type { Clock } from '../../kernel/clock.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { digestOf } from '../builtin/tokens.ts'
import { FairTurns, type Lane } from '../fair-turns.ts'

/** By id if known, else by name. */
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
  /** The address given to callers without a token; null: that of `url`. */
  readonly publicUrl: string | null
  readonly trust: ServerTrust
  /** How long a validation is cached. */
  readonly cacheMs: number
  readonly timeoutMs: number
  readonly clock: Clock
}

export type KeystoneAnswer = HttpAnswer

interface CachedVerdict {
  readonly verdict: Credentials | null
  readonly untilMs: number
}

const CACHED_MAX = 10_000
/** The most validations in progress; further callers are told to try again. */
const ASKING_MAX = 64
/** Sign-ins at a time; checking a password is slow on purpose. */
const PASSING = { atOnceMax: 32, waitingMax: 100, perLaneMax: 20 }
/** The own token is renewed this long before it expires. */
const RENEW_MS = 60_000

/** An external Keystone. While it cannot be reached, no token is accepted. */
export class Keystone {
  readonly url: string
  /** Where users sign in. */
  readonly publicUrl: string
  readonly cacheMs: number
  readonly #settings: KeystoneSettings
  readonly #client: HttpClient
  readonly #known = new BoundedCache<CachedVerdict>(CACHED_MAX)
  readonly #asking = new Map<string, Promise<AuthenticationResult>>()
  #own: { readonly token: string; readonly expiresAtMs: number } | null = null
  #signingIn: Promise<string> | null = null
  readonly #passing = new FairTurns(PASSING)

  constructor(settings: KeystoneSettings) {
    this.#settings = settings
    this.#client = new HttpClient(settings.trust)
    this.url = settings.url.replace(/\/v3$/, '')
    this.publicUrl = settings.publicUrl ?? this.url
    this.cacheMs = settings.cacheMs
  }

  /** How many tokens need no question to Keystone now. */
  countCached(): number {
    const nowMs = this.#settings.clock.nowMs()
    return this.#known.count(({ verdict, untilMs }) => verdict !== null && untilMs > nowMs)
  }

  /** The identity of a token. An expired one has none, unless the caller may use expired tokens: then Keystone decides. */
  authenticate(token: string, mayBeExpired = false): AuthenticationResult | Promise<AuthenticationResult> {
    const digest = digestOf(token)
    const nowMs = this.#settings.clock.nowMs()
    const known = this.#known.get(digest)
    const isKnown = known !== undefined && known.untilMs > nowMs
    if (isKnown && (known.verdict !== null || !mayBeExpired)) return known.verdict
    // A cached answer for an expired token must not serve a caller who may not use one.
    const question = mayBeExpired ? `expired ${digest}` : digest
    const answer = mayBeExpired ? this.#known.get(question) : undefined
    if (answer !== undefined && answer.untilMs > nowMs) return answer.verdict
    const running = this.#asking.get(question)
    if (running !== undefined) return running
    if (this.#asking.size >= ASKING_MAX)
      return new AuthenticationUnavailable(`${ASKING_MAX} requests to Keystone are in progress`)
    const asking = this.#ask(token, question, mayBeExpired).finally(() => this.#asking.delete(question))
    this.#asking.set(question, asking)
    return asking
  }

  async #ask(token: string, question: string, mayBeExpired: boolean): Promise<AuthenticationResult> {
    const { clock, cacheMs } = this.#settings
    const askedMs = clock.nowMs()
    try {
      const found = await this.#validate(token, mayBeExpired)
      const endMs = found === null || mayBeExpired ? Number.POSITIVE_INFINITY : found.expiresAtMs
      const verdict = found === null || endMs <= clock.nowMs() ? null : found.credentials
      if (cacheMs > 0) this.#known.set(question, { verdict, untilMs: Math.min(askedMs + cacheMs, endMs) })
      return verdict
    } catch (error) {
      this.#known.delete(question)
      return new AuthenticationUnavailable(error instanceof Error ? describeError(error) : String(error))
    }
  }

  async #validate(token: string, mayBeExpired: boolean): Promise<Validated | null> {
    const path = `/v3/auth/tokens?nocatalog${mayBeExpired ? '&allow_expired=1' : ''}`
    const ask = async () =>
      this.#send('GET', path, {
        'x-auth-token': await this.getOwnToken(),
        'x-subject-token': token,
      })
    let answer = await ask()
    if (answer.status === 401) {
      // Our own token is no longer valid; the token in question may be.
      this.#own = null
      answer = await ask()
    }
    if (answer.status === 404) return null
    if (answer.status !== 200) throw new Error(`Keystone answered ${answer.status} when asked about a token`)
    return parseValidated(answer.body)
  }

  /** A token of this server's own user. */
  async getOwnToken(): Promise<string> {
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
        password: { user: { name: username, domain: renderDomain(userDomain), password } },
      },
      scope: { project: { name: project, domain: renderDomain(projectDomain) } },
    }
    const answer = await this.#send('POST', '/v3/auth/tokens?nocatalog', {}, { auth })
    const token = answer.headers.get('x-subject-token')
    if (answer.status !== 201 || token === null)
      throw new Error(`Keystone answered ${answer.status} when ${username} signed in`)
    this.#own = { token, expiresAtMs: parseValidated(answer.body).expiresAtMs }
    return token
  }

  /** Forwards a question of a caller with the caller's own credentials. */
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
      return new AuthenticationUnavailable(error instanceof Error ? describeError(error) : String(error))
    }
  }

  #send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<KeystoneAnswer> {
    const text = body === undefined ? null : JSON.stringify(body)
    const url = `${this.url}${path}`
    const bodyHeaders =
      text === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
    const { timeoutMs } = this.#settings
    return traceOutgoing(method, url, trace =>
      this.#client.send({
        method,
        url,
        headers: { accept: 'application/json', ...headers, ...bodyHeaders, ...trace },
        body: text,
        timeoutMs,
      }),
    )
  }
}

const renderDomain = ({ id, name }: KeystoneDomain): { id: string } | { name: string } =>
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

function parseValidated(text: string): Validated {
  const { token } = JSON.parse(text) as TokenDocument
  const expiresAtMs = Date.parse(token.expires_at)
  if (typeof token.user.id !== 'string' || Number.isNaN(expiresAtMs))
    throw new Error('Keystone answered without a valid token')
  return {
    expiresAtMs,
    credentials: {
      userId: token.user.id,
      projectId: token.project?.id ?? null,
      // Roles in a domain are not roles in a project.
      roles: token.domain === undefined ? (token.roles ?? []).map(({ name }) => name.toLowerCase()) : [],
      systemScope: token.system !== undefined,
      ...readNames(token),
      ...readDelegation(token),
    },
  }
}

function readNames({ user, project }: TokenDocument['token']): Pick<Credentials, 'names'> {
  if (typeof user.name !== 'string') return {}
  return { names: { user: user.name, project: typeof project?.name === 'string' ? project.name : null } }
}

/** Keystone does not say when a delegation ends, so it may create nothing that outlives it. */
function readDelegation(token: TokenDocument['token']): Pick<Credentials, 'delegation'> {
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

/** Node's texts for time-outs do not help; network errors have a code. */
function describeError(error: Error): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'Keystone did not answer in time'
  return 'code' in error ? `Keystone cannot be reached: ${error.message}` : error.message
}
