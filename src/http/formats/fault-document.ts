import type { ErrorDocument, ErrorFacts } from './error-document.ts'
import { statusOf } from './statuses.ts'

/** What the APIs that come from compute call their errors; all others are `computeFault`. */
const FAULTS: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  429: 'overLimit',
  501: 'notImplemented',
  503: 'serviceUnavailable',
}

/** JSON for everybody, whatever they accept. */
export function faultDocument({ status, message }: ErrorFacts): ErrorDocument {
  const { sentence, title } = statusOf(status)
  const fault = { code: status, message: message || sentence || title }
  return {
    contentType: 'application/json; charset=UTF-8',
    body: JSON.stringify({ [FAULTS[status] ?? 'computeFault']: fault }),
  }
}
