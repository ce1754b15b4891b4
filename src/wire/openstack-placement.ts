/** Answers of the Placement API that the command line and the console read. */
import type { Inventory } from './fleet.ts'

/** The newest version of the Placement API, which command line and console ask for. */
export const PLACEMENT_MINOR_NEWEST = 40
export type PlacementVersion = `placement 1.${typeof PLACEMENT_MINOR_NEWEST}`

export interface Provider {
  readonly uuid: string
  readonly name: string
  readonly generation: number
  readonly parent_provider_uuid: string | null
  readonly root_provider_uuid: string
}

export type ByClass<T> = Readonly<Record<string, T>>

export interface Inventories {
  readonly resource_provider_generation: number
  readonly inventories: ByClass<Inventory>
}

export interface ProviderTraits {
  readonly resource_provider_generation: number
  readonly traits: readonly string[]
}

export interface ProviderAggregates {
  readonly resource_provider_generation: number
  readonly aggregates: readonly string[]
}

/** By the uuid of the provider, or of the consumer. */
type Allocations = Readonly<Record<string, { readonly resources: ByClass<number> }>>

/** By consumer. */
export interface ProviderAllocations {
  readonly resource_provider_generation: number
  readonly allocations: Allocations
}

export interface ConsumerAllocations {
  readonly allocations: Allocations
  readonly project_id?: string
  readonly user_id?: string
  readonly consumer_generation?: number | null
  readonly consumer_type?: string
}

export interface AllocationsToSet extends ConsumerAllocations {
  readonly project_id: string
  readonly user_id: string
  readonly consumer_generation: number | null
}

export interface CandidatesAnswer {
  readonly allocation_requests: readonly {
    readonly allocations: Allocations
    /** By the suffix of the group, the providers that serve it. */
    readonly mappings?: Readonly<Record<string, readonly string[]>>
  }[]
  readonly provider_summaries: Readonly<
    Record<
      string,
      {
        readonly resources: ByClass<{ readonly capacity: number; readonly used: number }>
        readonly root_provider_uuid?: string
      }
    >
  >
}
