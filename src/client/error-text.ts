import { Refused } from './failure.ts'

const CHARS_MAX = 2_000

/** The error of an answer, whichever of the forms it comes in: that of an OpenStack API, a problem document, or anything. */
export function parseRefusal(status: number, contentType: string | null, body: string): Refused {
  const document = contentType?.includes('json') === true ? parseDocument(body) : null
  return (
    fromProblem(status, document) ??
    fromPlacement(status, document) ??
    fromWebob(status, document) ??
    fromCompute(status, document) ??
    new Refused(status, `the server answered with status ${status}`)
  )
}

type Document = Readonly<Record<string, unknown>>

function parseDocument(body: string): Document | null {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Document) : null
  } catch {
    return null
  }
}

/** `application/problem+json` of /v1. */
function fromProblem(status: number, document: Document | null): Refused | null {
  if (typeof document?.detail !== 'string') return null
  const { title: _, status: __, code, detail, ...facts } = document
  return new Refused(status, oneLine(detail as string), textOrNull(code), facts)
}

/** `{"errors": [{"detail": "A generic sentence.\n\n What happened.  ", "code"}]}` of Placement. */
function fromPlacement(status: number, document: Document | null): Refused | null {
  const first: unknown = Array.isArray(document?.errors) ? document.errors[0] : null
  if (typeof first !== 'object' || first === null) return null
  const { detail, title, code, status: _, ...facts } = first as Document
  const message = typeof detail === 'string' ? afterSentence(detail) : textOrNull(title)
  return new Refused(status, message ?? `the server answered with status ${status}`, textOrNull(code), facts)
}

/** `{"message": "A generic sentence.<br /><br />\nWhat happened.\n\n"}`: Placement's 401. */
function fromWebob(status: number, document: Document | null): Refused | null {
  if (typeof document?.message !== 'string') return null
  return new Refused(status, afterSentence(document.message.replaceAll('<br /><br />', '\n\n')))
}

/** `{"itemNotFound": {"code": 404, "message"}}`, by whichever name. */
function fromCompute(status: number, document: Document | null): Refused | null {
  const [fault, ...others] = Object.values(document ?? {})
  if (others.length > 0 || typeof fault !== 'object' || fault === null) return null
  const { message, code } = fault as Document
  return code === status && typeof message === 'string' ? new Refused(status, oneLine(message)) : null
}

/** Upstream puts a generic sentence before what happened, with an empty line between. */
function afterSentence(detail: string): string {
  const gap = detail.indexOf('\n\n')
  const after = gap < 0 ? '' : oneLine(detail.slice(gap))
  return after === '' ? oneLine(detail) : after
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > CHARS_MAX ? `${line.slice(0, CHARS_MAX)}...` : line
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
