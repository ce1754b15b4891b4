import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Ledger } from '../placement/ledger.ts'
import { type Resources, resourcesText } from './finding.ts'

/** What a consumer holds of one provider. */
export interface Held {
  readonly provider: ProviderFields
  readonly root: string
  readonly resources: Resources
}

/** A ledger by trees, sharing providers and usage. Consumers are counted before anything is asked about them. */
export class LedgerTrees {
  readonly ledger: Ledger
  readonly #roots = new Map<string, string>()
  readonly #members = new Map<string, ProviderFields[]>()
  readonly #sharing: readonly ProviderFields[]
  readonly #holders = new Map<string, Set<string>>()
  readonly #used = new Map<string, number>()
  readonly #reachable = new Map<string, readonly ProviderFields[]>()

  constructor(ledger: Ledger) {
    this.ledger = ledger
    // Parents come before their children.
    for (const one of ledger.providers.values()) {
      const root = one.parent_provider_uuid === null ? one.uuid : this.rootOf(one.parent_provider_uuid)
      this.#roots.set(one.uuid, root)
      const members = this.#members.get(root)
      if (members === undefined) this.#members.set(root, [one])
      else members.push(one)
    }
    this.#sharing = [...ledger.providers.values()].filter(isSharing)
  }

  /** Sums up what consumers hold; a step for each of them. */
  *countConsumers(): Generator<void> {
    for (const consumer of this.ledger.consumers.values()) {
      this.#count(consumer)
      yield
    }
  }

  #count({ uuid, allocations }: ConsumerFields): void {
    for (const [provider, { resources }] of Object.entries(allocations)) {
      const root = this.rootOf(provider)
      const holders = this.#holders.get(root)
      if (holders === undefined) this.#holders.set(root, new Set([uuid]))
      else holders.add(uuid)
      for (const [name, amount] of Object.entries(resources)) {
        const key = `${provider} ${name}`
        this.#used.set(key, (this.#used.get(key) ?? 0) + amount)
      }
    }
  }

  rootOf(provider: string): string {
    return this.#roots.get(provider) ?? provider
  }

  /** The root first. */
  membersOf(root: string): readonly ProviderFields[] {
    return this.#members.get(root) ?? []
  }

  get roots(): readonly ProviderFields[] {
    return [...this.ledger.providers.values()].filter(one => one.parent_provider_uuid === null)
  }

  /** The consumers that hold something in a tree. */
  holdersOf(root: string): ReadonlySet<string> {
    return this.#holders.get(root) ?? new Set()
  }

  /** Sharing providers with an aggregate of the tree. */
  sharingWith(root: string): readonly ProviderFields[] {
    const aggregates = new Set(this.membersOf(root).flatMap(one => one.aggregates))
    return this.#sharing.filter(
      one => this.rootOf(one.uuid) !== root && one.aggregates.some(uuid => aggregates.has(uuid)),
    )
  }

  /** Providers that a server on this host can get something of. */
  reachableFrom(root: string): readonly ProviderFields[] {
    const known = this.#reachable.get(root)
    if (known !== undefined) return known
    const found = [...this.membersOf(root), ...this.sharingWith(root)]
    this.#reachable.set(root, found)
    return found
  }

  heldBy(consumer: ConsumerFields | undefined): readonly Held[] {
    return Object.entries(consumer?.allocations ?? {}).flatMap(([uuid, { resources }]) => {
      const provider = this.ledger.providers.get(uuid)
      return provider === undefined ? [] : [{ provider, root: this.rootOf(uuid), resources }]
    })
  }

  freeOf({ uuid, inventories }: ProviderFields, resourceClass: string): number {
    const stock = new Map(Object.entries(inventories)).get(resourceClass)
    if (stock === undefined) return 0
    const capacity = Math.floor((stock.total - stock.reserved) * stock.allocation_ratio)
    return capacity - (this.#used.get(`${uuid} ${resourceClass}`) ?? 0)
  }
}

export const isSharing = ({ traits }: ProviderFields): boolean => traits.includes('MISC_SHARES_VIA_AGGREGATE')

/** Only Nova gives these traits, to the providers of its computes. */
export const isComputeLike = ({ traits }: ProviderFields): boolean =>
  traits.some(trait => trait.startsWith('COMPUTE_') || trait === 'OWNER_NOVA')

export const hasClass = ({ inventories }: ProviderFields, resourceClass: string): boolean =>
  Object.hasOwn(inventories, resourceClass)

/** `VCPU=2 on cn1, VGPU=1 on cn1_gpu0`. */
export const heldText = (held: readonly Held[]): string =>
  held.length === 0
    ? 'nothing'
    : held.map(({ provider, resources }) => `${resourcesText(resources)} on ${provider.name}`).join(', ')

/** As arguments of `berth allocation set`. */
export function allocationWords(trees: LedgerTrees, { allocations }: ConsumerFields): string {
  return Object.entries(allocations)
    .map(([uuid, { resources }]) => {
      const name = trees.ledger.providers.get(uuid)?.name ?? uuid
      return `${name}:${resourcesText(resources)}`
    })
    .join(' ')
}
