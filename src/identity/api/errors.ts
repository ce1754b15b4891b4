import { ApiError } from '../../http/api.ts'
import type { ErrorDocument, ErrorFacts } from '../../http/formats/error-document.ts'
import { findStatus } from '../../http/formats/statuses.ts'
import { submitWith } from '../../http/submit.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import type { IdentityRefusal, Thing } from '../rules/refusals.ts'
import type { IdentityRules } from '../rules/rules.ts'

/** The same text for every reason, so that it does not reveal the reason. */
const UNAUTHORIZED = 'The request you have made requires authentication.'

export const unauthorized = (): ApiError => new ApiError(401, UNAUTHORIZED)

/** Always JSON, whatever the client accepts. */
export function identityErrorDocument({ status, message }: ErrorFacts): ErrorDocument {
  const { sentence, title } = findStatus(status)
  const text = message || (status === 401 ? UNAUTHORIZED : sentence || title)
  return {
    contentType: 'application/json',
    body: JSON.stringify({ error: { code: status, message: text, title } }),
  }
}

export const identityErrorSchema: Schema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'integer', description: 'The status.' },
        message: { type: 'string', description: 'The message, for people.' },
        title: { type: 'string', description: 'The status in words.' },
      },
      required: ['code', 'message', 'title'],
      additionalProperties: false,
    },
  },
  required: ['error'],
  additionalProperties: false,
}

export const notFound = (what: Thing | 'token' | 'domain', id: string): ApiError =>
  new ApiError(404, what === 'token' ? 'Could not find token.' : `Could not find ${what}: ${id}.`)

export const forbiddenText = (operation: string): string =>
  `You are not authorized to perform the requested action: ${operation}.`

export const submit = submitWith<IdentityRules, IdentityRefusal>(refusalError)

export function refusalError(refusal: IdentityRefusal): ApiError {
  switch (refusal.kind) {
    case 'identity-missing':
      return notFound(refusal.what, refusal.id)
    case 'identity-exists':
      return new ApiError(
        409,
        `Conflict occurred attempting to store ${refusal.what} - it already exists: ${refusal.name}.`,
      )
    case 'static-token-same':
      return new ApiError(409, `Static token ${refusal.name} has the same value. Choose another one.`)
    case 'role-in-use':
      return new ApiError(
        409,
        `Role ${refusal.role} is held by ${refusal.users} users. Remove it from them first.`,
      )
    case 'grant-missing':
      return new ApiError(
        404,
        `Could not find role assignment with role: ${refusal.role}, user: ${refusal.user}, project: ${refusal.project}.`,
      )
    case 'roles-not-held':
      return new ApiError(
        400,
        refusal.roles.length === 0
          ? 'Invalid application credential: the user has no role in the project of the token.'
          : `Invalid application credential: the user does not have ${refusal.roles.join(', ')} in the project of the token.`,
      )
    case 'too-many':
      return new ApiError(
        403,
        refusal.what === 'static token'
          ? `Unable to create additional static tokens: the limit is ${refusal.limit}. Revoke one first.`
          : `Unable to create additional ${refusal.what}s, maximum of ${refusal.limit} already exceeded for user.`,
      )
    case 'sign-in-outdated':
      return unauthorized()
    default:
      return refusal satisfies never
  }
}
