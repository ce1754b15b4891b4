import { hash, randomBytes } from 'node:crypto'
import type { Credentials, Delegation } from '../../http/api.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sequencer } from '../../store/sequencer/sequencer.ts'
import type { Store } from '../../store/store.ts'
import { type PlainPut, type PlainRow, plainTableByName } from '../../store/tables/plain-tables.ts'
import type { CredentialRow, ProjectRow, RoleRow, UserRow } from '../../world/identity.ts'
import type { World } from '../../world/world.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { addImplied } from '../rules/roles.ts'
import type { IdentityRules } from '../rules/rules.ts'
import { generateSecret } from '../secret.ts'

type TokenRow = PlainRow<'tokens'>

/** The present user, project and roles of a token. */
export interface TokenFacts {
  readonly row: TokenRow
  readonly user: UserRow
  readonly project: ProjectRow | null
  readonly roles: readonly RoleRow[]
  readonly credential: CredentialRow | null
  readonly credentials: Credentials
}

interface TokenRequest {
  readonly user: UserRow
  readonly project: string | null
  readonly credential: string | null
  readonly methods: readonly string[]
  /** The audit ids of the token that this one was issued from. */
  readonly parents: readonly string[]
  /** No later than this. */
  readonly expiresAtMax?: number
}

interface TokenParts {
  readonly world: World
  readonly sequencer: Sequencer<IdentityRules>
  readonly store: Pick<Store, 'plainRow'>
  readonly clock: Clock
  readonly lifetimeMs: number
}

const AUDIT_ID_BYTES = 16
const CACHED_MAX = 10_000

/** The key of a token in the store and in every map. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex')

/** Tokens of users. Their rights are computed from memory at each use. */
export class Tokens {
  readonly #parts: TokenParts
  /** Rows never change, so this cache is never stale; revocations are in memory. */
  readonly #rows = new BoundedCache<TokenRow>(CACHED_MAX)

  constructor(parts: TokenParts) {
    this.#parts = parts
  }

  /** Stores a new token; null if its user was deleted, disabled or has a new password. */
  async issue(wanted: TokenRequest): Promise<{ readonly token: string; readonly row: TokenRow } | null> {
    const { sequencer, clock, lifetimeMs } = this.#parts
    const token = generateSecret()
    const issuedAt = clock.nowMs()
    const expiresAt = Math.min(issuedAt + lifetimeMs, wanted.expiresAtMax ?? Number.POSITIVE_INFINITY)
    const row: TokenRow = {
      token_hash: digestOf(token),
      user: wanted.user.uuid,
      project: wanted.project,
      application_credential: wanted.credential,
      methods: wanted.methods.join(' '),
      audit_ids: [randomBytes(AUDIT_ID_BYTES).toString('base64url'), ...wanted.parents].join(' '),
      issued_at: issuedAt,
      expires_at: expiresAt,
      // Rows are dropped at this age; here that is when the token expires.
      at_ms: expiresAt - plainTableByName.tokens.keepMsMax,
    }
    const { uuid, tokens_since } = wanted.user
    const outcome = await sequencer.submit(
      { kind: 'identity:issue-token', user: uuid, seen: { tokens_since } },
      ({ ok }): PlainPut[] => (ok ? [{ table: 'tokens', row, isNew: true }] : []),
    )
    if (!outcome.ok) return null
    this.#rows.set(row.token_hash, row)
    return { token, row }
  }

  /** Null if the token is invalid, expired or revoked. Synchronous if its row is cached. */
  find(token: string): TokenFacts | null | Promise<TokenFacts | null> {
    const digest = digestOf(token)
    const row = this.#rows.get(digest)
    return row === undefined ? this.#fetch(digest) : this.findMeaning(row)
  }

  async #fetch(digest: string): Promise<TokenFacts | null> {
    const row = await this.#parts.store.plainRow('tokens', [digest], this.#parts.clock.nowMs())
    if (row === null) return null
    const meaning = this.findMeaning(row)
    if (meaning !== null) this.#rows.set(digest, row)
    return meaning
  }

  async revoke({ audit_ids, expires_at }: TokenRow): Promise<void> {
    const auditId = auditIdOf(audit_ids)
    await this.#parts.sequencer.submit({ kind: 'identity:revoke-token', auditId, expiresAt: expires_at })
  }

  findMeaning(row: TokenRow): TokenFacts | null {
    const { identity } = this.#parts.world
    if (row.expires_at <= this.#parts.clock.nowMs()) return null
    if (row.audit_ids.split(' ').some(id => identity.isRevoked(id))) return null
    const user = identity.users.find(row.user)
    if (user === undefined || user.is_enabled === 0 || row.issued_at <= user.tokens_since) return null
    const credential = this.#findCredential(row)
    if (credential === undefined) return null
    const project = row.project === null ? null : identity.projects.find(row.project)
    if (project === undefined || project?.is_enabled === 0) return null
    const roles = project === null ? [] : this.rolesIn(user, project, credential)
    if (project !== null && roles.length === 0) return null
    const credentials: Credentials = {
      userId: user.uuid,
      projectId: project?.uuid ?? null,
      roles: roles.map(({ name }) => name),
      systemScope: false,
      names: { user: user.name, project: project?.name ?? null },
      ...(credential === null ? {} : { delegation: renderDelegation(credential) }),
    }
    return { row, user, project, roles, credential, credentials }
  }

  /** Undefined: the token was issued for a credential that is deleted. */
  #findCredential({ application_credential }: TokenRow): CredentialRow | null | undefined {
    if (application_credential === null) return null
    const row = this.#parts.world.identity.credentials.find(application_credential)
    return row === undefined || this.#isPast(row) ? undefined : row
  }

  #isPast({ expires_at }: CredentialRow): boolean {
    return expires_at !== null && expires_at <= this.#parts.clock.nowMs()
  }

  /** The user's roles in a project, with implied ones, limited to those of the application credential. */
  rolesIn(user: UserRow, project: ProjectRow, credential: CredentialRow | null): RoleRow[] {
    const { identity } = this.#parts.world
    const held = addImplied(identity.listRoles(user.id, project.id).map(({ name }) => name))
    const wanted = credential === null ? null : addImplied(JSON.parse(credential.roles) as string[])
    return held
      .filter(name => wanted === null || wanted.includes(name))
      .map(name => identity.findRoleByName(name))
      .filter(row => row !== undefined)
  }
}

const renderDelegation = (row: CredentialRow): Delegation => ({
  by: `application credential ${row.name}`,
  isRestricted: row.is_unrestricted === 0,
  endsAtMs: row.expires_at,
})

const auditIdOf = (auditIds: string): string => auditIds.split(' ', 1)[0] as string
