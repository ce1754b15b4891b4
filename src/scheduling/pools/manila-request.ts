import { getOrCompute } from '../framework/memoize.ts'
import type { HintedUuids } from './hints.ts'
import type { PoolView } from './pool-view.ts'

/** A share as Manila's database has it. */
export interface ManilaShare {
  readonly uuid: string
  /** The pool of the instance that Manila shows for the share; null if it has none yet. */
  readonly host: string | null
  /** The pools of all instances: replicas, and the copy of a share that is being moved. */
  readonly hosts: readonly string[]
  readonly status: string | null
  readonly is_moving: boolean
  /** The hints in its metadata; lists that are too long for the metadata are cut. */
  readonly hints: HintedUuids
}

interface ManilaPool {
  /** `host@backend#pool` */
  readonly host: string
  /** The sum of Manila's weighers so far; higher is better. */
  readonly weight?: number
  readonly free_gb?: number | null
}

/**
 * What Manila's scheduler knows about a share that it must place. Here Manila is authoritative for shares and
 * pools, not the world.
 */
export interface ManilaRequest {
  readonly operation: 'create' | 'replica' | 'move'
  readonly share: ManilaShare
  /** As the user gave them or, for an existing share, as its metadata has them. */
  readonly hints: HintedUuids
  /** An admin overrides the hints. */
  readonly force: boolean
  /** Other shares, as far as the request describes them. */
  readonly shares: readonly ManilaShare[]
  /** Uuids of shares that Manila does not have. */
  readonly missing: readonly string[]
  readonly pools: readonly ManilaPool[]
}

/** `host@backend` of `host@backend#pool`: pools of one back end are one host. */
export function toBackend(host: string): string {
  const end = host.indexOf('#')
  return end < 0 ? host : host.slice(0, end)
}

/** Back ends by number, so that filters compare numbers as they do for Berth's own pools. */
export class BackendNumbers {
  readonly #known = new Map<string, number>()

  getNumber(backend: string): number {
    return getOrCompute(this.#known, backend, () => this.#known.size + 1)
  }
}

const NO_AGGREGATES: PoolView['aggregates'] = []

/** The pool for filters of hints. Capacity and capabilities are checked by Manila's own filters, before these. */
export function makePoolView({ host, free_gb }: ManilaPool, at: number, numbers: BackendNumbers): PoolView {
  const backend = toBackend(host)
  return {
    name: host,
    id: at,
    backend,
    backendId: numbers.getNumber(backend),
    isEnabled: true,
    disabledReason: null,
    zone: '',
    totalGb: free_gb ?? 0,
    reservedGb: 0,
    usedGb: 0,
    ratio: 1,
    capabilities: {},
    aggregates: NO_AGGREGATES,
  }
}

/** The positions of the pools, best first: by weight, then by free space, then in Manila's order. */
export function rankManilaPools(pools: readonly ManilaPool[]): number[] {
  const weight = (at: number) => pools[at]?.weight ?? 0
  const freeGb = (at: number) => pools[at]?.free_gb ?? 0
  return [...pools.keys()].sort((a, b) => weight(b) - weight(a) || freeGb(b) - freeGb(a) || a - b)
}
