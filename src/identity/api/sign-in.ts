import { ApiError } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import type { Json } from '../../kernel/json.ts'
import { jsonText, ownValue } from '../../kernel/records.ts'
import type { CredentialRow, ProjectRow, UserRow } from '../../world/identity.ts'
import { verifyPassword } from '../builtin/passwords.ts'
import { digestOf, type TokenFacts } from '../builtin/tokens.ts'
import { TurnsBusy } from '../fair-turns.ts'
import { ADMIN } from '../rules/bootstrap.ts'
import { readBody } from './bodies.ts'
import { DOMAIN, type IdentityContext, type IdentityRequest } from './context.ts'
import { unauthorized } from './errors.ts'

const object: Schema = { type: 'object' }

const schema: Schema = {
  type: 'object',
  required: ['auth'],
  properties: {
    auth: {
      type: 'object',
      required: ['identity'],
      properties: {
        identity: {
          type: 'object',
          required: ['methods'],
          properties: {
            methods: { type: 'array', items: { type: 'string' } },
            password: object,
            token: object,
            application_credential: object,
          },
        },
        scope: { type: ['object', 'string'] },
      },
    },
  },
}

interface SignedIn {
  readonly user: UserRow
  readonly project: ProjectRow | null
  readonly credential: CredentialRow | null
  readonly method: string
  /** The token that the user signed in with, if any. */
  readonly from: TokenFacts | null
}

/** Authenticates the user and finds the project; 401 without a reason otherwise. */
export async function signIn(context: IdentityContext, request: IdentityRequest): Promise<SignedIn> {
  const auth = readBody(request, schema).auth as Json
  const identity = auth.identity as Json
  const [method, ...more] = identity.methods as string[]
  if (method === undefined || more.length > 0 || !Object.hasOwn(methods, method)) throw unauthorized()
  const proof = ownValue(identity, method)
  if (proof === undefined)
    throw new ApiError(400, `Invalid input for identity: the object ${method} is missing.`)
  const who = await (ownValue(methods, method) as Method)(context, request, proof as Json)
  return { ...who, method, project: resolveScope(context, who, auth.scope) }
}

/** How many tokens may be issued one from the other. */
const CHAIN_MAX = 16

type Who = Pick<SignedIn, 'user' | 'credential' | 'from'>
type Method = (context: IdentityContext, request: IdentityRequest, proof: Json) => Promise<Who>

const methods: Readonly<Record<string, Method>> = {
  async password(context, request, proof) {
    const given = readObject(proof, 'user')
    const password = readText(given, 'password')
    const user = findUser(context, given)
    const account = `user ${user?.uuid ?? hashUnknownAccount(given)}`
    await verifySecret(
      context,
      request,
      account,
      password,
      user?.is_enabled === 1 ? user.password_hash : null,
    )
    return { user: user as UserRow, credential: null, from: null }
  },

  async application_credential(context, request, proof) {
    const secret = readText(proof, 'secret')
    const credential = findCredential(context, proof)
    const owner = credential === undefined ? undefined : context.world.identity.users.row(credential.user_id)
    const isPast = credential?.expires_at != null && credential.expires_at <= context.clock.nowMs()
    const account = `credential ${credential?.uuid ?? hashUnknownAccount(proof)}`
    const stored = owner?.is_enabled === 1 && !isPast ? (credential?.secret_hash ?? null) : null
    await verifySecret(context, request, account, secret, stored)
    return { user: owner as UserRow, credential: credential as CredentialRow, from: null }
  },

  async token(context, _request, proof) {
    const token = readText(proof, 'id')
    const local = context.localTokens.find(token)
    const { users } = context.world.identity
    // The admin token has a user; tokens for machines have none.
    const admin = local?.credentials.userId === ADMIN ? users.find(ADMIN) : undefined
    if (admin?.is_enabled === 1) return { user: admin, credential: null, from: null }
    const from = await context.tokens.find(token)
    if (from === null) throw unauthorized()
    if (from.row.audit_ids.split(' ').length > CHAIN_MAX)
      throw new ApiError(403, `A token can be exchanged at most ${CHAIN_MAX} times in a row; sign in again.`)
    return { user: from.user, credential: from.credential, from }
  },
}

/** A digest, because the given name may be long, or a password in the wrong field. */
const hashUnknownAccount = ({ id, name }: Json): string =>
  `unknown ${digestOf(JSON.stringify([id, name])).slice(0, 16)}`

