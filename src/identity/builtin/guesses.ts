import type { Clock } from '../../kernel/clock.ts'
import { TokenBuckets } from '../token-buckets.ts'

/** Failed attempts that are let through: from one address at one account, at one account in all, from one address in all. */
const RULES = {
  pair: { burst: 5, perSecond: 0.1 },
  account: { burst: 50, perSecond: 0.1 },
  address: { burst: 50, perSecond: 1 },
} as const

/** Slows down those who guess passwords and secrets. Only failures count, so nobody who knows theirs meets it. */
export class Guesses {
  readonly #pairs: TokenBuckets
  readonly #accounts: TokenBuckets
  readonly #addresses: TokenBuckets

  constructor(clock: Clock) {
    this.#pairs = new TokenBuckets(RULES.pair, clock)
    this.#accounts = new TokenBuckets(RULES.account, clock)
    this.#addresses = new TokenBuckets(RULES.address, clock)
  }

  /** Seconds to wait before another attempt is looked at; 0 for none. */
  waitS(account: string, address: string): number {
    return Math.max(
      this.#pairs.waitS(pair(account, address)),
      this.#accounts.waitS(account),
      this.#addresses.waitS(address),
    )
  }

  /** An attempt begins, and counts as failed until it is settled that it was right. */
  attempt(account: string, address: string): (isRight: boolean) => void {
    const counted = [
      [this.#pairs, pair(account, address)],
      [this.#accounts, account],
      [this.#addresses, address],
    ] as const
    for (const [buckets, name] of counted) buckets.take(name)
    return isRight => {
      if (isRight) for (const [buckets, name] of counted) buckets.giveBack(name)
    }
  }
}

const pair = (account: string, address: string): string => `${address} ${account}`
