import type { Credentials } from '../../http/api.ts'
import { refusalError } from '../../identity/api/errors.ts'
import { findRestriction, limitEnd } from '../../identity/delegation.ts'
import type { IdentityRefusal } from '../../identity/rules/refusals.ts'
import { addImplied } from '../../identity/rules/roles.ts'
import { type StaticToken, staticTokenShape } from '../../wire/admin.ts'
import { list, object, text, whole } from '../../wire/shape.ts'
import type { StaticTokenRow } from '../../world/identity.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route, v1Write } from '../api/route.ts'

const LIFETIME_S_MAX = 10 * 365 * 86_400

function tokenBody(row: StaticTokenRow): StaticToken {
  const time = (ms: number) => new Date(ms).toISOString()
  return {
    id: row.uuid,
    name: row.name,
    project: row.project,
    created_by: row.created_by,
    roles: JSON.parse(row.roles) as string[],
    created_at: time(row.created_at),
    expires_at: row.expires_at === null ? null : time(row.expires_at),
  }
}

function toProblem(refusal: IdentityRefusal): Problem {
  const { status, message } = refusalError(refusal)
  const { kind, ...facts } = refusal
  return new Problem(status, `identity.${kind}`, message, facts)
}

/** Static tokens for machines, without a user. */
export function tokenRoutes(context: {
  readonly world: World
  readonly newUuid: () => string
  readonly nowMs: () => number
  readonly keepsUsers: () => boolean
}): V1Route[] {
  return [listRoute(context.world), createRoute(context), deleteRoute()]
}

const operation = 'berth:tokens'

function requireManaging(credentials: Credentials): void {
  const why = findRestriction(credentials)
  if (why !== null)
    throw new Problem(403, 'identity.restricted', `This token cannot manage static tokens: ${why}.`)
}

function listRoute(world: World): V1Route {
  return v1Route({
    method: 'GET',
    path: '/tokens',
    operation,
    summary: 'List static tokens',
    description:
      'All static tokens that were not revoked, oldest first. The server does not know the tokens themselves, only hashes.',
    answer: {
      description: 'The tokens.',
      shape: object('All.', { tokens: list(staticTokenShape, 'The tokens.') }),
    },
    handle: () => ({ tokens: world.identity.staticTokens.all().map(tokenBody) }),
  })
}

function createRoute(context: {
  readonly newUuid: () => string
  readonly nowMs: () => number
  readonly keepsUsers: () => boolean
}): V1Route {
  return v1Write({
    method: 'POST',
    path: '/tokens',
    operation,
    summary: 'Create a static token',
    description:
      'The caller chooses the token and sends only its hash, so it is stored nowhere and in no answer. Choose 32 or more ' +
      'random bytes in base64url; `berth token create` does. It expires no later than the application ' +
      'credential or static token of the caller. A restricted application credential cannot create tokens.',
    body: object(
      'The token.',
      {
        name: text('Its name.', { minLength: 1, maxLength: 255, pattern: '^[a-zA-Z0-9_.:@-]+$' }),
        token_sha256: text('The SHA-256 of the token, in hexadecimal digits.', { pattern: '^[0-9a-f]{64}$' }),
        roles: list(
          text('A role.', { minLength: 1, maxLength: 255, pattern: '^[a-zA-Z0-9_.:-]+$' }),
          'Its roles.',
        ),
      },
      {
        project: text(
          'The project that it works in, by id or name; by id where Keystone keeps the projects.',
          { minLength: 1, maxLength: 64 },
        ),
        expires_in_s: whole('Lifetime in seconds.', {
          minimum: 1,
          maximum: LIFETIME_S_MAX,
        }),
      },
    ),
    answer: { status: 201, description: 'The token was created.', shape: staticTokenShape },
    problems: {
      404: 'There is no such project or role; where Keystone keeps them, they are not checked.',
      409: 'There is one of that name, or the same token under another name.',
    },
    async write({ body, credentials, once }) {
      requireManaging(credentials)
      const roles = body.roles.map(role => role.toLowerCase())
      const beyond = roles.filter(role => !addImplied(credentials.roles).includes(role))
      // An admin may grant any role, unless it is an admin only by delegation.
      if ((!credentials.roles.includes('admin') || credentials.delegation !== undefined) && beyond.length > 0)
        throw new Problem(
          403,
          'identity.roles-not-held',
          `Only an admin who signed in may give ${beyond.join(', ')}.`,
        )
      const { expires_in_s, project = null } = body
      const fields = {
        uuid: context.newUuid().replaceAll('-', ''),
        name: body.name,
        token_hash: body.token_sha256,
        project,
        expires_at: limitEnd(
          expires_in_s === undefined ? null : context.nowMs() + expires_in_s * 1000,
          credentials,
        ),
        created_by: credentials.userId,
      }
      return once.submit(
        { kind: 'identity:create-static-token', roles, fields, keepsUsers: context.keepsUsers() },
        outcome =>
          outcome.ok ? { status: 201, body: tokenBody(outcome.answer) } : toProblem(outcome.refusal),
      )
    },
  })
}

function deleteRoute(): V1Route {
  return v1Write({
    method: 'DELETE',
    path: '/tokens/{token}',
    operation,
    summary: 'Revoke a static token',
    description: 'It is invalid at once, at every server of the store.',
    params: { token: 'The name or the id of the token.' },
    answer: { description: 'The revoked token.', shape: staticTokenShape },
    problems: { 404: 'There is no such token.' },
    async write({ params, credentials, once }) {
      requireManaging(credentials)
      const token = params.token as string
      return once.submit({ kind: 'identity:delete-static-token', token }, outcome =>
        outcome.ok ? { status: 200, body: tokenBody(outcome.answer) } : toProblem(outcome.refusal),
      )
    },
  })
}
