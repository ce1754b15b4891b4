import { Garbled, Refused, Unreachable } from '../../client/failure.ts'
import { HttpClient } from '../../client/http.ts'
import { stripEnd } from '../../kernel/strip.ts'
import { SourceRefused } from './tables.ts'

/** The newest version to use. An older Placement is asked in its own newest version. */
const MINOR_MAX = 39
/** The first with generations of consumers and empty allocations. */
const MINOR_MIN = 28
const MINOR_TYPES = 38

/** The API of a Placement, in the newest version that both sides speak. */
export class PlacementApi {
  readonly #http: HttpClient
  readonly #minor: number

  private constructor(http: HttpClient, minor: number) {
    this.#http = http
    this.#minor = minor
  }

  static async connect(
    url: string,
    token: string | null,
    fetch?: typeof globalThis.fetch,
  ): Promise<PlacementApi> {
    if (/^[^/]+\/\/[^/?#]*@/.test(url))
      throw new SourceRefused('the address of an API has no user and password: give a token instead')
    const http = new HttpClient({ url: stripEnd(url, '/'), token, ...(fetch && { fetch }) })
    const { versions } = await named(
      http.json<{ versions?: { max_version: string }[] }>('GET', '/'),
      http.url,
    )
    const minor = Number(versions?.[0]?.max_version.split('.')[1] ?? 0)
    if (minor < MINOR_MIN)
      throw new SourceRefused(`${url} speaks Placement up to 1.${minor}; 1.${MINOR_MIN} or newer is needed`)
    return new PlacementApi(http, Math.min(minor, MINOR_MAX))
  }

  get hasConsumerTypes(): boolean {
    return this.#minor >= MINOR_TYPES
  }

  get<T>(path: string): Promise<T> {
    return named(this.#http.json<T>('GET', path, { headers: this.#headers }), this.#http.url)
  }

  /** For requests whose answer has no content that matters. */
  send(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, json?: object): Promise<void> {
    return this.#send(method, path, json, this.#headers)
  }

  /** In a version that knows no consumer types: later ones cannot name that of a consumer without one. */
  putUntyped(path: string, json: object): Promise<void> {
    return this.#send('PUT', path, json, versionHeader(Math.min(this.#minor, MINOR_TYPES - 1)))
  }

  async #send(method: string, path: string, json: object | undefined, headers: VersionHeader): Promise<void> {
    await this.#http.text(await named(this.#http.send(method, path, { headers, json }), this.#http.url))
  }

  get #headers(): VersionHeader {
    return versionHeader(this.#minor)
  }
}

type VersionHeader = Record<string, string>

const versionHeader = (minor: number): VersionHeader => ({ 'openstack-api-version': `placement 1.${minor}` })

/** Failures that would look like those of Berth itself name the Placement instead. */
async function named<T>(answer: Promise<T>, url: string): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Refused && (error.status === 401 || error.status === 403))
      throw new SourceRefused(
        `${url} refuses the token (${error.message}): give one of an admin with --placement-token or BERTH_PLACEMENT_TOKEN`,
      )
    if (
      error instanceof Unreachable ||
      error instanceof Garbled ||
      (error instanceof Refused && error.status >= 500)
    )
      throw new SourceRefused(`${url}: ${error.message}`)
    throw error
  }
}
