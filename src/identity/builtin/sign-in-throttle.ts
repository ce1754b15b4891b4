import { isIPv6 } from 'node:net'
import type { Clock } from '../../kernel/clock.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { Lane } from '../fair-turns.ts'
import { TokenBuckets } from '../token-buckets.ts'

/** Where an attempt comes from. */
export interface Source {
  /** The address that the connection is from, or that a trusted proxy names. */
  readonly address: string
  /** Whom a proxy that is not trusted says it asks for. It only ever splits the address, and is believed nothing else. */
  readonly claimed: string | null
}

/**
 * Failures that are let through before attempts are turned away unseen. `known` is for an account that signed in from
 * the same source before: no failure at other accounts or from other sources counts there.
 */
const RULES = {
  pair: { burst: 5, perSecond: 0.1 },
  account: { burst: 50, perSecond: 0.1 },
  source: { burst: 200, perSecond: 2 },
  /** All that one address claims to ask for, which it may have made up. */
  address: { burst: 400, perSecond: 4 },
  known: { burst: 100, perSecond: 1 },
} as const

/** Bounded for each account: else one that signs in from many made-up sources would make the others forgotten. */
const KNOWN_ACCOUNTS_MAX = 10_000
const KNOWN_SOURCES_MAX = 200

export type Outcome = 'right' | 'wrong' | 'unknown'

/**
 * Slows down those who guess passwords and secrets. Only failures count, and what a stranger fails at never keeps out an
 * account that has signed in from its own source before.
 */
export class SignInThrottle {
  readonly #buckets: { readonly [N in keyof typeof RULES]: TokenBuckets }
  /** The sources from which each account signed in. */
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

  /** Seconds to wait before another attempt is looked at; 0 for none. */
  waitS(account: string, source: Source): number {
    return Math.max(...this.#countedAt(account, source).map(([buckets, name]) => buckets.waitS(name)))
  }

  /** An attempt begins, and counts as failed until it is settled that it was right, or that nobody looked at it. */
  attempt(account: string, source: Source): (outcome: Outcome) => void {
    const counted = this.#countedAt(account, source)
    for (const [buckets, name] of counted) buckets.take(name)
    return outcome => {
      if (outcome === 'wrong') return
      for (const [buckets, name] of counted) buckets.giveBack(name)
      if (outcome === 'right') this.#remember(account, source)
    }
  }

  /** In whose turn the attempt is looked at. */
  laneOf(account: string, source: Source): Lane {
    const isKnown = this.#isKnown(account, source)
    return { name: isKnown ? account : `address ${holderOf(source.address)}`, isKnown }
  }

  #isKnown(account: string, source: Source): boolean {
    return this.#known.get(account)?.get(sourceName(source)) === true
  }

  #remember(account: string, source: Source): void {
    const sources = this.#known.get(account) ?? new BoundedCache<true>(KNOWN_SOURCES_MAX)
    sources.set(sourceName(source), true)
    this.#known.set(account, sources)
  }

  #countedAt(account: string, source: Source): readonly (readonly [TokenBuckets, string])[] {
    const { pair, account: accounts, source: sources, address, known } = this.#buckets
    if (this.#isKnown(account, source)) return [[known, pairOf(account, source)]]
    return [
      [pair, pairOf(account, source)],
      [accounts, account],
      [sources, sourceName(source)],
      [address, holderOf(source.address)],
    ]
  }
}

const pairOf = (account: string, source: Source): string => `${sourceName(source)} ${account}`

const sourceName = ({ address, claimed }: Source): string =>
  claimed === null ? holderOf(address) : `${holderOf(address)} for ${holderOf(claimed)}`

/** Whoever has one address of IPv6 has the 2^64 around it, so those count as one. */
function holderOf(address: string): string {
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
