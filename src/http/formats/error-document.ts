import { ownValue } from '../../kernel/records.ts'
import type { ApiError } from '../api.ts'
import { preferredOffer } from '../request/accept.ts'
import { statusOf } from './statuses.ts'

/** What an error answer is made of, whatever its form. */
export interface ErrorFacts {
  readonly status: number
  readonly message: string
  readonly requestId: string
  readonly method: string
  readonly accept: string | undefined
  readonly contentType: string | undefined
  /** What was thrown, for formats that show more of it than status and message. */
  readonly error?: ApiError | undefined
  /** As requested, without the query. */
  readonly path?: string | undefined
  /** Only where the negotiated version shows codes. */
  readonly code?: string | undefined
  /** Only where the version could not be agreed upon. */
  readonly versions?: { readonly min: string; readonly max: string } | undefined
}

export interface ErrorDocument {
  readonly contentType: string
  readonly body: string
}

/** The `errors[]` document of Placement, or its HTML or plain form when Accept asks for one. */
export function errorDocument(facts: ErrorFacts): ErrorDocument {
  return inAcceptedForm(facts, placementJson)
}

/** What WebOb answers by itself. Placement shows it where its own formatter is not yet at work: on 401. */
export function bareErrorDocument(facts: ErrorFacts): ErrorDocument {
  return inAcceptedForm(facts, facts => bareJson(facts))
}

/**
 * The same with what happened in place of the generic sentence, and JSON only for those who ask for it by name:
 * what services answer that leave all of it to WebOb, as Glance does.
 */
export function explainedErrorDocument(facts: ErrorFacts): ErrorDocument {
  const form = preferredOffer(facts.accept ?? '', FORMS)
  if (form === 'application/json')
    return { contentType: form, body: JSON.stringify(bareJson(facts, explanation)) }
  return inForm(form, facts, explanation)
}

const FORMS = ['text/html', 'application/json']

/** What is said about an error, with everything that came from the request quoted. */
type Saying = (facts: ErrorFacts, quote: (text: string) => string) => string

function inAcceptedForm(facts: ErrorFacts, jsonOf: (facts: ErrorFacts) => unknown): ErrorDocument {
  const form = asksForJson(facts.accept) ? 'application/json' : preferredOffer(facts.accept, FORMS)
  if (form === 'application/json') return { contentType: form, body: JSON.stringify(jsonOf(facts)) }
  return inForm(form, facts, markup)
}

function inForm(form: string | null, facts: ErrorFacts, say: Saying): ErrorDocument {
  const heading = `${facts.status} ${statusOf(facts.status).title}`
  if (form === 'text/html')
    return { contentType: 'text/html; charset=UTF-8', body: page(heading, say(facts, escapeHtml)) }
  const text = stripTags(say(facts, verbatim))
  return { contentType: 'text/plain; charset=UTF-8', body: `${heading}\n\n${text}` }
}

// A lone wildcard is what most clients send without thinking, and they want JSON.
function asksForJson(accept: string | undefined): boolean {
  return accept === undefined || accept === '' || accept === '*/*'
}

function placementJson(facts: ErrorFacts): unknown {
  return {
    errors: [
      {
        status: facts.status,
        title: statusOf(facts.status).title,
        detail: detailOf(facts),
        ...(facts.code === undefined ? {} : { code: facts.code }),
        request_id: facts.requestId,
        ...(facts.versions === undefined
          ? {}
          : { max_version: facts.versions.max, min_version: facts.versions.min }),
      },
    ],
  }
}

function bareJson(facts: ErrorFacts, say: Saying = markup): unknown {
  const title = statusOf(facts.status).title
  return { message: say(facts, verbatim), code: `${facts.status} ${title}`, title }
}

function page(heading: string, content: string): string {
  return [
    '<!doctype html>',
    `<html><head><title>${heading}</title></head>`,
    `<body><h1>${heading}</h1>`,
    content,
    '</body></html>',
  ].join('\n')
}

const detailOf = (facts: ErrorFacts): string => stripTags(markup(facts, verbatim))

/**
 * The generic sentence, a break, the message. Three statuses quote the request in their sentence and end with
 * the message; the others end with two line breaks, which clients see as trailing blanks.
 */
function markup(facts: ErrorFacts, quote: (text: string) => string): string {
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
      return `${quote(statusOf(facts.status).sentence)}<br /><br />\n${message}\n\n`
  }
}

function explanation(facts: ErrorFacts, quote: (text: string) => string): string {
  if (facts.message === '' || facts.status === 405) return markup(facts, quote)
  return `${quote(facts.message)}<br /><br />\n\n\n`
}

const verbatim = (text: string): string => text

const LINE_BREAK_TAG = /<br/gi
const ANY_TAG = /</g
const COMMENT_MARKS = /<!--|-->/g

/** One line of text: breaks become newlines, other tags vanish, and so do newlines that were there before. */
export function stripTags(text: string): string {
  const flat = text.replaceAll('\n', ' ').replaceAll('\r', '')
  if (!flat.includes('<') && !flat.includes('>')) return flat
  const broken = replaceTags(flat, LINE_BREAK_TAG, '\n').replace(COMMENT_MARKS, '')
  return replaceTags(broken, ANY_TAG, '')
}

/**
 * From each opening to the next `>`. Not a lazy regular expression, because that takes quadratic time on a
 * message that quotes megabytes of `<` from a request.
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
