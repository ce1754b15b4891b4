import type { Flavor, HostAggregate } from '../wire/openstack-compute.ts'
import { Unreachable } from './failure.ts'
import type { Ask, HttpClient } from './http.ts'

const VERSION = { 'openstack-api-version': 'compute 2.86' }

/** Where the server has the compute API: at `/compute`, or at `/`, as operators run it alone. */
export async function findCompute(http: HttpClient): Promise<string> {
  for (const mount of ['/compute', '']) {
    const answer = await http.ask('GET', `${mount}/v2.1/`)
    const text = await http.text(answer)
    if (answer.ok && isVersion(text)) return `${mount}/v2.1`
  }
  throw new Unreachable(http.url, 'it has no compute API, neither at /compute/ nor at /')
}

function isVersion(text: string): boolean {
  try {
    return JSON.parse(text).version.id === 'v2.1'
  } catch {
    return false
  }
}

/** The requests of the compute API that the command line makes. */
export class ComputeApi {
  readonly #http: HttpClient
  readonly #root: string
  /** Hears what the server has to say about what it took. */
  readonly #warn: (text: string) => void

  constructor(http: HttpClient, root: string, warn: (text: string) => void) {
    this.#http = http
    this.#root = root
    this.#warn = warn
  }

  /** Public or not, in the order of ids, page by page. */
  async flavors(): Promise<Flavor[]> {
    const found: Flavor[] = []
    for (;;) {
      const marker = found.at(-1)?.id
      const query = new URLSearchParams({
        is_public: 'None',
        ...(marker === undefined ? {} : { marker }),
      })
      const page = await this.#ask<{ flavors: Flavor[] }>('GET', '/flavors/detail', {
        query: query.toString(),
      })
      if (page.flavors.length === 0) return found
      found.push(...page.flavors)
    }
  }

  async createFlavor(fields: Readonly<Record<string, unknown>>): Promise<Flavor> {
    return (await this.#ask<{ flavor: Flavor }>('POST', '/flavors', { json: { flavor: fields } })).flavor
  }

  async describeFlavor(id: string, description: string | null): Promise<void> {
    await this.#ask('PUT', `/flavors/${encodeURIComponent(id)}`, { json: { flavor: { description } } })
  }

  async deleteFlavor(id: string): Promise<void> {
    await this.#ask('DELETE', `/flavors/${encodeURIComponent(id)}`)
  }

  async setExtraSpecs(id: string, extra_specs: Readonly<Record<string, string>>): Promise<void> {
    await this.#ask('POST', `/flavors/${encodeURIComponent(id)}/os-extra_specs`, { json: { extra_specs } })
  }

  async deleteExtraSpec(id: string, key: string): Promise<void> {
    const path = `/flavors/${encodeURIComponent(id)}/os-extra_specs/${encodeURIComponent(key)}`
    await this.#ask('DELETE', path)
  }

  async aggregates(): Promise<HostAggregate[]> {
    return (await this.#ask<{ aggregates: HostAggregate[] }>('GET', '/os-aggregates')).aggregates
  }

  /** Those of all projects, if the caller may see them. */
  async serverGroups(): Promise<{ readonly id: string; readonly name: string }[]> {
    const query = 'all_projects=true'
    return (
      await this.#ask<{ server_groups: { id: string; name: string }[] }>('GET', '/os-server-groups', {
        query,
      })
    ).server_groups
  }

  async createAggregate(fields: Readonly<Record<string, unknown>>): Promise<{ readonly id: number }> {
    const json = { aggregate: fields }
    return (await this.#ask<{ aggregate: { id: number } }>('POST', '/os-aggregates', { json })).aggregate
  }

  async changeAggregate(id: number, fields: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#ask('PUT', `/os-aggregates/${id}`, { json: { aggregate: fields } })
  }

  async deleteAggregate(id: number): Promise<void> {
    await this.#ask('DELETE', `/os-aggregates/${id}`)
  }

  async actOnAggregate(id: number, action: Readonly<Record<string, unknown>>): Promise<HostAggregate> {
    const path = `/os-aggregates/${id}/action`
    return (await this.#ask<{ aggregate: HostAggregate }>('POST', path, { json: action })).aggregate
  }

  async #ask<T>(method: string, path: string, ask: Ask = {}): Promise<T> {
    const answer = await this.#http.send(method, this.#root + path, { ...ask, headers: VERSION })
    const warning = answer.headers.get('berth-warning')
    if (warning !== null) this.#warn(warning)
    const text = await this.#http.text(answer)
    return (text === '' ? null : JSON.parse(text)) as T
  }
}
