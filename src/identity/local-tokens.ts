import { timingSafeEqual } from 'node:crypto'
import type { Credentials } from '../http/api.ts'
import type { Clock } from '../kernel/clock.ts'
import type { World } from '../world/world.ts'
import { digestOf } from './builtin/tokens.ts'
import { ADMIN } from './rules/bootstrap.ts'
import { addImplied } from './rules/roles.ts'

/** The admin token is the admin in its project, with every role. */
const ADMIN_CREDENTIALS: Credentials = {
  userId: ADMIN,
  projectId: ADMIN,
  roles: ['admin', 'manager', 'service', 'member', 'reader'],
  systemScope: false,
  names: { user: ADMIN, project: ADMIN },
}

export interface LocalToken {
  readonly credentials: Credentials
  readonly name: string
  readonly expiresAt: number | null
}

/** Tokens without a user: the admin token of the data directory, and tokens for machines. */
export class LocalTokens {
  readonly #world: World
  readonly #clock: Clock
  readonly #admin: Buffer | null

  constructor(parts: { readonly world: World; readonly clock: Clock; readonly adminToken: string | null }) {
    this.#world = parts.world
    this.#clock = parts.clock
    this.#admin = parts.adminToken === null ? null : Buffer.from(digestOf(parts.adminToken))
  }

  find(token: string): LocalToken | null {
    const digest = digestOf(token)
    // Both sides are hashed, so that timing shows neither content nor length of the secret.
    if (this.#admin !== null && timingSafeEqual(Buffer.from(digest), this.#admin))
      return { credentials: ADMIN_CREDENTIALS, name: 'admin', expiresAt: null }
    const row = this.#world.identity.findStaticToken(digest)
    if (row === undefined || (row.expires_at !== null && row.expires_at <= this.#clock.nowMs())) return null
    const roles = addImplied(JSON.parse(row.roles) as string[])
    const end = row.expires_at
    const project = row.project === null ? undefined : this.#world.identity.projects.find(row.project)
    const credentials: Credentials = {
      userId: row.uuid,
      projectId: row.project,
      roles,
      systemScope: false,
      names: { user: row.name, project: project?.name ?? null },
      ...(end === null
        ? {}
        : { delegation: { by: `static token ${row.name}`, isRestricted: false, endsAtMs: end } }),
    }
    return { credentials, name: row.name, expiresAt: row.expires_at }
  }
}
