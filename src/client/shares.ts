import type { Share, ShareAccessRule, SharePool, ShareType } from '../wire/openstack-shares.ts'
import type { ExplainedShare, NewShareExplanation, ShareExplanation } from '../wire/share-explanation.ts'
import { Unreachable } from './failure.ts'
import type { Ask, HttpClient } from './http.ts'

const VERSION = {
  'x-openstack-manila-api-version': '2.72',
  'x-openstack-manila-api-experimental': 'True',
}

/** Where the server has the share API: at `/share`, or at `/`, as operators run it alone. */
export async function findShares(http: HttpClient): Promise<string> {
  for (const mount of ['/share', '']) {
    const answer = await http.ask('GET', `${mount}/v2/`)
    const text = await http.text(answer)
    if (answer.ok && text.includes('"v2.0"')) return `${mount}/v2`
  }
  throw new Unreachable(http.url, 'it has no share API, neither at /share/ nor at /')
}

/** The requests of the share API that the command line makes. */
export class ShareApi {
  readonly #http: HttpClient
  readonly #root: string
  readonly #warn: (text: string) => void

  /** `warn` gets what the server says about requests that it accepts. */
  constructor(http: HttpClient, root: string, warn: (text: string) => void) {
    this.#http = http
    this.#root = root
    this.#warn = warn
  }

  /** The newest first, page by page. */
  async shares(allProjects: boolean): Promise<Share[]> {
    const found: Share[] = []
    for (;;) {
      const query = new URLSearchParams({
        limit: '1000',
        offset: String(found.length),
        ...(allProjects ? { all_tenants: '1' } : {}),
      })
      const { shares } = await this.#ask<{ shares: Share[] }>('GET', '/shares/detail', {
        query: query.toString(),
      })
      found.push(...shares)
      if (shares.length < 1000) return found
    }
  }

  async share(id: string): Promise<Share> {
    return (await this.#ask<{ share: Share }>('GET', `/shares/${encodeURIComponent(id)}`)).share
  }

  /** The user messages about a share, newest first. */
  async messagesAbout(id: string, level?: 'ERROR'): Promise<string[]> {
    const filter = level === undefined ? {} : { message_level: level }
    const query = new URLSearchParams({ resource_id: id, ...filter }).toString()
    const { messages } = await this.#ask<{ messages: { user_message: string; created_at: string }[] }>(
      'GET',
      '/messages',
      { query },
    )
    const newestFirst = messages.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
    return newestFirst.map(({ user_message }) => user_message)
  }

  async createShare(fields: Readonly<Record<string, unknown>>): Promise<Share> {
    return (await this.#ask<{ share: Share }>('POST', '/shares', { json: { share: fields } })).share
  }

  async deleteShare(id: string): Promise<void> {
    await this.#ask('DELETE', `/shares/${encodeURIComponent(id)}`)
  }

  async act(id: string, action: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#ask('POST', `/shares/${encodeURIComponent(id)}/action`, { json: action })
  }

  async accessRules(share: string): Promise<ShareAccessRule[]> {
    const query = new URLSearchParams({ share_id: share }).toString()
    return (await this.#ask<{ access_list: ShareAccessRule[] }>('GET', '/share-access-rules', { query }))
      .access_list
  }

  async allowAccess(share: string, rule: Readonly<Record<string, unknown>>): Promise<ShareAccessRule> {
    const path = `/shares/${encodeURIComponent(share)}/action`
    return (await this.#ask<{ access: ShareAccessRule }>('POST', path, { json: { allow_access: rule } }))
      .access
  }

  async setTypeSpecs(id: string, extra_specs: Readonly<Record<string, string>>): Promise<void> {
    await this.#ask('POST', `/types/${encodeURIComponent(id)}/extra_specs`, { json: { extra_specs } })
  }

  async types(): Promise<ShareType[]> {
    return (await this.#ask<{ share_types: ShareType[] }>('GET', '/types', { query: 'is_public=all' }))
      .share_types
  }

  async pools(): Promise<SharePool[]> {
    return (await this.#ask<{ pools: SharePool[] }>('GET', '/scheduler-stats/pools/detail')).pools
  }

  /** Berth's own, below /v1. */
  explain(id: string): Promise<ExplainedShare> {
    return this.#http.json('GET', `/v1/explain/share/${encodeURIComponent(id)}`)
  }

  async dryRun(request: Readonly<Record<string, unknown>>): Promise<ShareExplanation> {
    const explained = await this.#http.json<NewShareExplanation>('POST', '/v1/explain/share', {
      json: request,
    })
    for (const { code, text } of explained.warnings) this.#warn(`${code}: ${text}`)
    return explained
  }

  async #ask<T>(method: string, path: string, ask: Ask = {}): Promise<T> {
    const answer = await this.#http.send(method, this.#root + path, { ...ask, headers: VERSION })
    const warning = answer.headers.get('berth-warning')
    if (warning !== null) this.#warn(warning)
    const text = await this.#http.text(answer)
    return (text === '' ? null : JSON.parse(text)) as T
  }
}
