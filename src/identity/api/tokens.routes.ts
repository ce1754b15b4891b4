import { type ApiAnswer, ApiError, json, noContent } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { text } from '../../http/formats/schema-forms.ts'
import { isToken } from '../builtin/authenticator.ts'
import type { TokenFacts } from '../builtin/tokens.ts'
import type { LocalToken } from '../local-tokens.ts'
import { DOMAIN, type IdentityContext, type IdentityRequest, type IdentityRoute } from './context.ts'
import { forbiddenText, notFound, refusalError } from './errors.ts'
import { catalogEntrySchema, emptyPageOf, pageOf, projectSchema, tokenSchema } from './schemas.ts'
import { signIn, tooMany } from './sign-in.ts'
import { signInBodySchema } from './sign-in-body.ts'
import { catalogBody, listOf, projectBody, timeOf, tokenBody } from './views.ts'

const PATH = '/v3/auth/tokens'

/** No cache on the way may store a token. */
const NEVER_KEPT = { 'cache-control': 'no-store', vary: 'X-Auth-Token' }

const SUBJECT = { 'X-Subject-Token': 'The token that the request is about.' }

const catalogQuery: Schema = {
  type: 'object',
  properties: {
    nocatalog: {
      ...text,
      description: 'If present, with any value: shows the token without the service catalog.',
    },
  },
}

export function tokenRoutes(context: IdentityContext): IdentityRoute[] {
  return [issueRoute(context), ...validateRoutes(context), revokeRoute(context), ...ownRoutes(context)]
}

function issueRoute(context: IdentityContext): IdentityRoute {
  return {
    method: 'POST',
    path: PATH,
    operation: null,
    summary: 'Sign in: get a token',
    query: catalogQuery,
    requestBody: signInBodySchema,
    answers: { 201: tokenSchema },
    answerHeaders: { 'x-subject-token': 'The token.' },
    async handle(request) {
      const { user, project, credential, method, from } = await signIn(context, request)
      // Counted after authentication, so that no user can use up the limit of another.
      if (!context.issuing.take(user.uuid))
        throw tooMany(
          'Too many tokens were issued to this user.',
          Math.max(1, context.issuing.waitS(user.uuid)),
        )
      const issued = await context.tokens.issue({
        user,
        project: project?.uuid ?? null,
        credential: credential?.uuid ?? null,
        methods: [...new Set([method, ...(from?.row.methods.split(' ') ?? [])])],
        parents: from?.row.audit_ids.split(' ') ?? [],
        ...limitExpiry(from, credential?.expires_at ?? null),
      })
      const meaning = issued === null ? null : context.tokens.findMeaning(issued.row)
      if (issued === null || meaning === null) throw refusalError({ kind: 'sign-in-outdated' })
      const answer = json(201, tokenBody(context, request, meaning))
      return { ...answer, headers: { ...NEVER_KEPT, 'x-subject-token': issued.token } }
    },
  }
}

/** A token expires no later than the token or credential that it was issued for. */
function limitExpiry(from: TokenFacts | null, credentialExpiresAt: number | null): { expiresAtMax?: number } {
  const ends = [from?.row.expires_at, credentialExpiresAt].filter(end => end != null)
  return ends.length === 0 ? {} : { expiresAtMax: Math.min(...ends) }
}

function validateRoutes(context: IdentityContext): IdentityRoute[] {
  const validate = (
    method: 'GET' | 'HEAD',
    operation: string,
    summary: string,
    schema: Schema | null,
  ): IdentityRoute => ({
    method,
    path: PATH,
    operation,
    summary,
    query: catalogQuery,
    requestHeaders: SUBJECT,
    answers: { 200: schema },
    answerHeaders: { 'x-subject-token': 'The same token.' },
    asksPolicy: true,
    async handle(request) {
      const { token, found } = await findSubject(context, request, operation)
      const body = 'row' in found ? tokenBody(context, request, found) : localBody(context, request, found)
      return { ...json(200, body), headers: { ...NEVER_KEPT, 'x-subject-token': token } }
    },
  })
  return [
    validate('GET', 'identity:validate_token', 'Show a token', tokenSchema),
    validate('HEAD', 'identity:check_token', 'Check that a token is valid', null),
  ]
}

