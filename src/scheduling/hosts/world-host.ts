import { type ConsumerSlot, NO_PROVIDER, type ProviderSlot } from '../../kernel/ids.ts'
import type { HostRow } from '../../world/compute.ts'
import type { InventoryColumns } from '../../world/inventories.ts'
import type { World } from '../../world/world.ts'
import { getMember, type JsonObject, type JsonValue } from '../framework/json-value.ts'
import { memoizeByIdentity } from '../framework/memoize.ts'
import { isServer } from '../hosts/host-figures.ts'
import { getHostRow, isHostUp, listConsumers } from '../hosts/hosts.ts'
import { type AggregateView, getFigure, type HostView } from './host-view.ts'
import type { HostClaim } from './packing/host-claim.ts'
import { specOf } from './server-spec.ts'

const capabilitiesOf = memoizeByIdentity((row: HostRow) => JSON.parse(row.capabilities) as JsonObject)

/** The classes whose inventories are passthrough devices. */
const isDevice = (name: string): boolean => name === 'PCI_DEVICE' || name.startsWith('CUSTOM_PCI_')

/** The inventory columns that hosts read, looked up once. Valid until the world changes. */
export class HostColumns {
  readonly vcpu: InventoryColumns | undefined
  readonly pcpu: InventoryColumns | undefined
  readonly memory: InventoryColumns | undefined
  readonly disk: InventoryColumns | undefined
  readonly devices: readonly InventoryColumns[]

  constructor({ classes, inventories }: World) {
    const columns = (name: string): InventoryColumns | undefined => {
      const id = classes.id(name)
      return id === undefined ? undefined : inventories.columns(id)
    }
    this.vcpu = columns('VCPU')
    this.pcpu = columns('PCPU')
    this.memory = columns('MEMORY_MB')
    this.disk = columns('DISK_GB')
    this.devices = [...classes.rows()].flatMap(({ name }) => (isDevice(name) ? (columns(name) ?? []) : []))
  }
}

const MIB_PER_GIB = 1024

/** The providers that would serve each request group on a host, by suffix. */
type FindServing = (root: ProviderSlot) => ReadonlyMap<string, readonly ProviderSlot[]> | null

/** A host as filters and weighers see it, computed lazily. Valid until the world changes. */
export class WorldHost implements HostView {
  readonly slot: ProviderSlot
  readonly #world: World
  readonly #row: HostRow
  readonly #columns: HostColumns
  #tree: readonly ProviderSlot[] | null = null
  #servers: readonly ConsumerSlot[] | null = null
  #capabilities: JsonObject | null = null
  readonly #findServing: FindServing
  #serving: ReturnType<FindServing> | undefined
  readonly #claim: HostClaim | undefined

  constructor(
    world: World,
    slot: ProviderSlot,
    columns: HostColumns = new HostColumns(world),
    findServing: FindServing = () => null,
    claim?: HostClaim,
  ) {
    this.#claim = claim
    this.#world = world
    this.slot = slot
    this.#columns = columns
    this.#findServing = findServing
    this.#row = getHostRow(world, slot)
  }

