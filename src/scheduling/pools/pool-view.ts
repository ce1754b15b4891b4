import type { Filter } from '../framework/filter.ts'
import type { JsonValue } from '../framework/json-value.ts'
import type { Facts, ReasonDefinition } from '../framework/refusal.ts'
import type { Weigher } from '../framework/weigher.ts'
import type { AggregateView } from '../hosts/host-view.ts'

/** What filters and weighers can read of a pool of a share back end. */
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
  /** How much of the unreserved space may be allocated. */
  readonly ratio: number
  readonly capabilities: Readonly<Record<string, JsonValue>>
  /** Always empty: pools are not in aggregates. */
  readonly aggregates: readonly AggregateView[]
}

/** A share that a hint names, and the back ends where it is and where it is being moved. */
export interface HintedShare {
  readonly uuid: string
  readonly backendId: number | null
  readonly backend: string | null
  readonly nextBackendId: number | null
  /** True if its hints will not be checked again before it arrives. */
  readonly isLeaving: boolean
}

/** A share that is to be placed. */
export interface ShareRequest {
  readonly operation: 'create' | 'migrate'
  /** The space that it needs in addition to what it holds already. */
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

/** The text of a pool filter for users, who must not learn about back ends. */
interface PoolReason<F extends Facts = Facts, Code extends string = string>
  extends ReasonDefinition<F, Code> {
  memberText(facts: NoInfer<F>): string
}

export const definePoolReason = <F extends Facts, const Code extends string>(
  definition: PoolReason<F, Code>,
): PoolReason<F, Code> => definition

export interface PoolFilter<Code extends string = string>
  extends Filter<PoolView, ShareRequest, PoolSettings, Code> {
  readonly reasons: readonly PoolReason<Facts, Code>[]
  /** Manila's number for messages that name the filter; absent where it has none. */
  readonly messageDetail?: string
}

/** A verdict with a reason that `reasons` does not have is a type error. */
export const definePoolFilter = <Code extends string>(filter: PoolFilter<Code>): PoolFilter => filter

export type PoolWeigher = Weigher<PoolView, ShareRequest, PoolSettings>

/** The free space. Thick types cannot have over-subscribed space. */
export function computeFreeGb(pool: PoolView, isThick: boolean): number {
  return Math.trunc((pool.totalGb - pool.reservedGb) * (isThick ? 1 : pool.ratio)) - pool.usedGb
}