export async function verifySecret(
  { guesses, log }: IdentityContext,
  request: IdentityRequest,
  account: string,
  secret: string,
  stored: string | null,
): Promise<void> {
  const source = { address: request.callerAddress(), claimed: request.claimedAddress() }
  const facts = { request_id: request.requestId, account, ...source }
  const waitS = guesses.waitS(account, source)
  if (waitS > 0) {
    log.warn('too many failed sign-ins', facts)
    throw tooMany('There were too many failed attempts.', waitS)
  }
  const lane = guesses.laneOf(account, source)
  // Counted before the check: parallel attempts must not get more guesses than sequential ones.
  const settle = guesses.attempt(account, source)
  let isRight: boolean
  try {
    isRight = await verifyPassword(secret, stored, lane)
  } catch (error) {
    settle('unknown')
    throw asBusy(error)
  }
  settle(isRight ? 'right' : 'wrong')
  if (isRight) return
  log.warn('sign-in failed', facts)
  throw unauthorized()
}

export const tooMany = (why: string, waitS: number): ApiError =>
  new ApiError(429, `${why} Try again in ${waitS} seconds.`, undefined, { 'retry-after': String(waitS) })

/** An error while hashing: usually too many hashes are in progress. */
export function asBusy(error: unknown): unknown {
  if (!(error instanceof TurnsBusy)) return error
  return new ApiError(503, 'Too many sign-ins are in progress. Try again in a second.', undefined, {
    'retry-after': '1',
  })
}

function findUser({ world }: IdentityContext, given: Json): UserRow | undefined {
  if (typeof given.id === 'string') return world.identity.users.find(given.id)
  if (!isOurDomain(given.domain)) return undefined
  return world.identity.findUserByName(readText(given, 'name'))
}

function findCredential(context: IdentityContext, given: Json): CredentialRow | undefined {
  const { identity } = context.world
  if (typeof given.id === 'string') return identity.credentials.find(given.id)
  const user = findUser(context, readObject(given, 'user'))
  return user === undefined ? undefined : identity.findCredentialByName(user.id, readText(given, 'name'))
}

function isOurDomain(domain: unknown): boolean {
  if (typeof domain !== 'object' || domain === null)
    throw new ApiError(400, 'Invalid input for user: a name needs a domain.')
  const { id, name } = domain as Json
  return id === undefined ? jsonText(name).toLowerCase() === DOMAIN.name.toLowerCase() : id === DOMAIN.id
}

/** The requested project, else the user's own, else none. The user needs a role in it. */
function resolveScope(context: IdentityContext, who: Who, scope: unknown): ProjectRow | null {
  const { identity } = context.world
  const { user, credential, from } = who
  if (credential !== null) {
    const project = identity.projects.row(credential.project_id)
    const asked = scope === undefined ? project : findScopedProject(context, scope)
    if (asked?.id !== project.id) throw unauthorized()
    return requireRoleIn(context, who, project)
  }
  if (scope !== undefined) {
    const project = findScopedProject(context, scope)
    return project === null ? null : requireRoleIn(context, who, project)
  }
  if (from !== null) return from.project
  const own = user.default_project === null ? undefined : identity.projects.find(user.default_project)
  const canEnter = own?.is_enabled === 1 && context.tokens.rolesIn(user, own, null).length > 0
  return canEnter ? own : null
}

function requireRoleIn(context: IdentityContext, { user, credential }: Who, project: ProjectRow): ProjectRow {
  const canEnter = project.is_enabled === 1 && context.tokens.rolesIn(user, project, credential).length > 0
  if (!canEnter) throw unauthorized()
  return project
}

/** Null: unscoped. There are no roles in domains or in the system, so no token for those either. */
function findScopedProject({ world }: IdentityContext, scope: unknown): ProjectRow | null {
  if (scope === 'unscoped') return null
  if (typeof scope !== 'object' || scope === null)
    throw new ApiError(400, 'Invalid input for scope: it must be an object or "unscoped".')
  if ('unscoped' in scope) return null
  if (!('project' in scope)) throw unauthorized()
  const given = readObject(scope as Json, 'project')
  const found =
    typeof given.id === 'string'
      ? world.identity.projects.find(given.id)
      : isOurDomain(given.domain)
        ? world.identity.findProjectByName(readText(given, 'name'))
        : undefined
  if (found === undefined) throw unauthorized()
  return found
}

function readObject(from: Json, field: string): Json {
  const value = ownValue(from, field)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new ApiError(400, `Invalid input for ${field}: an object is expected.`)
}

function readText(from: Json, field: string): string {
  const value = ownValue(from, field)
  if (typeof value === 'string') return value
  throw new ApiError(400, `Invalid input for ${field}: a text is expected.`)
}
