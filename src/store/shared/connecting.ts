import { StoreRefused, StoreUnavailable } from '../store.ts'

/** Why a server could not be used; `isLasting` if retrying will not help. */
export interface ConnectFailure {
  readonly reason: string
  readonly isLasting: boolean
}

/** The error of a server that cannot be used though it answers. */
export class Unfit extends Error {
  readonly isLasting: boolean

  constructor(message: string, isLasting: boolean) {
    super(message)
    this.isLasting = isLasting
  }
}

/** The address of a server, for messages. */
export function describePlace({ host, port }: { readonly host: string; readonly port: number }): string {
  if (host.startsWith('/')) return host
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** No server could be used. */
export class NoConnection extends StoreUnavailable {
  /** Whether retrying cannot help with any of them. */
  readonly isLasting: boolean

  private constructor(message: string, isLasting: boolean) {
    super(message)
    this.isLasting = isLasting
  }

  static from(
    product: string,
    failures: readonly (ConnectFailure & { readonly where: string })[],
  ): NoConnection {
    const reasons = failures.map(({ where, reason }) => `${where}: ${reason}`).join('; ')
    const isLasting = failures.every(failure => failure.isLasting)
    return new NoConnection(`no ${product} can be used: ${reasons}`, isLasting)
  }

  /** For the start: a lasting failure is a reason not to start. */
  asRefusal(): StoreRefused | this {
    return this.isLasting ? new StoreRefused(this.message) : this
  }
}

const PLAIN_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ECONNRESET: 'it hung up',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name cannot be looked up at the moment',
  ETIMEDOUT: 'it did not answer in time',
}

export function describeReason(error: Error): string {
  // All addresses of one name fail together.
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error
  const { code } = first as NodeJS.ErrnoException
  if (first.message === 'timeout expired') return 'it did not answer in time'
  if (first.message.startsWith('Connection terminated')) return 'it hung up'
  return (code && PLAIN_REASONS[code]) || first.message || code || 'unknown'
}
