import type { Inventory } from '../../../src/wire/fleet.ts'
import type {
  CandidatesAnswer,
  ConsumerAllocations,
  Inventories,
  PlacementVersion,
  Provider,
  ProviderAggregates,
  ProviderAllocations,
  ProviderTraits,
} from '../../../src/wire/openstack-placement.ts'
import { askJson, pathOf } from './http.ts'

export const PLACEMENT_VERSION: PlacementVersion = 'placement 1.40'
const headers = { 'openstack-api-version': PLACEMENT_VERSION }

const at = (uuid: string, part = ''): string => pathOf`/placement/resource_providers/${uuid}` + part

export const readProvider = (uuid: string): Promise<Provider> => askJson(at(uuid), { headers })

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

export const readTraits = (uuid: string): Promise<ProviderTraits> => askJson(at(uuid, '/traits'), { headers })

export const writeTraits = (
  uuid: string,
  generation: number,
  traits: readonly string[],
): Promise<ProviderTraits> =>
  askJson(at(uuid, '/traits'), {
    method: 'PUT',
    headers,
    body: { resource_provider_generation: generation, traits },
  })

export const makeTrait = (name: string): Promise<unknown> =>
  askJson(`/placement/traits/${encodeURIComponent(name)}`, { method: 'PUT', headers })

export const readAggregates = (uuid: string): Promise<ProviderAggregates> =>
  askJson(at(uuid, '/aggregates'), { headers })

export const writeAggregates = (
  uuid: string,
  generation: number,
  aggregates: readonly string[],
): Promise<ProviderAggregates> =>
  askJson(at(uuid, '/aggregates'), {
    method: 'PUT',
    headers,
    body: { resource_provider_generation: generation, aggregates },
  })

export const readProviderAllocations = (uuid: string): Promise<ProviderAllocations> =>
  askJson(at(uuid, '/allocations'), { headers })

export const readConsumer = (uuid: string): Promise<ConsumerAllocations> =>
  askJson(pathOf`/placement/allocations/${uuid}`, { headers })

export const readTraitNames = async (): Promise<readonly string[]> =>
  (await askJson<{ traits: string[] }>('/placement/traits', { headers })).traits

export const readClassNames = async (): Promise<readonly string[]> =>
  (
    await askJson<{ resource_classes: { name: string }[] }>('/placement/resource_classes', { headers })
  ).resource_classes.map(({ name }) => name)

export const readCandidates = (query: string, version = PLACEMENT_VERSION): Promise<CandidatesAnswer> =>
  askJson(`/placement/allocation_candidates?${query}`, { headers: { 'openstack-api-version': version } })
