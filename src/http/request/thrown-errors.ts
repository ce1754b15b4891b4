import { StoreUnavailable, StoreUncertain } from '../../store/store.ts'
import { ChangeRefused } from '../../world/change-refused.ts'
import { NotStorable } from '../../world/storable.ts'
import { ApiError, RequestRefused } from '../api.ts'
import { describeStoreError } from '../formats/store-errors.ts'
import type { Log } from '../ops/log.ts'
import type { RequestContext } from './request-context.ts'

export const RETRY_SOON = { 'retry-after': '1' }

/** What a client sees of a thrown error. The rest goes to the log: it may contain paths and addresses. */
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
