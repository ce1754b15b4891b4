import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'

/** The whole content of a Placement, with names instead of numbers. */
export interface Ledger {
  /** Names of classes and traits, standard ones only where they are in use or known to both sides. */
  readonly classes: ReadonlySet<string>
  readonly traits: ReadonlySet<string>
  /** By uuid, parents before children. */
  readonly providers: ReadonlyMap<string, ProviderFields>
  readonly consumers: ReadonlyMap<string, ConsumerFields>
}

/** Something in a source that Berth cannot import. */
export interface Untakable {
  readonly what: string
  readonly reason: string
}

export interface ReadLedger {
  readonly ledger: Ledger
  readonly untakable: readonly Untakable[]
  /** Whether it has consumers without allocations: an API does not show them. */
  readonly showsIdle: boolean
}

export interface LedgerCounts {
  readonly resource_classes: number
  readonly traits: number
  readonly providers: number
  readonly inventories: number
  readonly consumers: number
  readonly allocations: number
}

export const isCustom = (name: string): boolean => name.startsWith('CUSTOM_')

export function countLedger({ classes, traits, providers, consumers }: Ledger): LedgerCounts {
  const sum = <T>(items: Iterable<T>, count: (item: T) => number) =>
    Iterator.from(items).reduce((total, item) => total + count(item), 0)
  return {
    resource_classes: [...classes].filter(isCustom).length,
    traits: [...traits].filter(isCustom).length,
    providers: providers.size,
    inventories: sum(providers.values(), one => Object.keys(one.inventories).length),
    consumers: consumers.size,
    allocations: sum(consumers.values(), ({ allocations }) =>
      sum(Object.values(allocations), one => Object.keys(one.resources).length),
    ),
  }
}

/** Without consumers that hold nothing, except those that the other side has. */
export function dropIdle(ledger: Ledger, other: Ledger): Ledger {
  const kept = [...ledger.consumers].filter(
    ([uuid, { allocations }]) => Object.keys(allocations).length > 0 || other.consumers.has(uuid),
  )
  return { ...ledger, consumers: new Map(kept) }
}

/** Sorts parents before children; omits providers whose parents are missing. */
export function orderByParents(providers: readonly ProviderFields[]): {
  readonly ordered: Map<string, ProviderFields>
  readonly lost: readonly ProviderFields[]
} {
  const ordered = new Map<string, ProviderFields>()
  const waiting = Map.groupBy(providers, one => one.parent_provider_uuid)
  const ready = [...(waiting.get(null) ?? [])]
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    ordered.set(next.uuid, next)
    ready.push(...(waiting.get(next.uuid) ?? []))
  }
  return { ordered, lost: providers.filter(one => !ordered.has(one.uuid)) }
}
