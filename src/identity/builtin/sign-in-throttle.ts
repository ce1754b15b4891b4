import { isIPv6 } from 'node:net'
import type { Clock } from '../../kernel/clock.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { Lane } from '../fair-turns.ts'
import { TokenBuckets } from '../token-buckets.ts'

export interface Source {
  /** The address of the connection, or the one that a trusted proxy names. */
  readonly address: string
  /** The client that an untrusted proxy names. Only splits the counts of the address. */
  readonly claimed: string | null
}

/**
 * Failures that are allowed before attempts are rejected unchecked. `known` is for an account that signed in from the
 * same source before: failures at other accounts or from other sources do not count there.
 */
const RULES = {
  pair: { burst: 5, perSecond: 0.1 },
  account: { burst: 50, perSecond: 0.1 },
  source: { burst: 200, perSecond: 2 },
  /** All clients that one address claims to forward for. They may be forged. */
  address: { burst: 400, perSecond: 4 },
  known: { burst: 100, perSecond: 1 },
} as const

/** Bounded per account: otherwise one account with many made-up sources would evict the others. */
const KNOWN_ACCOUNTS_MAX = 10_000
const KNOWN_SOURCES_MAX = 200

export type SignInOutcome = 'right' | 'wrong' | 'unknown'

/**
 * Slows down guessing of passwords and secrets. Only failures count. Failures of a stranger never lock out an account
 * that signed in from its own source before.
 */
export class SignInThrottle {
  readonly #buckets: { readonly [N in keyof typeof RULES]: TokenBuckets }
  /** The sources that each account signed in from. */
  readonly #known = new BoundedCache<BoundedCache<true>>(KNOWN_ACCOUNTS_MAX)

  constructor(clock: Clock) {
    const bucketsOf = (name: keyof typeof RULES) => new TokenBuckets(RULES[name], clock)
    this.#buckets = {
      pair: bucketsOf('pair'),
      account: bucketsOf('account'),
      source: bucketsOf('source'),
      address: bucketsOf('address'),
      known: bucketsOf('known'),
    }
  }

  /** Seconds until the next attempt is checked; 0 for none. */
  waitS(account: string, source: Source): number {
    return Math.max(...this.#listBuckets(account, source).map(([buckets, name]) => buckets.waitS(name)))
  }

  /** Counts the attempt as failed until its outcome is settled. */
  attempt(account: string, source: Source): (outcome: SignInOutcome) => void {
    const counted = this.#listBuckets(account, source)
    for (const [buckets, name] of counted) buckets.take(name)
    return outcome => {
      if (outcome === 'wrong') return
      for (const [buckets, name] of counted) buckets.giveBack(name)
      if (outcome === 'right') this.#remember(account, source)
    }
  }

  /** The lane in which the attempt is checked. */
  laneOf(account: string, source: Source): Lane {
    const isKnown = this.#isKnown(account, source)
    return { name: isKnown ? account : `address ${groupAddress(source.address)}`, isKnown }
  }

  #isKnown(account: string, source: Source): boolean {
    return this.#known.get(account)?.get(sourceName(source)) === true
  }

  #remember(account: string, source: Source): void {
    const sources = this.#known.get(account) ?? new BoundedCache<true>(KNOWN_SOURCES_MAX)
    sources.set(sourceName(source), true)
    this.#known.set(account, sources)
  }

  #listBuckets(account: string, source: Source): readonly (readonly [TokenBuckets, string])[] {
    const { pair, account: accounts, source: sources, address, known } = this.#buckets
    if (this.#isKnown(account, source)) return [[known, pairKey(account, source)]]
    return [
      [pair, pairKey(account, source)],
      [accounts, account],
      [sources, sourceName(source)],
      [address, groupAddress(source.address)],
    ]
  }
}

const pairKey = (account: string, source: Source): string => `${sourceName(source)} ${account}`

const sourceName = ({ address, claimed }: Source): string =>
  claimed === null ? groupAddress(address) : `${groupAddress(address)} for ${groupAddress(claimed)}`

/** The owner of one IPv6 address has the 2^64 around it, so those count as one. */
function groupAddress(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = [], tail = []] = address
    .split('::')
    .map(part => part.split(':').filter(group => group !== ''))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  const network = [...head, ...zeros, ...tail].slice(0, 4)
  return network.map(group => Number.parseInt(group, 16).toString(16)).join(':')
}
