import type { MetadefNamespace } from '../wire/openstack-metadefs.ts'
import { Unreachable } from './failure.ts'
import type { HttpClient } from './http.ts'

/** Where the server has the images API: at `/image`, or at `/`, as operators run it alone. */
export async function findCatalog(http: HttpClient): Promise<string> {
  for (const mount of ['/image', '']) {
    const answer = await http.ask('GET', `${mount}/versions`)
    const text = await http.text(answer)
    if (answer.ok && isVersionList(text)) return mount
  }
  throw new Unreachable(http.url, 'it has no catalog, neither at /image/ nor at /')
}

function isVersionList(text: string): boolean {
  try {
    return /^v2\.\d+$/.test(JSON.parse(text).versions[0].id)
  } catch {
    return false
  }
}

const NAMESPACES = '/v2/metadefs/namespaces'
const PAGE = 500

/** The requests of the images API about metadata definitions that the command line makes. */
export class CatalogApi {
  readonly #http: HttpClient
  readonly #mount: string

  constructor(http: HttpClient, mount: string) {
    this.#http = http
    this.#mount = mount
  }

  /** In order of their names, page by page. */
  async namespaces(filters: Readonly<Record<string, string>> = {}): Promise<MetadefNamespace[]> {
    const query = new URLSearchParams({
      sort_key: 'namespace',
      sort_dir: 'asc',
      limit: `${PAGE}`,
      ...filters,
    })
    const found: MetadefNamespace[] = []
    let path: string | undefined = `${NAMESPACES}?${query}`
    while (path !== undefined) {
      const page: { namespaces: MetadefNamespace[]; next?: string } = await this.#http.json(
        'GET',
        this.#mount + path,
      )
      found.push(...page.namespaces)
      path = page.next
    }
    return found
  }

  /** With all that is in it; for a type of resource, with names as they are there. */
  namespace(name: string, resourceType: string | null = null): Promise<MetadefNamespace> {
    const query = resourceType === null ? '' : `?${new URLSearchParams({ resource_type: resourceType })}`
    return this.#http.json('GET', `${this.#of(name)}${query}`)
  }

  async deleteNamespace(name: string): Promise<void> {
    await this.#http.text(await this.#http.send('DELETE', this.#of(name)))
  }

  /** Removes the protection and changes nothing else. */
  async unprotect(name: string): Promise<void> {
    const { namespace, display_name, description, visibility, owner } = await this.namespace(name)
    const json = { namespace, display_name, description, visibility, owner, protected: false }
    await this.#http.text(await this.#http.send('PUT', this.#of(name), { json }))
  }

  #of(name: string): string {
    return `${this.#mount}${NAMESPACES}/${encodeURIComponent(name)}`
  }
}
