import { ApiError, json, noContent, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { objectOf, queryOf } from '../../http/formats/schema-forms.ts'
import type { Json } from '../../kernel/json.ts'
import type { UserRow } from '../../world/identity.ts'
import { hashPassword, isPasswordTooLong, PASSWORD_BYTES_MAX } from '../builtin/passwords.ts'
import { requireLasting } from '../delegation.ts'
import type { UserFields } from '../rules/users.ts'
import {
  idOrNull,
  name,
  password,
  readBody,
  renameFields,
  textOrNull,
  wrapSchema,
  yesOrNo,
} from './bodies.ts'
import { DOMAIN, type IdentityContext, type IdentityRequest, type IdentityRoute } from './context.ts'
import { notFound, submit } from './errors.ts'
import { pageOf, projectSchema, userSchema } from './schemas.ts'
import { asBusy, verifySecret } from './sign-in.ts'
import { listOf, projectBody, userBody } from './views.ts'

const ONE = '/v3/users/{user_id}'

const properties: Readonly<Record<string, Schema>> = {
  name,
  password: { type: ['string', 'null'], minLength: 1, maxLength: 1024 },
  enabled: yesOrNo,
  default_project_id: idOrNull,
  description: textOrNull,
  email: textOrNull,
  domain_id: { type: ['string', 'null'], enum: [DOMAIN.id, null] },
}
const createSchema = wrapSchema('user', properties, ['name'])
const updateSchema = wrapSchema('user', properties)
const passwordSchema = wrapSchema('user', { password, original_password: password }, [
  'password',
  'original_password',
])

const oneUser = objectOf({ user: userSchema })

export function userRoutes(context: IdentityContext): IdentityRoute[] {
  return [...readRoutes(context), ...writeRoutes(context), passwordRoute(context)]
}

export function userOr404({ world }: IdentityContext, request: IdentityRequest): UserRow {
  const id = param(request, 'user_id')
  const row = world.identity.users.find(id)
  if (row === undefined) throw notFound('user', id)
  return row
}

export const policyTargetOf = (request: IdentityRequest) => ({
  project_id: request.credentials.projectId,
  'target.user.id': param(request, 'user_id'),
})

function readRoutes(context: IdentityContext): IdentityRoute[] {
  return [
    {
      method: 'GET',
      path: '/v3/users',
      operation: 'identity:list_users',
      summary: 'List users',
      query: queryOf(['name', 'enabled', 'domain_id']),
      answers: { 200: pageOf('users', userSchema) },
      handle(request) {
        const { query } = request
        const wantedName = query.first('name')
        const enabled = query.first('enabled')
        const isElsewhere = (query.first('domain_id') ?? DOMAIN.id) !== DOMAIN.id
        const rows = isElsewhere
          ? []
          : context.world.identity.users
              .all()
              .filter(row => wantedName === undefined || row.name === wantedName)
              .filter(row => enabled === undefined || (row.is_enabled === 1) === /^(true|1)?$/i.test(enabled))
        const bodies = rows.map(row => userBody(request, row))
        return json(200, listOf(request, 'users', 'users', bodies))
      },
    },
    {
      method: 'GET',
      path: ONE,
      operation: 'identity:get_user',
      summary: 'Show a user',
      answers: { 200: oneUser },
      target: policyTargetOf,
      handle: request => json(200, { user: userBody(request, userOr404(context, request)) }),
    },
    {
      method: 'GET',
      path: `${ONE}/projects`,
      operation: 'identity:list_user_projects',
      summary: 'List the projects of a user',
      answers: { 200: pageOf('projects', projectSchema) },
      target: policyTargetOf,
      handle(request) {
        const user = userOr404(context, request)
        const rows = context.world.identity.listProjects(user.id)
        const path = `users/${user.uuid}/projects`
        const bodies = rows.map(row => projectBody(request, row))
        return json(200, listOf(request, 'projects', path, bodies))
      },
    },
  ]
}

const NAMES = {
  name: 'name',
  enabled: 'is_enabled',
  default_project_id: 'default_project',
  description: 'description',
  email: 'email',
}

/** Hashes a password before the command is submitted. */
async function parseFields(request: IdentityRequest, schema: Schema): Promise<Partial<UserFields>> {
  const user = readBody(request, schema).user as Json
  const fields = renameFields(user, NAMES) as Partial<UserFields>
  if (user.password === undefined) return fields
  const hash = user.password === null ? null : await hashSecret(request, 'password', user.password as string)
  return { ...fields, password_hash: hash }
}

/** Hashes in the caller's own lane, so that a caller who hashes many does not delay others. */
export async function hashSecret(request: IdentityRequest, field: string, secret: string): Promise<string> {
  if (isPasswordTooLong(secret))
    throw new ApiError(400, `Invalid input for ${field}: it has more than ${PASSWORD_BYTES_MAX} bytes.`)
  try {
    return await hashPassword(secret, { name: `user ${request.credentials.userId}`, isKnown: true })
  } catch (error) {
    throw asBusy(error)
  }
}

const USER_DEFAULTS = {
  password_hash: null,
  is_enabled: 1,
  default_project: null,
  description: null,
  email: null,
}

function writeRoutes(context: IdentityContext): IdentityRoute[] {
  return [
    {
      method: 'POST',
      path: '/v3/users',
      operation: 'identity:create_user',
      summary: 'Create a user',
      requestBody: createSchema,
      answers: { 201: oneUser },
      async handle(request) {
        requireLasting(request.credentials, 'create users')
        const fields = { ...USER_DEFAULTS, ...(await parseFields(request, createSchema)) } as UserFields
        const answer = await submit(context, {
          kind: 'identity:create-user',
          uuid: context.newId(),
          fields,
        })
        return json(201, { user: userBody(request, answer) })
      },
    },
    {
      method: 'PATCH',
      path: ONE,
      operation: 'identity:update_user',
      summary: 'Change a user',
      requestBody: updateSchema,
      answers: { 200: oneUser },
      async handle(request) {
        requireLasting(request.credentials, 'change users')
        const { uuid } = userOr404(context, request)
        const fields = await parseFields(request, updateSchema)
        const answer = await submit(context, { kind: 'identity:update-user', user: uuid, fields })
        return json(200, { user: userBody(request, answer) })
      },
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: 'identity:delete_user',
      summary: 'Delete a user',
      answers: { 204: null },
      async handle(request) {
        await submit(context, {
          kind: 'identity:delete-user',
          user: param(request, 'user_id'),
        })
        return noContent
      },
    },
  ]
}

/** Users change their password if they know the current one; this revokes all their tokens. */
function passwordRoute(context: IdentityContext): IdentityRoute {
  return {
    method: 'POST',
    path: `${ONE}/password`,
    operation: 'identity:change_password',
    summary: 'Change the password of a user',
    requestBody: passwordSchema,
    answers: { 204: null },
    target: request => ({ project_id: request.credentials.projectId, user_id: param(request, 'user_id') }),
    async handle(request) {
      requireLasting(request.credentials, 'change passwords')
      const row = userOr404(context, request)
      const user = readBody(request, passwordSchema).user as Json
      await verifySecret(
        context,
        request,
        `user ${row.uuid}`,
        user.original_password as string,
        row.password_hash,
      )
      const fields = { password_hash: await hashSecret(request, 'password', user.password as string) }
      await submit(context, { kind: 'identity:update-user', user: row.uuid, fields })
      return noContent
    },
  }
}
