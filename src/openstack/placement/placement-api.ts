import { HttpClient } from '../../client/http.ts'
import { stripEnd } from '../../kernel/strip.ts'
import { SourceRefused } from './tables.ts'

/** The newest version that a Placement is asked in; an older one is asked in its own. */
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

  static async connect(url: string, token: string | null): Promise<PlacementApi> {
    const http = new HttpClient({ url: stripEnd(url, '/'), token })
    const { versions } = await http.json<{ versions: { max_version: string }[] }>('GET', '/')
    const minor = Number(versions[0]?.max_version.split('.')[1] ?? 0)
    if (minor < MINOR_MIN)
      throw new SourceRefused(`${url} speaks Placement up to 1.${minor}; 1.${MINOR_MIN} or newer is needed`)
    return new PlacementApi(http, Math.min(minor, MINOR_MAX))
  }

  get hasConsumerTypes(): boolean {
    return this.#minor >= MINOR_TYPES
  }

  get<T>(path: string): Promise<T> {
    return this.#http.json<T>('GET', path, { headers: this.#headers })
  }

  async send(method: 'PUT' | 'POST' | 'DELETE', path: string, json?: object): Promise<void> {
    const answer = await this.#http.send(method, path, { headers: this.#headers, json })
    await this.#http.text(answer)
  }

  get #headers(): Record<string, string> {
    return { 'openstack-api-version': `placement 1.${this.#minor}` }
  }
}