  /** The same host, with one of its candidates. */
  withClaim(claim: HostClaim): WorldHost {
    return new WorldHost(this.#world, this.slot, this.#columns, () => claim.choice.expand().mappings, claim)
  }

  get claim(): HostClaim | undefined {
    return this.#claim
  }

  get name(): string {
    return this.#world.providers.name(this.slot)
  }
  get uuid(): string {
    return this.#world.providers.uuid(this.slot)
  }
  get isEnabled(): boolean {
    return this.#row.is_disabled === 0
  }
  get disabledReason(): string | null {
    return this.#row.disabled_reason
  }
  get isUp(): boolean {
    return isHostUp(this.#row)
  }
  get isForcedDown(): boolean {
    return this.#row.is_forced_down !== 0
  }
  get aggregates(): readonly AggregateView[] {
    return this.#world.compute.getAggregates(this.slot)
  }

  /** Neither used nor reserved. As in Nova, ratios do not count. */
  get ramMibFree(): number {
    return this.#sum(this.#columns.memory, getFree)
  }
  get diskMibFree(): number {
    return this.#sum(this.#columns.disk, getFree) * MIB_PER_GIB
  }
  get vcpusTotal(): number {
    return this.#sum(this.#columns.vcpu, getTotal) + this.#sum(this.#columns.pcpu, getTotal)
  }
  get vcpusUsed(): number {
    return this.#sum(this.#columns.vcpu, getUsed) + this.#sum(this.#columns.pcpu, getUsed)
  }
  get cpuAllocationRatio(): number {
    const columns = this.#columns.vcpu
    if (columns !== undefined && this.#isAlone())
      return columns.present.has(this.slot) ? (columns.ratio[this.slot] as number) : 1
    const owner = columns && this.#listTree().find(slot => columns.present.has(slot))
    return owner === undefined ? 1 : ((columns as InventoryColumns).ratio[owner] as number)
  }
  get instanceCount(): number {
    return this.#listServers().length
  }
  /** Zero unless the host declares it. */
  get ioOpsCount(): number {
    return this.#getDeclared('num_io_ops')
  }
  get failedBuilds(): number {
    return this.#getDeclared('failed_builds')
  }
  get pciDevicesFree(): number {
    let free = 0
    for (const columns of this.#columns.devices) free += this.#sum(columns, getFree)
    return free
  }

  hasInstance(uuid: string): boolean {
    const { consumers, providers } = this.#world
    const consumer = consumers.find(uuid)
    if (consumer === undefined) return false
    return consumers.holdings(consumer).some(({ provider }) => providers.rootOf(provider) === this.slot)
  }

  hasTrait(trait: string, group: string): boolean {
    const { traits, providerTraits } = this.#world
    const id = traits.id(trait)
    if (id === undefined) return false
    if (group === '') return this.#listTree().some(slot => providerTraits.has(slot, id))
    if (this.#serving === undefined) this.#serving = this.#findServing(this.slot)
    return (this.#serving?.get(group) ?? []).some(slot => providerTraits.has(slot, id))
  }

  *instanceImages(): Generator<ReadonlyMap<string, JsonValue>> {
    for (const server of this.#listServers()) {
      const row = this.#world.compute.getRequest(server)
      const image = row === undefined ? null : specOf(row).image
      if (image !== null) yield new Map(Object.entries(image.properties))
    }
  }

  metric(name: string): number | undefined {
    const metrics = this.#getCapability('metrics')
    const value =
      typeof metrics === 'object' && metrics !== null ? getMember(metrics as JsonObject, name) : null
    return typeof value === 'number' ? value : undefined
  }

  /** Declared attributes come before computed ones. */
  attribute(name: string): JsonValue | undefined {
    return this.#getCapability(name) ?? getFigure(this, name)
  }

  #getCapability(name: string): JsonValue | undefined {
    this.#capabilities ??= capabilitiesOf(this.#row)
    return getMember(this.#capabilities, name)
  }

  #getDeclared(name: string): number {
    const value = this.#getCapability(name)
    return typeof value === 'number' ? value : 0
  }

  #listServers(): readonly ConsumerSlot[] {
    this.#servers ??= listConsumers(this.#world, this.slot).filter(slot => isServer(this.#world, slot))
    return this.#servers
  }

  /** Most hosts are one provider. */
  #isAlone(): boolean {
    return this.#world.providers.firstChild[this.slot] === NO_PROVIDER
  }

  #listTree(): readonly ProviderSlot[] {
    this.#tree ??= this.#world.providers.listSubtree(this.slot)
    return this.#tree
  }

  #sum(
    columns: InventoryColumns | undefined,
    of: (columns: InventoryColumns, slot: ProviderSlot) => number,
  ): number {
    if (columns === undefined) return 0
    if (this.#isAlone()) return columns.present.has(this.slot) ? of(columns, this.slot) : 0
    let sum = 0
    for (const slot of this.#listTree()) if (columns.present.has(slot)) sum += of(columns, slot)
    return sum
  }
}

const getTotal = ({ total }: InventoryColumns, slot: ProviderSlot): number => total[slot] as number
const getUsed = ({ used }: InventoryColumns, slot: ProviderSlot): number => used[slot] as number
const getFree = ({ total, reserved, used }: InventoryColumns, slot: ProviderSlot): number =>
  (total[slot] as number) - (reserved[slot] as number) - (used[slot] as number)
