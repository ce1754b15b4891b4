import { Unreachable } from './failure.ts'
import type { HttpClient } from './http.ts'

/** A namespace as the images API shows it; what it holds is there only when it is asked for by itself. */
export interface Namespace {
  readonly namespace: string
  readonly display_name?: string
  readonly description?: string
  readonly visibility: string
  readonly protected: boolean
  readonly owner: string
  readonly resource_type_associations?: readonly Association[]
  readonly properties?: Readonly<Record<string, Property>>
  readonly objects?: readonly DefinedObject[]
  readonly tags?: readonly { readonly name: string }[]
}

export interface Association {
  readonly name: string
  readonly prefix?: string
  readonly properties_target?: string
}

export interface Property {
  readonly title: string
  readonly type: string
  readonly description?: string
  readonly operators?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly items?: { readonly type?: string; readonly enum?: readonly unknown[] }
  readonly minimum?: number
  readonly maximum?: number
}

export interface DefinedObject {
  readonly name: string
  readonly description?: string
  readonly properties: Readonly<Record<string, Property>>
}

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
  async namespaces(filters: Readonly<Record<string, string>> = {}): Promise<Namespace[]> {
    const query = new URLSearchParams({
      sort_key: 'namespace',
      sort_dir: 'asc',
      limit: `${PAGE}`,
      ...filters,
    })
    const found: Namespace[] = []
    let path: string | undefined = `${NAMESPACES}?${query}`
    while (path !== undefined) {
      const page: { namespaces: Namespace[]; next?: string } = await this.#http.json(
        'GET',
        this.#mount + path,
      )
      found.push(...page.namespaces)
      path = page.next
    }
    return found
  }

  /** With all that is in it; for a type of resource, with names as they are there. */
  namespace(name: string, resourceType: string | null = null): Promise<Namespace> {
    const query = resourceType === null ? '' : `?${new URLSearchParams({ resource_type: resourceType })}`
    return this.#http.json('GET', `${this.#of(name)}${query}`)
  }

  async deleteNamespace(name: string): Promise<void> {
    await this.#http.text(await this.#http.send('DELETE', this.#of(name)))
  }

  /** Lifts the protection and leaves all else as it is. */
  async unprotect(name: string): Promise<void> {
    const { namespace, display_name, description, visibility, owner } = await this.namespace(name)
    const json = { namespace, display_name, description, visibility, owner, protected: false }
    await this.#http.text(await this.#http.send('PUT', this.#of(name), { json }))
  }

  #of(name: string): string {
    return `${this.#mount}${NAMESPACES}/${encodeURIComponent(name)}`
  }
}
