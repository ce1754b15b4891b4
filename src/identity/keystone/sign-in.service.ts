import type { NoFeatures } from '../../http/api.ts'
import { type ApiAnswer, ApiError, json } from '../../http/api.ts'
import { AuthenticationUnavailable } from '../../http/authenticator.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import type { Log } from '../../http/ops/log.ts'
import type { Service } from '../../http/service.ts'
import type { Json } from '../../kernel/json.ts'
import { ownValue } from '../../kernel/records.ts'
import { readBody } from '../api/bodies.ts'
import type { IdentityRequest, IdentityRoute } from '../api/context.ts'
import { forbiddenText, identityErrorDocument, identityErrorSchema, unauthorized } from '../api/errors.ts'
import { tooMany } from '../api/sign-in.ts'
import { listOf } from '../api/views.ts'
import type { SignInOutcome, SignInThrottle, Source } from '../builtin/sign-in-throttle.ts'
import { digestOf } from '../builtin/tokens.ts'
import type { LocalTokens } from '../local-tokens.ts'
import type { Keystone, KeystoneAnswer } from './keystone.ts'
import { signInSchema } from './sign-in-body.ts'

interface Parts {
  readonly keystone: Keystone
  readonly localTokens: LocalTokens
  readonly guesses: SignInThrottle
  readonly log: Pick<Log, 'warn'>
}

/** No cache on the way may store a token. */
const NEVER_KEPT = { 'cache-control': 'no-store', vary: 'X-Auth-Token' }

/**
 * Lets a browser sign in with Keystone's users: the console may call only this server. A name and password, or a token,
 * become a token of Keystone; the projects of a token are listed. Nothing else is forwarded.
 */
export function keystoneSignIn(parts: Parts): Service<NoFeatures> {
  return {
    name: 'identity',
    serviceType: 'identity',
    versions: null,
    routes: [issueRoute(parts), projectsRoute(parts)],
    openPaths: [],
    openRequests: ['POST /v3/auth/tokens'],
    untypedBodies: true,
    forbiddenText,
    errorDocument: identityErrorDocument,
    unauthorizedDocument: identityErrorDocument,
    errorSchema: identityErrorSchema,
  }
}

/** Passed on as it is. */
const keystoneBody: Schema = { type: 'object' }

function issueRoute(parts: Parts): IdentityRoute {
  return {
    method: 'POST',
    path: '/v3/auth/tokens',
    operation: null,
    summary: 'Sign in with Keystone: get a token',
    requestBody: signInSchema,
    answers: { 201: keystoneBody },
    answerHeaders: { 'x-subject-token': 'The token.' },
    async handle(request): Promise<ApiAnswer> {
      const auth = readBody(request, signInSchema).auth as Json
      const { token: given } = auth.identity as { token?: { id: string } }
      // Our own tokens have no user in Keystone and are never sent there.
      if (given !== undefined && parts.localTokens.find(given.id) !== null) throw unauthorized()
      const account = hashAccount(auth.identity as Json)
      const { lane, settle } = beginAttempt(parts, request, account)
      const answer = await parts.keystone.passOn(lane, 'POST', '/v3/auth/tokens?nocatalog', {}, { auth })
      settle(judgeAnswer(answer))
      if (!(answer instanceof AuthenticationUnavailable) && answer.status === 401)
        parts.log.warn('sign-in failed', {
          request_id: request.requestId,
          account,
          ...readSource(request),
        })
      const { body, headers } = checkAnswer(parts, request, answer, 201)
      const token = headers.get('x-subject-token')
      if (token === null) throw unavailable()
      return { status: 201, body, headers: { ...NEVER_KEPT, 'x-subject-token': token } }
    },
  }
}

/** The projects that the caller may choose. Our own tokens have none, and are never sent to Keystone. */
function projectsRoute(parts: Parts): IdentityRoute {
  return {
    method: 'GET',
    path: '/v3/auth/projects',
    operation: null,
    summary: 'List the projects that the caller can get a token for',
    answers: { 200: keystoneBody },
    async handle(request): Promise<ApiAnswer> {
      const token = String(request.headers['x-auth-token'])
      if (parts.localTokens.find(token) !== null)
        return { ...json(200, listOf(request, 'projects', 'auth/projects', [])), headers: NEVER_KEPT }
      const lane = { name: `user ${request.credentials.userId}`, isKnown: true }
      const answer = await parts.keystone.passOn(lane, 'GET', '/v3/auth/projects', { 'x-auth-token': token })
      return { status: 200, body: checkAnswer(parts, request, answer, 200).body, headers: NEVER_KEPT }
    },
  }
}

/** A digest of the account, because the given name may be a password in the wrong field. */
function hashAccount(identity: Json): string {
  const [method] = identity.methods as [string]
  return `keystone ${method} ${digestOf(JSON.stringify(withoutSecret(ownValue(identity, method) as Json))).slice(0, 16)}`
}

const withoutSecret = ({ user, ...rest }: Json): Json => {
  if (user === undefined) return rest
  const { password: _password, ...who } = user as Json
  return who
}

const judgeAnswer = (answer: KeystoneAnswer | AuthenticationUnavailable): SignInOutcome => {
  if (answer instanceof AuthenticationUnavailable) return 'unknown'
  return answer.status === 401 ? 'wrong' : answer.status === 201 ? 'right' : 'unknown'
}

const readSource = (request: IdentityRequest): Source => ({
  address: request.callerAddress(),
  claimed: request.claimedAddress(),
})

/** Counted before Keystone is asked: parallel attempts must not get more guesses than sequential ones. */
function beginAttempt({ guesses, log }: Parts, request: IdentityRequest, account: string) {
  const source = readSource(request)
  const waitS = guesses.waitS(account, source)
  if (waitS === 0) return { lane: guesses.laneOf(account, source), settle: guesses.attempt(account, source) }
  log.warn('too many failed sign-ins', { request_id: request.requestId, account, ...source })
  throw tooMany('There were too many failed attempts.', waitS)
}

function checkAnswer(
  { log }: Parts,
  { requestId }: IdentityRequest,
  answer: KeystoneAnswer | AuthenticationUnavailable,
  expected: number,
): KeystoneAnswer {
  if (answer instanceof AuthenticationUnavailable) {
    log.warn('cannot authenticate', { request_id: requestId, reason: answer.reason })
    throw unavailable()
  }
  if (answer.status === expected) return answer
  if (answer.status === 401) throw unauthorized()
  if (answer.status === 400 || answer.status === 403)
    throw new ApiError(answer.status, `Keystone refused it with ${answer.status}.`)
  log.warn('cannot authenticate', { request_id: requestId, reason: `Keystone answered ${answer.status}` })
  throw unavailable()
}

const unavailable = (): ApiError =>
  new ApiError(503, 'Keystone cannot be reached.', undefined, { 'retry-after': '1' })
