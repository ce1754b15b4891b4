import type { Inventory } from '../wire/fleet.ts'
import {
  type AllocationsToSet,
  type ByClass,
  type CandidatesAnswer,
  type ConsumerAllocations,
  type Inventories,
  PLACEMENT_MINOR_NEWEST,
  type Provider,
} from '../wire/openstack-placement.ts'
import { Unreachable } from './failure.ts'
import type { Ask, HttpClient } from './http.ts'

/** The oldest version that has all that these requests need. */
const MINOR_OLDEST = 39
/** The last version in which a consumer has no type. */
const MINOR_UNTYPED = 37

/** A header of requests to the Placement API: with the value `berth`, Berth answers a read from its own ledger while it shadows. */
export const OWN_HEADER = 'x-berth-side'

export const CONCURRENT_UPDATE = 'placement.concurrent_update'

/** Where the server has Placement, and what it speaks. */
interface PlacementPlace {
  /** Below the server's address: `/placement`, or nothing. */
  readonly mount: string
  readonly minorMax: number
  /** What Berth itself speaks, where a Placement that it shadows is older than needed. */
  readonly minorOwn?: number
}

/** Asks at `/placement/`, then at `/`, as operators run it alone. */
export async function findPlacement(http: HttpClient): Promise<PlacementPlace> {
  for (const mount of ['/placement', '']) {
    const minorMax = await readNewest(http, mount, {})
    if (minorMax === null) continue
    if (minorMax >= MINOR_OLDEST) return { mount, minorMax }
    const minorOwn = await readNewest(http, mount, OWN)
    if (minorOwn !== null && minorOwn >= MINOR_OLDEST) return { mount, minorMax, minorOwn }
    throw tooOld(http, minorMax, 'use a newer server')
  }
  throw new Unreachable(http.url, 'it has no Placement API, neither at /placement/ nor at /')
}

const OWN = { [OWN_HEADER]: 'berth' }

const tooOld = (http: HttpClient, minor: number, remedy: string): Unreachable =>
  new Unreachable(
    http.url,
    `it speaks Placement up to 1.${minor}, and 1.${MINOR_OLDEST} is needed: ${remedy}`,
  )

async function readNewest(
  http: HttpClient,
  mount: string,
  headers: Record<string, string>,
): Promise<number | null> {
  const answer = await http.ask('GET', `${mount}/`, { headers })
  const text = await http.text(answer)
  return answer.ok ? newestMinor(text) : null
}

/** The second number of the newest version in a version document; null when it is none of Placement. */
function newestMinor(text: string): number | null {
  try {
    const max: unknown = JSON.parse(text).versions[0].max_version
    const [, minor] = /^1\.(\d+)$/.exec(String(max)) ?? []
    return minor === undefined ? null : Number(minor)
  } catch {
    return null
  }
}

type Query = readonly (readonly [name: string, value: string])[]

/** The requests of the Placement API that the command line makes. */
export class Placement {
  readonly #http: HttpClient
  readonly #mount: string
  readonly #version: string
  readonly #place: PlacementPlace
  readonly #headers: Record<string, string>

  constructor(http: HttpClient, place: PlacementPlace, headers: Record<string, string> = {}) {
    const { mount, minorMax } = place
    this.#place = place
    this.#headers = headers
    this.#http = http
    this.#mount = mount
    this.#version = `1.${Math.min(PLACEMENT_MINOR_NEWEST, minorMax)}`
  }

