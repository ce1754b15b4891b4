import { ApiError, json, noContent, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { objectOf, queryOf } from '../../http/formats/schema-forms.ts'
import type { Json } from '../../kernel/json.ts'
import { jsonText } from '../../kernel/records.ts'
import type { CredentialRow, UserRow } from '../../world/identity.ts'
import { hashRandomSecret } from '../builtin/passwords.ts'
import { limitEnd, requireUnrestricted } from '../delegation.ts'
import { addImplied } from '../rules/roles.ts'
import { generateSecret } from '../secret.ts'
import { name, readBody, textOrNull, wrapSchema, yesOrNo } from './bodies.ts'
import type { IdentityContext, IdentityRequest, IdentityRoute } from './context.ts'
import { notFound, refusalError, submit } from './errors.ts'
import { credentialSchema, newCredentialSchema, pageOf } from './schemas.ts'
import { hashSecret } from './users.routes.ts'
import { credentialBody, listOf } from './views.ts'

const ALL = '/v3/users/{user_id}/application_credentials'
const ONE = `${ALL}/{credential_id}`

const role: Schema = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } }
const schema = wrapSchema(
  'application_credential',
  {
    name,
    description: textOrNull,
    secret: { type: ['string', 'null'], minLength: 1, maxLength: 1024 },
    expires_at: { type: ['string', 'null'] },
    roles: { type: 'array', items: role },
    unrestricted: { ...yesOrNo, type: ['boolean', 'null'] },
    access_rules: { type: 'array', maxItems: 0 },
  },
  ['name'],
)

/** Users create application credentials for themselves: a program signs in with one instead of the password. */
export function credentialRoutes(context: IdentityContext): IdentityRoute[] {
  return [...readRoutes(context), createRoute(context), deleteRoute(context)]
}

const policyTargetOf = (request: IdentityRequest) => ({
  project_id: request.credentials.projectId,
  user_id: param(request, 'user_id'),
})

function userOr404({ world }: IdentityContext, request: IdentityRequest): UserRow {
  const id = param(request, 'user_id')
  const row = world.identity.users.find(id)
  if (row === undefined) throw notFound('user', id)
  return row
}

function readRoutes(context: IdentityContext): IdentityRoute[] {
  return [
    {
      method: 'GET',
      path: ALL,
      operation: 'identity:list_application_credentials',
      summary: 'List the application credentials of a user',
      query: queryOf(['name']),
      answers: { 200: pageOf('application_credentials', credentialSchema) },
      target: policyTargetOf,
      handle(request) {
        const user = userOr404(context, request)
        const wantedName = request.query.first('name')
        const bodies = context.world.identity.credentials
          .all()
          .filter(row => row.user_id === user.id && (wantedName === undefined || row.name === wantedName))
          .map(row => credentialBody(context.world, request, row))
        const path = `users/${user.uuid}/application_credentials`
        return json(200, listOf(request, 'application_credentials', path, bodies))
      },
    },
    {
      method: 'GET',
      path: ONE,
      operation: 'identity:get_application_credential',
      summary: 'Show an application credential',
      answers: { 200: objectOf({ application_credential: credentialSchema }) },
      target: policyTargetOf,
      handle: request =>
        json(200, {
          application_credential: credentialBody(context.world, request, findCredential(context, request)),
        }),
    },
  ]
}

function findCredential(context: IdentityContext, request: IdentityRequest): CredentialRow {
  const id = param(request, 'credential_id')
  const row = context.world.identity.credentials.find(id)
  if (row === undefined || row.user_id !== userOr404(context, request).id)
    throw notFound('application credential', id)
  return row
}

function createRoute(context: IdentityContext): IdentityRoute {
  return {
    method: 'POST',
    path: ALL,
    operation: 'identity:create_application_credential',
    summary: 'Create an application credential',
    requestBody: schema,
    answers: { 201: objectOf({ application_credential: newCredentialSchema }) },
    target: policyTargetOf,
    async handle(request) {
      const project = request.credentials.projectId
      if (project === null)
        throw new ApiError(
          400,
          'An application credential belongs to a project: sign in with a project first.',
        )
      requireUnrestricted(request.credentials, 'create application credentials')
      const given = readBody(request, schema).application_credential as Json
      // A token with fewer roles than its user must not gain any.
      const held = request.credentials.roles
      const roles = parseRoles(context, given.roles) ?? held
      const beyond = roles.filter(name => !addImplied(held).includes(name))
      if (beyond.length > 0) throw refusalError({ kind: 'roles-not-held', roles: beyond })
      const chosen = (given.secret as string | null | undefined) ?? null
      const secret = chosen ?? generateSecret()
      const secret_hash =
        chosen === null ? hashRandomSecret(secret) : await hashSecret(request, 'secret', secret)
      const answer = await submit(context, {
        kind: 'identity:create-credential',
        uuid: context.newId(),
        user: param(request, 'user_id'),
        project,
        roles,
        fields: {
          name: given.name as string,
          description: (given.description as string | null | undefined) ?? null,
          secret_hash,
          is_unrestricted: Number(given.unrestricted === true),
          expires_at: limitEnd(parseExpiry(context, given.expires_at), request.credentials),
        },
      })
      const body = { ...credentialBody(context.world, request, answer), secret }
      return { ...json(201, { application_credential: body }), headers: { 'cache-control': 'no-store' } }
    },
  }
}

function parseRoles({ world }: IdentityContext, given: unknown): string[] | null {
  if (given === undefined || (given as Json[]).length === 0) return null
  return (given as Json[]).map(({ id, name }) => {
    const { roles } = world.identity
    const row = typeof id === 'string' ? roles.find(id) : world.identity.findRoleByName(jsonText(name))
    if (row === undefined) throw notFound('role', jsonText(id ?? name))
    return row.name
  })
}

/** Keystone has no years of five digits. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** As in Keystone, a time without a zone is UTC. */
function parseExpiry({ clock }: IdentityContext, given: unknown): number | null {
  if (given === undefined || given === null) return null
  const text = jsonText(given)
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
  if (Number.isNaN(ms)) throw new ApiError(400, `Invalid input for expires_at: ${text} is not a time.`)
  if (ms > LAST_MS) throw new ApiError(400, `Invalid input for expires_at: ${text} is after the year 9999.`)
  if (ms <= clock.nowMs()) throw new ApiError(400, `Invalid input for expires_at: ${text} is in the past.`)
  return ms
}

function deleteRoute(context: IdentityContext): IdentityRoute {
  return {
    method: 'DELETE',
    path: ONE,
    operation: 'identity:delete_application_credential',
    summary: 'Delete an application credential',
    answers: { 204: null },
    target: policyTargetOf,
    async handle(request) {
      requireUnrestricted(request.credentials, 'delete application credentials')
      await submit(context, {
        kind: 'identity:delete-credential',
        user: param(request, 'user_id'),
        credential: param(request, 'credential_id'),
      })
      return noContent
    },
  }
}
