import type { IncomingHttpHeaders } from 'node:http'

/** The context of a trace that services pass on, in the headers of W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits: the span of the caller. */
  readonly spanId: string
  readonly isSampled: boolean
  /** State of other vendors, passed on unchanged; empty if there is none. */
  readonly state: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)
const SAMPLED = 1

const STATE_CHARS_MAX = 512
const STATE_MEMBERS_MAX = 32
const STATE_MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/

/** Null if the header is missing or malformed: then a new trace begins, without the state. */
export function readTraceContext(headers: IncomingHttpHeaders): TraceContext | null {
  const parent = headers.traceparent
  const match = typeof parent === 'string' ? TRACEPARENT.exec(parent) : null
  if (match === null) return null
  const [, version, traceId = '', spanId = '', flags = '', rest] = match
  // Version 00 has nothing after the flags; later ones may. ff is forbidden.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (traceId === NO_TRACE || spanId === NO_SPAN) return null
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0
  return { traceId, spanId, isSampled, state: readState(headers.tracestate) }
}

/** Drops the whole state if it is malformed or too long. */
function readState(header: string | string[] | undefined): string {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  if (text.length > STATE_CHARS_MAX) return ''
  const members = text
    .split(',')
    .map(member => member.trim())
    .filter(member => member !== '')
  return members.length <= STATE_MEMBERS_MAX && members.every(member => STATE_MEMBER.test(member))
    ? members.join(',')
    : ''
}

export const renderTraceParent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** For a request to another service. */
export const traceHeaders = (context: TraceContext): Record<string, string> => ({
  traceparent: renderTraceParent(context),
  ...(context.state === '' ? {} : { tracestate: context.state }),
})
