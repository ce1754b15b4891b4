/** The server refused the request. The message is its reason, in one line. */
import { ownValue } from '../kernel/records.ts'

export class Refused extends Error {
  override name = 'Refused'
  readonly status: number
  /** What programs can rely on, e.g. `placement.concurrent_update`; null where the server gives none. */
  readonly code: string | null
  /** Further numbers and names of the answer. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    message: string,
    code: string | null = null,
    facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.facts = facts
  }
}

/** No answer came, or it broke off, or no server of this kind would give it. */
export class Unreachable extends Error {
  override name = 'Unreachable'
  readonly url: string
  /** No server listens there, as far as the client can see. */
  readonly noServer: boolean

  constructor(url: string, reason: string, options: ErrorOptions & { readonly noServer?: boolean } = {}) {
    super(reason, options)
    this.url = url
    this.noServer = options.noServer === true
  }
}

/** An answer that no server of this kind would give: not what it says it is. */
export class Garbled extends Error {
  override name = 'Garbled'
}

export function parseAnswer<T>(text: string, what: string): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new Garbled(`${what} is not JSON`, { cause: error })
  }
}

/** The settings that should lead to a server are invalid. One plain line. */
export class SettingsRefused extends Error {
  override name = 'SettingsRefused'
  /** Flags that contradict each other, as opposed to a bad file or variable. */
  readonly isUsage: boolean

  constructor(message: string, isUsage = false) {
    super(message)
    this.isUsage = isUsage
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  EHOSTUNREACH: 'no route to that host',
  ENETUNREACH: 'no route to that network',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name is unknown',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer broke off',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: name it in NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an unknown authority: name it in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is of an unknown authority: name it in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is of an unknown authority: name it in NODE_EXTRA_CA_CERTS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: write http:// instead',
}

const NO_SERVER = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])

/** What `fetch`, or reading its answer, fails with; null when it is no failure of the network. */
export function networkFailure(error: unknown, url: string): Unreachable | null {
  if (!(error instanceof Error)) return null
  if (error.name === 'TimeoutError') return new Unreachable(url, 'no answer in time', { cause: error })
  const code = codeOf(error)
  if (code === null && !(error instanceof TypeError && /fetch failed|terminated/.test(error.message)))
    return null
  const deepest = error.cause instanceof Error ? error.cause.message : error.message
  const reason = (code === null ? undefined : ownValue(REASONS, code)) ?? deepest
  return new Unreachable(url, reason, { cause: error, noServer: code !== null && NO_SERVER.has(code) })
}

/** `fetch` hides the code in its cause, and for a name with several addresses in the causes of that. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string') return code
  return codeOf(error.cause) ?? (error instanceof AggregateError ? codeOf(error.errors[0]) : null)
}