  /** Berth's own ledger, also where a Placement that it shadows answers. */
  get own(): Placement {
    const { mount, minorMax, minorOwn = minorMax } = this.#place
    return new Placement(this.#http, { mount, minorMax: minorOwn }, OWN)
  }

  async providers(query: Query = []): Promise<readonly Provider[]> {
    const answer = await this.#get<{ resource_providers: Provider[] }>('/resource_providers', query)
    return answer.resource_providers.map(withoutLinks)
  }

  async provider(uuid: string): Promise<Provider> {
    return withoutLinks(await this.#get<Provider>(pathOf(uuid)))
  }

  async createProvider(body: {
    name: string
    uuid?: string
    parent_provider_uuid?: string
  }): Promise<Provider> {
    return withoutLinks(await this.#json<Provider>('POST', '/resource_providers', { json: body }))
  }

  async updateProvider(
    uuid: string,
    body: { name: string; parent_provider_uuid: string | null },
  ): Promise<Provider> {
    return withoutLinks(await this.#json<Provider>('PUT', pathOf(uuid), { json: body }))
  }

  deleteProvider(uuid: string): Promise<void> {
    return this.#do('DELETE', pathOf(uuid))
  }

  inventories(uuid: string): Promise<Inventories> {
    return this.#get(pathOf(uuid, 'inventories'))
  }

  setInventories(
    uuid: string,
    generation: number,
    inventories: ByClass<Partial<Inventory>>,
  ): Promise<Inventories> {
    const json = { resource_provider_generation: generation, inventories }
    return this.#json('PUT', pathOf(uuid, 'inventories'), { json })
  }

  deleteInventories(uuid: string): Promise<void> {
    return this.#do('DELETE', pathOf(uuid, 'inventories'))
  }

  deleteInventory(uuid: string, resourceClass: string): Promise<void> {
    return this.#do('DELETE', pathOf(uuid, 'inventories', resourceClass))
  }

  async usages(uuid: string): Promise<ByClass<number>> {
    return (await this.#get<{ usages: ByClass<number> }>(pathOf(uuid, 'usages'))).usages
  }

  /** By type of consumer: how many there are (`consumer_count`), and what they hold. */
  async projectUsages(
    project: string,
    user: string | null,
  ): Promise<Readonly<Record<string, ByClass<number>>>> {
    const query: Query = [['project_id', project], ...(user === null ? [] : [['user_id', user] as const])]
    return (await this.#get<{ usages: Record<string, ByClass<number>> }>('/usages', query)).usages
  }

  async traits(query: Query = []): Promise<readonly string[]> {
    return (await this.#get<{ traits: string[] }>('/traits', query)).traits
  }

  /** False when it was there already. */
  async createTrait(name: string): Promise<boolean> {
    return (await this.#send('PUT', `/traits/${encodeURIComponent(name)}`)).status === 201
  }

  deleteTrait(name: string): Promise<void> {
    return this.#do('DELETE', `/traits/${encodeURIComponent(name)}`)
  }

  providerTraits(uuid: string): Promise<{ traits: readonly string[]; resource_provider_generation: number }> {
    return this.#get(pathOf(uuid, 'traits'))
  }

  setProviderTraits(
    uuid: string,
    generation: number,
    traits: readonly string[],
  ): Promise<{ traits: readonly string[]; resource_provider_generation: number }> {
    return this.#json('PUT', pathOf(uuid, 'traits'), {
      json: { resource_provider_generation: generation, traits },
    })
  }

  aggregates(uuid: string): Promise<{ aggregates: readonly string[]; resource_provider_generation: number }> {
    return this.#get(pathOf(uuid, 'aggregates'))
  }

  setAggregates(
    uuid: string,
    generation: number,
    aggregates: readonly string[],
  ): Promise<{ aggregates: readonly string[]; resource_provider_generation: number }> {
    const json = { resource_provider_generation: generation, aggregates }
    return this.#json('PUT', pathOf(uuid, 'aggregates'), { json })
  }

  async resourceClasses(): Promise<readonly string[]> {
    const answer = await this.#get<{ resource_classes: { name: string }[] }>('/resource_classes')
    return answer.resource_classes.map(one => one.name)
  }

  /** False when it was there already. */
  async createResourceClass(name: string): Promise<boolean> {
    return (await this.#send('PUT', `/resource_classes/${encodeURIComponent(name)}`)).status === 201
  }

  deleteResourceClass(name: string): Promise<void> {
    return this.#do('DELETE', `/resource_classes/${encodeURIComponent(name)}`)
  }

  allocations(consumer: string): Promise<ConsumerAllocations> {
    return this.#get(`/allocations/${encodeURIComponent(consumer)}`)
  }

  /** A body without a type leaves the type of the consumer as it is. */
  setAllocations(consumer: string, body: AllocationsToSet): Promise<void> {
    const version = body.consumer_type === undefined ? `1.${MINOR_UNTYPED}` : this.#version
    return this.#do('PUT', `/allocations/${encodeURIComponent(consumer)}`, { json: body }, version)
  }

  /** Of several consumers in one write; without types, those that there are stay. */
  replaceAllocations(body: Readonly<Record<string, AllocationsToSet>>, isTyped: boolean): Promise<void> {
    const version = isTyped ? this.#version : `1.${MINOR_UNTYPED}`
    return this.#do('POST', '/allocations', { json: body }, version)
  }

  deleteAllocations(consumer: string): Promise<void> {
    return this.#do('DELETE', `/allocations/${encodeURIComponent(consumer)}`)
  }

  candidates(query: string, version: string | null): Promise<CandidatesAnswer> {
    return this.#json('GET', '/allocation_candidates', { query }, version ?? this.#version)
  }

  #get<T>(path: string, query: Query = []): Promise<T> {
    return this.#json('GET', path, { query: encodeQuery(query) })
  }

  async #do(method: string, path: string, ask: Ask = {}, version = this.#version): Promise<void> {
    const answer = await this.#send(method, path, ask, version)
    await this.#http.text(answer)
  }

  async #json<T>(method: string, path: string, ask: Ask = {}, version = this.#version): Promise<T> {
    this.#refuseOld()
    return this.#http.json(method, `${this.#mount}${path}`, {
      ...ask,
      headers: { ...this.#headers, ...versionHeader(version) },
    })
  }

  async #send(method: string, path: string, ask: Ask = {}, version = this.#version): Promise<Response> {
    this.#refuseOld()
    return this.#http.send(method, `${this.#mount}${path}`, {
      ...ask,
      headers: { ...this.#headers, ...versionHeader(version) },
    })
  }

  /** An older one gives other answers. */
  #refuseOld(): void {
    const { minorMax } = this.#place
    if (minorMax < MINOR_OLDEST)
      throw tooOld(
        this.#http,
        minorMax,
        'it shadows an older Placement, so only Berth’s own ledger can be read',
      )
  }
}

export const versionHeader = (version: string): Record<string, string> => ({
  'openstack-api-version': `placement ${version}`,
})

const pathOf = (uuid: string, ...below: string[]): string =>
  ['/resource_providers', uuid, ...below.map(encodeURIComponent)].join('/')

/** Without links, which are of no use once the answer is printed. */
const withoutLinks = ({
  uuid,
  name,
  generation,
  parent_provider_uuid,
  root_provider_uuid,
}: Provider): Provider => ({
  uuid,
  name,
  generation,
  parent_provider_uuid,
  root_provider_uuid,
})

/** Encoded with what Placement's values are made of left readable: commas, colons and exclamation marks. */
export function encodeQuery(query: Query): string {
  return query.map(([name, value]) => `${readable(name)}=${readable(value)}`).join('&')
}

function readable(text: string): string {
  return encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':')
}
