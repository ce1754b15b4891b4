/** Requests to every API of the server: adds the token, and converts errors of every format to one type. */

interface Asked {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The error of a server, or that it did not answer. */
export class Failure extends Error {
  /** 0: no server answered. */
  readonly status: number
  readonly code: string | null
  readonly requestId: string | null
  /** Numbers and names that it is about. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    text: string,
    more: Partial<Pick<Failure, 'code' | 'requestId' | 'facts'>> = {},
  ) {
    super(text)
    this.status = status
    this.code = more.code ?? null
    this.requestId = more.requestId ?? null
    this.facts = more.facts ?? {}
  }

  get isOffline(): boolean {
    return this.status === 0
  }
}

let token: string | null = null
let onRefused: () => void = () => undefined

export function carryToken(value: string | null, refused: () => void = () => undefined): void {
  token = value
  onRefused = refused
}

export async function ask(path: string, asked: Asked = {}): Promise<Response> {
  const { method = 'GET', body, signal } = asked
  const headers: Record<string, string> = { accept: 'application/json', ...asked.headers }
  const sent = headers['x-auth-token'] ?? token
  if (sent !== null) headers['x-auth-token'] = sent
  if (body !== undefined) headers['content-type'] ??= 'application/json'
  let answer: Response
  try {
    answer = await fetch(path, {
      method,
      headers,
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Failure(0, 'The server does not answer.')
  }
  if (answer.ok || answer.status === 304) return answer
  // A 401 for a request from before the last sign-in does not concern the current user.
  if (answer.status === 401 && token !== null && sent === token) onRefused()
  throw await failureOf(answer)
}

export async function askJson<T>(path: string, asked: Asked = {}): Promise<T> {
  const answer = await ask(path, asked)
  const text = await answer.text()
  return (text === '' ? null : JSON.parse(text)) as T
}

async function failureOf(answer: Response): Promise<Failure> {
  const requestId = answer.headers.get('x-openstack-request-id')
  const text = await answer.text().catch(() => '')
  const plain = () => new Failure(answer.status, plainText(text) || answer.statusText, { requestId })
  if (!/json/.test(answer.headers.get('content-type') ?? '')) return plain()
  try {
    return fromDocument(answer.status, JSON.parse(text), requestId) ?? plain()
  } catch {
    return plain()
  }
}

const HTML_CHARS_MAX = 10_000

/** The text of an HTML error page, without title and tags. */
function plainText(html: string): string {
  const cut = html.slice(0, HTML_CHARS_MAX)
  const title = cut.indexOf('</title>')
  const [before, ...tagged] = cut.slice(title < 0 ? 0 : title).split('<')
  const texts = tagged.map(one => (one.includes('>') ? one.slice(one.indexOf('>') + 1) : `<${one}`))
  return [before, ...texts].join(' ').replaceAll(/\s+/g, ' ').trim()
}

/** Placement has a list of errors, compute a name around one, /v1 a problem document, the catalog a page of text. */
function fromDocument(status: number, document: unknown, requestId: string | null): Failure | null {
  if (typeof document !== 'object' || document === null) return null
  const fields = document as Record<string, unknown>
  if (Array.isArray(fields.errors)) {
    const [first] = fields.errors as { detail?: string; code?: string; title?: string }[]
    const detail = (first?.detail ?? first?.title ?? '').replace(/^.*?\n\n\s*/s, '').trim()
    return new Failure(status, detail || 'The request was refused.', { code: first?.code ?? null, requestId })
  }
  if (typeof fields.detail === 'string') {
    const { detail, code, title, status: _status, request_id: _id, type: _type, ...facts } = fields
    return new Failure(status, String(detail || title), { code: String(code ?? ''), requestId, facts })
  }
  const inner = Object.values(fields)[0] as { message?: string } | undefined
  return typeof inner?.message === 'string' ? new Failure(status, inner.message, { requestId }) : null
}

/** A path whose parts are escaped: they may come from the address of the page. */
export const pathOf = (fixed: readonly string[], ...parts: readonly (string | number)[]): string =>
  fixed.reduce((path, next, at) => path + encodeURIComponent(parts[at - 1] as string | number) + next)

/** A query string; lists are repeated, empty values omitted. */
export function queryOf(
  parts: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parts))
    if (value !== undefined && value !== '')
      for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
