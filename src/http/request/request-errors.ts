import { StoreUnavailable, StoreUncertain } from '../../store/store.ts'
import { ChangeRefused } from '../../world/change-refused.ts'
import { NotStorable } from '../../world/storable.ts'
import { ApiError, RequestRefused } from '../api.ts'
import { AuthenticationUnavailable, type RateLimited } from '../authenticator.ts'
import { renderBareError, renderError } from '../formats/error-document.ts'
import { describeStoreError } from '../formats/store-errors.ts'
import type { Log } from '../ops/log.ts'
import type { Service } from '../service.ts'
import { extractPath } from './caller-context.ts'
import type { Negotiated } from './microversion.ts'
import type { RequestContext } from './request-context.ts'
import type { NoRoute } from './router.ts'
import type { ServiceVersion } from './service-versions.ts'

const RETRY_SOON = { 'retry-after': '1' }

/** The error that a client sees for a thrown one. The rest goes to the log: it may contain paths and addresses. */
export function toApiError(thrown: unknown, context: RequestContext, log: Log): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof NotStorable) return new RequestRefused(400, 'value.out-of-range', thrown.message)
  const request_id = context.requestId
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  if (error instanceof StoreUnavailable || error instanceof StoreUncertain) {
    log.warn('store unavailable', { request_id, error })
    const { status, code, detail } = describeStoreError(error)
    return new RequestRefused(status, code, detail, status === 503 ? RETRY_SOON : {})
  }
  if (error instanceof ChangeRefused && error.why === 'taken')
    return new RequestRefused(409, 'store.conflict', `Nothing was changed: ${error.message}.`)
  log.error('request failed', { request_id, route: context.route, error })
  return new RequestRefused(500, 'internal', `Internal error; see the server log for ${request_id}.`)
}

/** Why the caller could not be authenticated; null: no token, or an invalid one. */
export function toTokenError(
  found: AuthenticationUnavailable | RateLimited | null,
  challenge: string | undefined,
): RequestRefused {
  if (found === null) {
    const headers = challenge === undefined ? {} : { 'www-authenticate': challenge }
    return new RequestRefused(401, 'identity.token-needed', '', headers)
  }
  if (found instanceof AuthenticationUnavailable)
    return new RequestRefused(
      503,
      'identity.unavailable',
      'The identity service cannot be reached.',
      RETRY_SOON,
    )
  return new RequestRefused(
    429,
    'identity.rate-limited',
    `Too many requests of this user. Try again in ${found.waitS} s.`,
    { 'retry-after': String(found.waitS) },
    { retry_after_s: found.waitS },
  )
}

export function toVersionError({ kind, asked }: Exclude<Negotiated, { kind: 'agreed' }>): ApiError {
  if (kind === 'not-acceptable')
    return new ApiError(406, `Invalid microversion: Unacceptable version header: ${asked}`)
  return new ApiError(
    400,
    `Invalid microversion: invalid version string: ${asked}; ` +
      'it must be two whole numbers with a dot between them, or latest',
  )
}

export function toRouteError({ kind, status, allow }: NoRoute): RequestRefused {
  if (status === 404) return new RequestRefused(404, 'route.unknown', '')
  const text = kind === 'no-method' ? 'The method specified is not allowed for this resource.' : ''
  return new RequestRefused(405, 'route.method', text, { allow })
}

/** For metrics. Codes are few, since they are written in the source. */
export const readRefusalReason = (error: ApiError): string =>
  error instanceof RequestRefused ? error.reason : (error.code ?? `http.${error.status}`)

/** In the format of the service. `agreed` is null until the version is negotiated. */
export function renderErrorDocument<F>(
  service: Service<F>,
  error: ApiError,
  { request, requestId }: RequestContext,
  agreed: ServiceVersion<F> | null,
): { readonly contentType: string; readonly body: string } {
  const { status, message } = error
  const render =
    status === 401
      ? (service.unauthorizedDocument ?? renderBareError)
      : (service.errorDocument ?? renderError)
  return render({
    status,
    message,
    requestId,
    method: request.method as string,
    path: extractPath(request.url as string),
    accept: request.headers.accept,
    contentType: request.headers['content-type'],
    error,
    code: agreed?.showsCodes === true ? (error.code ?? service.undefinedCode) : undefined,
    versions: status === 406 && agreed === null ? (service.versions ?? undefined) : undefined,
  })
}