function revokeRoute(context: IdentityContext): IdentityRoute {
  return {
    method: 'DELETE',
    path: PATH,
    operation: 'identity:revoke_token',
    summary: 'Revoke a token',
    requestHeaders: SUBJECT,
    answers: { 204: null },
    asksPolicy: true,
    async handle(request): Promise<ApiAnswer> {
      const { found } = await findSubject(context, request, 'identity:revoke_token')
      if (!('row' in found))
        throw new ApiError(
          403,
          'This is a static token or the admin token: revoke a static token with `berth token revoke`.',
        )
      await context.tokens.revoke(found.row)
      return noContent
    },
  }
}

/** The token in X-Subject-Token, if the caller may see it. */
async function findSubject(context: IdentityContext, request: IdentityRequest, operation: string) {
  const token = request.headers['x-subject-token']
  if (typeof token !== 'string' || !isToken(token)) throw notFound('token', '')
  const found = context.localTokens.find(token) ?? (await context.tokens.find(token))
  const userId = found?.credentials.userId ?? null
  const { credentials } = request
  const target = { project_id: credentials.projectId, 'target.token.user_id': userId }
  if (!context.policy.allows(operation, credentials, target))
    throw new ApiError(403, forbiddenText(operation))
  if (found === null) throw notFound('token', '')
  return { token, found }
}

const LOCAL_LIFETIME_MS = 300_000

/** A token without a user, rendered like one that was just issued. */
function localBody(
  context: IdentityContext,
  request: IdentityRequest,
  { credentials, name, expiresAt }: LocalToken,
) {
  const { identity } = context.world
  const { userId, projectId, roles } = credentials
  const project = projectId === null ? undefined : identity.projects.find(projectId)
  const nowMs = context.clock.nowMs()
  return {
    token: {
      methods: ['token'],
      user: { id: userId, name, domain: DOMAIN, password_expires_at: null },
      audit_ids: [],
      issued_at: timeOf(nowMs),
      expires_at: timeOf(Math.min(nowMs + LOCAL_LIFETIME_MS, expiresAt ?? Number.POSITIVE_INFINITY)),
      ...(project === undefined
        ? {}
        : {
            project: { id: project.uuid, name: project.name, domain: DOMAIN },
            is_domain: false,
            catalog: catalogBody(context, request),
          }),
      roles: roles.map(role => ({ id: identity.findRoleByName(role)?.uuid ?? role, name: role })),
    },
  }
}

/** Roles are in projects only. */
const NEVER_ENTERED = {
  domains: 'List the domains that the caller can get a token for',
  system: 'List the systems that the caller can get a token for',
}

/** What callers may read about themselves. */
function ownRoutes(context: IdentityContext): IdentityRoute[] {
  return [
    {
      method: 'GET',
      path: '/v3/auth/catalog',
      operation: 'identity:get_auth_catalog',
      summary: 'Show the service catalog',
      answers: { 200: pageOf('catalog', catalogEntrySchema) },
      handle: request => json(200, listOf(request, 'catalog', 'auth/catalog', catalogBody(context, request))),
    },
    {
      method: 'GET',
      path: '/v3/auth/projects',
      operation: 'identity:get_auth_projects',
      summary: 'List the projects that the caller can get a token for',
      answers: { 200: pageOf('projects', projectSchema) },
      handle(request) {
        const user = context.world.identity.users.find(request.credentials.userId)
        const projects = user === undefined ? [] : context.world.identity.listProjects(user.id)
        const open = projects.filter(({ is_enabled }) => is_enabled === 1)
        const bodies = open.map(row => projectBody(request, row))
        return json(200, listOf(request, 'projects', 'auth/projects', bodies))
      },
    },
    ...Object.entries(NEVER_ENTERED).map(
      ([name, summary]): IdentityRoute => ({
        method: 'GET',
        path: `/v3/auth/${name}`,
        operation: 'identity:get_auth_catalog',
        summary,
        answers: { 200: emptyPageOf(name) },
        handle: request => json(200, listOf(request, name, `auth/${name}`, [])),
      }),
    ),
  ]
}
