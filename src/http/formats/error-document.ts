import type { Schema } from '../../kernel/json-schema.ts'
import { ownValue } from '../../kernel/records.ts'
import type { ApiError } from '../api.ts'
import { choosePreferred } from '../request/accept.ts'
import { findStatus } from './statuses.ts'

/** The content of an error answer, in any format. */
export interface ErrorFacts {
  readonly status: number
  readonly message: string
  readonly requestId: string
  readonly method: string
  readonly accept: string | undefined
  readonly contentType: string | undefined
  /** The thrown error, for formats that show more than status and message. */
  readonly error?: ApiError | undefined
  /** As requested, without the query. */
  readonly path?: string | undefined
  /** Only if the negotiated version shows codes. */
  readonly code?: string | undefined
  /** Only if version negotiation failed. */
  readonly versions?: { readonly min: string; readonly max: string } | undefined
}

export interface ErrorDocument {
  readonly contentType: string
  readonly body: string
}

/** Placement's `errors[]` document, or HTML or plain text if Accept prefers it. */
export function renderError(facts: ErrorFacts): ErrorDocument {
  return renderAccepted(facts, placementJson)
}

export const placementErrorSchema: Schema = {
  type: 'object',
  properties: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          status: { type: 'integer' },
          title: { type: 'string', description: 'The status in words.' },
          detail: { type: 'string', description: 'The message, for people.' },
          code: { type: 'string', description: 'The error code for programs; since version 1.23.' },
          request_id: { type: 'string', description: 'The id of the request in the server log.' },
          max_version: { type: 'string', description: 'Where the version was refused.' },
          min_version: { type: 'string', description: 'Where the version was refused.' },
        },
        required: ['status', 'title', 'detail', 'request_id'],
      },
    },
  },
  required: ['errors'],
}

/** WebOb's own error. Placement answers it before its formatter applies: on 401. */
export function renderBareError(facts: ErrorFacts): ErrorDocument {
  return renderAccepted(facts, facts => bareJson(facts))
}

/**
 * WebOb's error with the message instead of the generic sentence, as JSON only if Accept names it: as in services that
 * leave formatting to WebOb, such as Glance.
 */
export function renderExplainedError(facts: ErrorFacts): ErrorDocument {
  const form = choosePreferred(facts.accept ?? '', FORMS)
  if (form === 'application/json')
    return { contentType: form, body: JSON.stringify(bareJson(facts, renderExplanation)) }
  return renderAs(form, facts, renderExplanation)
}

export const explainedErrorSchema: Schema = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'The message, for people.' },
    code: { type: 'string', description: 'The status, in digits and words.' },
    title: { type: 'string', description: 'The status in words.' },
  },
  required: ['message', 'code', 'title'],
}

const FORMS = ['text/html', 'application/json']

/** The text of an error, with everything from the request quoted. */
type ErrorTextWriter = (facts: ErrorFacts, quote: (text: string) => string) => string

function renderAccepted(facts: ErrorFacts, jsonOf: (facts: ErrorFacts) => unknown): ErrorDocument {
  const form = asksForJson(facts.accept) ? 'application/json' : choosePreferred(facts.accept, FORMS)
  if (form === 'application/json') return { contentType: form, body: JSON.stringify(jsonOf(facts)) }
  return renderAs(form, facts, renderMarkup)
}

function renderAs(form: string | null, facts: ErrorFacts, say: ErrorTextWriter): ErrorDocument {
  const heading = `${facts.status} ${findStatus(facts.status).title}`
  if (form === 'text/html')
    return { contentType: 'text/html; charset=UTF-8', body: renderPage(heading, say(facts, escapeHtml)) }
  const text = stripTags(say(facts, keepText))
  return { contentType: 'text/plain; charset=UTF-8', body: `${heading}\n\n${text}` }
}

// A lone wildcard is what most clients send by default, and they want JSON.
function asksForJson(accept: string | undefined): boolean {
  return accept === undefined || accept === '' || accept === '*/*'
}

function placementJson(facts: ErrorFacts): unknown {
  return {
    errors: [
      {
        status: facts.status,
        title: findStatus(facts.status).title,
        detail: renderDetail(facts),
        ...(facts.code === undefined ? {} : { code: facts.code }),
        request_id: facts.requestId,
        ...(facts.versions === undefined
          ? {}
          : { max_version: facts.versions.max, min_version: facts.versions.min }),
      },
    ],
  }
}

function bareJson(facts: ErrorFacts, say: ErrorTextWriter = renderMarkup): unknown {
  const title = findStatus(facts.status).title
  return { message: say(facts, keepText), code: `${facts.status} ${title}`, title }
}

function renderPage(heading: string, content: string): string {
  return [
    '<!doctype html>',
    `<html><head><title>${heading}</title></head>`,
    `<body><h1>${heading}</h1>`,
    content,
    '</body></html>',
  ].join('\n')
}

const renderDetail = (facts: ErrorFacts): string => stripTags(renderMarkup(facts, keepText))

/**
 * The generic sentence, a break, the message. Three statuses quote the request in their sentence and end with the
 * message; the others end with two line breaks, which clients see as trailing blanks.
 */
function renderMarkup(facts: ErrorFacts, quote: (text: string) => string): string {
  const message = quote(facts.message)
  switch (facts.status) {
    case 405:
      return `The method ${quote(facts.method)} is not allowed for this resource. <br /><br />\n${message}`
    case 406: {
      const wanted = asksForJson(facts.accept) ? 'application/json' : (facts.accept as string)
      return (
        'The resource could not be generated that was acceptable to your browser\n' +
        `(content of type ${quote(wanted)}. <br /><br />\n${message}`
      )
    }
    case 415: {
      const sent = quote(facts.contentType || 'None')
      return `The request media type ${sent} is not supported by this server.\n<br /><br />\n${message}`
    }
    default:
      return `${quote(findStatus(facts.status).sentence)}<br /><br />\n${message}\n\n`
  }
}

function renderExplanation(facts: ErrorFacts, quote: (text: string) => string): string {
  if (facts.message === '' || facts.status === 405) return renderMarkup(facts, quote)
  return `${quote(facts.message)}<br /><br />\n\n\n`
}

const keepText = (text: string): string => text

const LINE_BREAK_TAG = /<br/gi
const ANY_TAG = /</g
const COMMENT_MARKS = /<!--|-->/g

/** One line of text: breaks become newlines; other tags and existing newlines are removed. */
export function stripTags(text: string): string {
  const flat = text.replaceAll('\n', ' ').replaceAll('\r', '')
  if (!flat.includes('<') && !flat.includes('>')) return flat
  const broken = replaceTags(flat, LINE_BREAK_TAG, '\n').replace(COMMENT_MARKS, '')
  return replaceTags(broken, ANY_TAG, '')
}

/**
 * From each opening to the next `>`. Not a lazy regular expression: that takes quadratic time on a message that quotes
 * megabytes of `<`.
 */
function replaceTags(text: string, opening: RegExp, by: string): string {
  let result = ''
  let from = 0
  opening.lastIndex = 0
  for (let open = opening.exec(text); open !== null; open = opening.exec(text)) {
    const close = text.indexOf('>', opening.lastIndex)
    if (close < 0) break
    result += text.slice(from, open.index) + by
    from = close + 1
    opening.lastIndex = from
  }
  return result + text.slice(from)
}

const HTML_SPECIAL = /[&<>"']|\P{ASCII}/gu
const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
}

function escapeHtml(text: string): string {
  return text.replace(HTML_SPECIAL, char => ownValue(HTML_NAMES, char) ?? `&#${char.codePointAt(0)};`)
}
