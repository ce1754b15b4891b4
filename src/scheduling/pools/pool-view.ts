import type { Filter } from '../framework/filter.ts'
import type { JsonValue } from '../framework/json-value.ts'
import type { Weigher } from '../framework/weigher.ts'
import type { AggregateView } from '../hosts/host-view.ts'

/** What filters and weighers may know of a pool of a share back end. */
export interface PoolView {
  /** `host@backend#pool` */
  readonly name: string
  /** The number of its provider. */
  readonly id: number
  /** `host@backend`: pools of one back end are one host. */
  readonly backend: string
  readonly backendId: number
  readonly isEnabled: boolean
  readonly disabledReason: string | null
  readonly zone: string
  readonly totalGb: number
  readonly reservedGb: number
  readonly usedGb: number
  /** How much may be given out of what is not reserved. */
  readonly ratio: number
  readonly capabilities: Readonly<Record<string, JsonValue>>
  /** Pools are in none. */
  readonly aggregates: readonly AggregateView[]
}

/** A share that a hint names, and the back ends where it is and where it may be going. */
export interface HintedShare {
  readonly uuid: string
  readonly backendId: number | null
  readonly backend: string | null
  readonly nextBackendId: number | null
  /** Nobody will ask its hints again before it is there. */
  readonly isLeaving: boolean
}

/** A share that is to be placed. */
export interface ShareRequest {
  readonly operation: 'create' | 'migrate'
  /** What it needs there beyond what it holds already. */
  readonly sizeGb: number
  readonly extraSpecs: ReadonlyMap<string, string>
  readonly zone: string | null
  readonly onlyHost: string | null
  readonly snapshot: {
    readonly uuid: string
    readonly backendId: number
    readonly backend: string
    readonly pool: string
    readonly zone: string
  } | null
  readonly sameHost: readonly HintedShare[]
  readonly differentHost: readonly HintedShare[]
}

interface PoolSettings {
  readonly weightMultipliers: Readonly<Record<string, number>>
}

export const POOL_SETTINGS: PoolSettings = { weightMultipliers: {} }

export type PoolFilter = Filter<PoolView, ShareRequest, PoolSettings>
export type PoolWeigher = Weigher<PoolView, ShareRequest, PoolSettings>

/** What may still be given out. A type that wants its space for real cannot have space that is given out twice. */
export function freeGbOf(pool: PoolView, isThick: boolean): number {
  return Math.trunc((pool.totalGb - pool.reservedGb) * (isThick ? 1 : pool.ratio)) - pool.usedGb
}
