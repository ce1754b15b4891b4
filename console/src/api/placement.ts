import type { CandidatesAnswer, FleetProvider, Inventory } from './berth.ts'
import { askJson, pathOf } from './http.ts'

/** The newest version that the real service has, and the one with Berth's own reading of in_tree. */
const VERSION = 'placement 1.40'
const headers = { 'openstack-api-version': VERSION }

const at = (uuid: string, part = ''): string => pathOf`/placement/resource_providers/${uuid}` + part

export interface ProviderSummary {
  readonly uuid: string
  readonly name: string
  readonly generation: number
  readonly parent_provider_uuid: string | null
  readonly root_provider_uuid: string
}

export const readProvider = (uuid: string): Promise<ProviderSummary> => askJson(at(uuid), { headers })

export interface Inventories {
  readonly resource_provider_generation: number
  readonly inventories: Readonly<Record<string, Inventory>>
}

export const readInventories = (uuid: string): Promise<Inventories> =>
  askJson(at(uuid, '/inventories'), { headers })

export const writeInventories = (
  uuid: string,
  generation: number,
  inventories: Readonly<Record<string, Inventory>>,
): Promise<Inventories> =>
  askJson(at(uuid, '/inventories'), {
    method: 'PUT',
    headers,
    body: { resource_provider_generation: generation, inventories },
  })

export interface Traits {
  readonly resource_provider_generation: number
  readonly traits: readonly string[]
}

export const readTraits = (uuid: string): Promise<Traits> => askJson(at(uuid, '/traits'), { headers })

export const writeTraits = (uuid: string, generation: number, traits: readonly string[]): Promise<Traits> =>
  askJson(at(uuid, '/traits'), {
    method: 'PUT',
    headers,
    body: { resource_provider_generation: generation, traits },
  })

export const makeTrait = (name: string): Promise<unknown> =>
  askJson(`/placement/traits/${encodeURIComponent(name)}`, { method: 'PUT', headers })

export interface Aggregates {
  readonly resource_provider_generation: number
  readonly aggregates: readonly string[]
}

export const readAggregates = (uuid: string): Promise<Aggregates> =>
  askJson(at(uuid, '/aggregates'), { headers })

export const writeAggregates = (
  uuid: string,
  generation: number,
  aggregates: readonly string[],
): Promise<Aggregates> =>
  askJson(at(uuid, '/aggregates'), {
    method: 'PUT',
    headers,
    body: { resource_provider_generation: generation, aggregates },
  })

export const renameProvider = (uuid: string, name: string, parent: string | null): Promise<ProviderSummary> =>
  askJson(at(uuid), { method: 'PUT', headers, body: { name, parent_provider_uuid: parent } })

/** By consumer. */
export interface ProviderAllocations {
  readonly resource_provider_generation: number
  readonly allocations: Readonly<Record<string, { readonly resources: Readonly<Record<string, number>> }>>
}

export const readProviderAllocations = (uuid: string): Promise<ProviderAllocations> =>
  askJson(at(uuid, '/allocations'), { headers })

export interface ConsumerAllocations {
  readonly allocations: Readonly<Record<string, { readonly resources: Readonly<Record<string, number>> }>>
  readonly project_id?: string
  readonly user_id?: string
  readonly consumer_type?: string
}

export const readConsumer = (uuid: string): Promise<ConsumerAllocations> =>
  askJson(pathOf`/placement/allocations/${uuid}`, { headers })

export const readTraitNames = async (): Promise<readonly string[]> =>
  (await askJson<{ traits: string[] }>('/placement/traits', { headers })).traits

export const readClassNames = async (): Promise<readonly string[]> =>
  (
    await askJson<{ resource_classes: { name: string }[] }>('/placement/resource_classes', { headers })
  ).resource_classes.map(({ name }) => name)

export const readCandidates = (query: string, version = VERSION): Promise<CandidatesAnswer> =>
  askJson(`/placement/allocation_candidates?${query}`, { headers: { 'openstack-api-version': version } })

export type { FleetProvider, Inventory }
