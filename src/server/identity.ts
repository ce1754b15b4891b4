import type { BerthRules } from '../commands.ts'
import type { Config } from '../config/keys.ts'
import type { Authenticator } from '../http/authenticator.ts'
import type { MountedService } from '../http/mounted-services.ts'
import { readAuthorities } from '../http/ops/certificates.ts'
import type { Log } from '../http/ops/log.ts'
import type { Policy } from '../http/policy.ts'
import type { CatalogEntry } from '../identity/api/context.ts'
import { identityService } from '../identity/api/service.ts'
import { builtinAuthenticator } from '../identity/builtin/authenticator.ts'
import { newId } from '../identity/builtin/first-start.ts'
import { SignInThrottle } from '../identity/builtin/sign-in-throttle.ts'
import { Tokens } from '../identity/builtin/tokens.ts'
import { keystoneAuthenticator, type ServiceTokenRule } from '../identity/keystone/authenticator.ts'
import { Keystone } from '../identity/keystone/keystone.ts'
import { keystoneSignIn } from '../identity/keystone/sign-in.service.ts'
import { LocalTokens } from '../identity/local-tokens.ts'
import { noauth2 } from '../identity/noauth2.ts'
import { warnOfProxy } from '../identity/proxy-notice.ts'
import { limitRate } from '../identity/rate-limit.ts'
import { TokenBuckets } from '../identity/token-buckets.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'

interface Parts {
  readonly config: Config
  readonly world: World
  readonly sequencer: Sequencer<BerthRules>
  readonly store: Store
  readonly log: Log
  readonly policy: Policy
  /** The admin token; null without authentication. */
  readonly token: string | null
}

const clock = systemClock

/** Limits tokens per user. Clients keep a token for an hour; command lines request one per command. */
const ISSUED_PER_USER = { burst: 200, perSecond: 5 }

export interface ComposedIdentity {
  readonly authenticator: Authenticator
  /** The service that issues tokens; null if Berth does not. */
  readonly service: MountedService | null
  /** Tokens of users; null if Berth issues none. */
  readonly tokens: Tokens | null
  readonly keystone: Keystone | null
  /** A token of this server's own user in Keystone; null if there is none. */
  readonly ownToken: (() => Promise<string>) | null
}

/** The authenticator, and the service that issues tokens if Berth does. */
export function composeIdentity(parts: Parts, services: readonly CatalogEntry[]): ComposedIdentity {
  const { config, world, sequencer, store, log, policy } = parts
  if (config.auth === 'noauth2')
    return {
      authenticator: noauth2({ plainRoles: [] }),
      service: null,
      tokens: null,
      keystone: null,
      ownToken: null,
    }
  const localTokens = new LocalTokens({ world, clock, adminToken: parts.token })
  if (config.auth === 'keystone') {
    const keystone = newKeystone(config)
    const service = keystoneSignIn({ keystone, localTokens, guesses: new SignInThrottle(clock), log })
    return {
      authenticator: withLimits(
        parts,
        keystoneAuthenticator(localTokens, keystone, serviceTokenRule(config)),
      ),
      service: { mount: '/identity', service },
      tokens: null,
      keystone,
      ownToken: () => keystone.getOwnToken(),
    }
  }
  const lifetimeMs = config.token_lifetime_s * 1000
  const tokens = new Tokens({ world, sequencer, store, clock, lifetimeMs })
  const service = identityService({
    world,
    sequencer,
    policy,
    tokens,
    localTokens,
    clock,
    log,
    newId,
    services,
    guesses: new SignInThrottle(clock),
    issuing: new TokenBuckets(ISSUED_PER_USER, clock),
    publicUrl: config.public_url,
  })
  return {
    authenticator: withLimits(parts, builtinAuthenticator(localTokens, tokens)),
    service: { mount: '/identity', service },
    tokens,
    keystone: null,
    ownToken: null,
  }
}

/** Warnings about the proxy settings. */
export function proxyWarnings({ behind_proxy, trust_proxy, auth }: Config): string[] {
  if (!behind_proxy || trust_proxy || auth === 'noauth2') return []
  return [
    'behind_proxy is on and trust_proxy is off: the proxy counts as the caller, so failed sign-ins of all its users ' +
      'count as from one address. Set trust_proxy if this server is reachable only through the proxy',
  ]
}

function withLimits({ config, log }: Parts, authenticator: Authenticator): Authenticator {
  const { rate_limit_per_second: perSecond, trust_proxy } = config
  const rated = perSecond === 0 ? authenticator : limitRate(authenticator, perSecond, clock)
  return trust_proxy ? rated : warnOfProxy(rated, log)
}

const serviceTokenRule = (config: Config): ServiceTokenRule => ({
  roles: config.keystone_service_token_roles,
  isRoleRequired: config.keystone_service_token_roles_required,
})

function newKeystone(config: Config): Keystone {
  return new Keystone({
    url: config.keystone_url as string,
    username: config.keystone_username as string,
    password: config.keystone_password as string,
    project: config.keystone_project,
    userDomain: { id: config.keystone_user_domain_id, name: config.keystone_user_domain },
    projectDomain: { id: config.keystone_project_domain_id, name: config.keystone_project_domain },
    publicUrl: config.keystone_public_url,
    trust: {
      authorities: config.keystone_ca_file === null ? null : readAuthorities(config.keystone_ca_file),
      isBlind: config.keystone_insecure,
    },
    cacheMs: config.keystone_cache_s * 1000,
    timeoutMs: config.keystone_timeout_ms,
    clock,
  })
}
