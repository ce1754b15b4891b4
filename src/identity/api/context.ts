import type { ApiRequest, DescribedRoute, NoFeatures } from '../../http/api.ts'
import type { Log } from '../../http/ops/log.ts'
import type { Policy } from '../../http/policy.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sequencer } from '../../store/sequencer/sequencer.ts'
import type { World } from '../../world/world.ts'
import type { SignInThrottle } from '../builtin/sign-in-throttle.ts'
import type { Tokens } from '../builtin/tokens.ts'
import type { LocalTokens } from '../local-tokens.ts'
import type { IdentityRules } from '../rules/rules.ts'
import type { TokenBuckets } from '../token-buckets.ts'

/** A service in the service catalog. */
export interface CatalogEntry {
  readonly type: string
  readonly name: string
  /** From the root of the server. */
  readonly path: string
}

/** What every identity route needs. */
export interface IdentityContext {
  readonly world: World
  readonly sequencer: Sequencer<IdentityRules>
  readonly policy: Policy
  readonly tokens: Tokens
  readonly localTokens: LocalTokens
  readonly guesses: SignInThrottle
  /** Limits how many tokens each user may be issued. */
  readonly issuing: TokenBuckets
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly newId: () => string
  readonly services: readonly CatalogEntry[]
  /** The address for clients, where the request does not have one. */
  readonly publicUrl: string | null
}

export type IdentityRequest = ApiRequest<NoFeatures>
export type IdentityRoute = DescribedRoute<NoFeatures>

/** The only domain. */
export const DOMAIN = { id: 'default', name: 'Default' } as const
