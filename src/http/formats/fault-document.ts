import type { Schema } from '../../kernel/json-schema.ts'
import type { ErrorDocument, ErrorFacts } from './error-document.ts'
import { findStatus } from './statuses.ts'

/** Error names of the APIs that come from Nova; all others are `computeFault`. */
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

/** One member, named for the kind of error. */
export const faultSchema: Schema = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  patternProperties: {
    '': {
      type: 'object',
      properties: {
        code: { type: 'integer', description: 'The status.' },
        message: { type: 'string', description: 'The message, for people.' },
      },
      required: ['code', 'message'],
      additionalProperties: false,
    },
  },
}

/** Always JSON, whatever the client accepts. */
export function renderFault({ status, message }: ErrorFacts): ErrorDocument {
  const { sentence, title } = findStatus(status)
  const fault = { code: status, message: message || sentence || title }
  return {
    contentType: 'application/json; charset=UTF-8',
    body: JSON.stringify({ [FAULTS[status] ?? 'computeFault']: fault }),
  }
}
