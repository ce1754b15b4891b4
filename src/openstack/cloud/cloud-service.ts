import { parseRefusal } from '../../client/error-text.ts'
import type { HttpAnswer } from '../../http/outgoing/http-client.ts'
import { ownValue } from '../../kernel/records.ts'
import { CloudFailure } from './cloud-failure.ts'
import type { KeystoneSession } from './keystone-session.ts'
import type { PoliteClient } from './polite-client.ts'
import { type Endpoint, type ServiceType, serviceFacts } from './service-types.ts'

/** The microversions of a service that Berth supports. */
export interface MinorRange {
  readonly min: number
  readonly max: number
}

interface ListOptions {
  readonly query?: Readonly<Record<string, string>>
  /**
   * `links`: the next page is in `<key>_links` or `next`. `offset`: pages are asked for by number, until one is empty. `none`: the
   * service knows no pages and answers with all.
   */
  readonly paging?: 'links' | 'offset' | 'none'
}

interface CloudServiceParts {
  readonly type: ServiceType
  readonly endpoint: Endpoint
  readonly session: KeystoneSession
  readonly client: PoliteClient
}

const PAGE = 1_000
/** Ten million items: more means an endless loop. */
const PAGES_MAX = 10_000
/** The marker of a page may have been deleted meanwhile. */
const FRESH_STARTS_MAX = 3

/** One service of a cloud, in one microversion. */
export class CloudService {
  readonly title: string
  /** The negotiated minor version; null if the service has no microversions. */
  readonly minor: number | null
  readonly #parts: CloudServiceParts

  private constructor(parts: CloudServiceParts, minor: number | null) {
    this.#parts = parts
    this.title = serviceFacts[parts.type].title
    this.minor = minor
  }

  /** Uses the newest microversion of the range that the service supports. */
  static async connect(parts: CloudServiceParts, range: MinorRange | null): Promise<CloudService> {
    if (range === null) return new CloudService(parts, null)
    const plain = new CloudService(parts, null)
    const newest = parseNewest(await plain.#readVersions())
    if (newest === null || newest < range.min)
      throw new CloudFailure(
        `${plain.title} at ${parts.endpoint.root} speaks 2.${newest ?? 1} at most; 2.${range.min} is needed`,
      )
    return new CloudService(parts, Math.min(newest, range.max))
  }

  async get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
    const found = await this.getIfAny<T>(path, query)
    if (found === null) throw new CloudFailure(`${this.title} has no ${path}`, 404)
    return found
  }

  /** Null if the service answers 404. */
  async getIfAny<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T | null> {
    const text = new URLSearchParams(query).toString()
    const url = `${this.#parts.endpoint.url}${path}${text === '' ? '' : `?${text}`}`
    const answer = await this.#ask(url)
    if (answer.status === 404) return null
    if (answer.status >= 300) throw this.#refuse(path, answer)
    return this.#parse<T>(path, answer.body)
  }

  /** All items below a key, page by page. Starts again if the marker of a page was deleted. */
  async list<T>(path: string, key: string, options: ListOptions = {}): Promise<T[]> {
    for (let starts = 1; ; starts++) {
      const items: T[] = []
      try {
        for await (const page of this.pages<T>(path, key, options)) for (const item of page) items.push(item)
        return items
      } catch (error) {
        const isLost = error instanceof CloudFailure && error.status === 400 && /marker/i.test(error.message)
        if (!isLost || items.length === 0 || starts >= FRESH_STARTS_MAX) throw error
      }
    }
  }

  async *pages<T>(
    path: string,
    key: string,
    { query = {}, paging = 'links' }: ListOptions = {},
  ): AsyncGenerator<T[]> {
    const limited = paging === 'none' ? query : { limit: String(PAGE), ...query }
    let next: Readonly<Record<string, string>> | null = limited
    let count = 0
    for (let pages = 0; next !== null; pages++) {
      if (pages === PAGES_MAX) throw new CloudFailure(`${this.title}: ${path} has no end`)
      const asked: Readonly<Record<string, string>> = next
      const document: Readonly<Record<string, unknown>> = await this.get(path, asked)
      const items = ownValue(document, key)
      if (!Array.isArray(items))
        throw new CloudFailure(`${this.title}: the answer to ${path} has no list ${key}`)
      count += items.length
      yield items as T[]
      if (paging === 'links') next = nextQuery(document, key, asked)
      else next = paging === 'none' || items.length === 0 ? null : { ...limited, offset: String(count) }
    }
  }

  /** Renews an invalid token once. */
  async #ask(url: string): Promise<HttpAnswer> {
    const { session, client, type } = this.#parts
    const { versionHeader } = serviceFacts[type]
    const version = this.minor === null || versionHeader === null ? {} : versionHeader(`2.${this.minor}`)
    const send = async (token: string | null) =>
      client.send({
        method: 'GET',
        url,
        headers: { ...(token === null ? {} : { 'x-auth-token': token }), ...version },
        service: this.title,
      })
    const token = await session.token()
    const answer = await send(token)
    if (answer.status !== 401) return answer
    session.drop(token)
    return send(await session.token())
  }

  async #readVersions(): Promise<unknown> {
    const { root } = this.#parts.endpoint
    const answer = await this.#ask(`${root}/`)
    // 300: several versions to choose from.
    if (answer.status > 300) throw this.#refuse('/', answer)
    return this.#parse('/', answer.body)
  }

  #refuse(path: string, { status, headers, body }: HttpAnswer): CloudFailure {
    const { message } = parseRefusal(status, headers.get('content-type'), body)
    const remedy = status === 403 ? '; the user needs the role admin in this cloud' : ''
    return new CloudFailure(`${this.title} refuses GET ${path} (${status}): ${message}${remedy}`, status)
  }

  #parse<T>(path: string, body: string): T {
    try {
      return JSON.parse(body) as T
    } catch (error) {
      throw new CloudFailure(`${this.title}: the answer to GET ${path} is not JSON`, null, { cause: error })
    }
  }
}

interface VersionDocument {
  readonly version?: VersionEntry
  readonly versions?: readonly VersionEntry[]
}
interface VersionEntry {
  readonly version?: string
  readonly max_version?: string
}

/** The newest minor of major 2. */
function parseNewest(document: unknown): number | null {
  const { version, versions = [] } = document as VersionDocument
  const minors = (version === undefined ? versions : [version])
    .map(one => (one.version ?? one.max_version ?? '').split('.'))
    .filter(([major]) => major === '2')
    .map(([, minor]) => Number(minor))
  return minors.length === 0 ? null : Math.max(...minors)
}

/**
 * The query of the next page. Only that is taken of its address, whose host is often wrong behind a proxy; one that asks the same again
 * is the end.
 */
function nextQuery(
  document: Readonly<Record<string, unknown>>,
  key: string,
  asked: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  const links = ownValue(document, `${key}_links`)
  const href = Array.isArray(links)
    ? (links as { rel?: string; href?: string }[]).find(link => link.rel === 'next')?.href
    : ownValue(document, 'next')
  if (typeof href !== 'string') return null
  const at = href.indexOf('?')
  const query = Object.fromEntries(new URLSearchParams(at === -1 ? '' : href.slice(at + 1)))
  const isSame = query.marker === asked.marker && query.offset === asked.offset
  return isSame ? null : { ...asked, ...query }
}
