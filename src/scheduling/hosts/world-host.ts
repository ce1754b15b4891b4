import { NO_PROVIDER, type ProviderSlot } from '../../kernel/ids.ts'
import type { HostRow } from '../../world/compute.ts'
import type { InventoryColumns } from '../../world/inventories.ts'
import type { World } from '../../world/world.ts'
import { type JsonObject, type JsonValue, memberOf } from '../framework/json-value.ts'
import { memoizeByIdentity } from '../framework/memoize.ts'
import { isServer } from '../hosts/host-figures.ts'
import { consumersOn, hostRowOf } from '../hosts/hosts.ts'
import { type AggregateView, figureOf, type HostView } from './host-view.ts'
import { specOf } from './server-spec.ts'

const capabilitiesOf = memoizeByIdentity((row: HostRow) => JSON.parse(row.capabilities) as JsonObject)

/** The classes whose inventories are devices to pass through. */
const isDevice = (name: string): boolean => name === 'PCI_DEVICE' || name.startsWith('CUSTOM_PCI_')

/** The columns that the figures of all hosts come from, looked up once. They hold until the world changes. */
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

/** A host as filters and weighers see it, looked up as they ask. It holds until the world changes. */
export class WorldHost implements HostView {
  readonly slot: ProviderSlot
  readonly #world: World
  readonly #row: HostRow
  readonly #columns: HostColumns
  #tree: readonly ProviderSlot[] | null = null
  #servers: readonly number[] | null = null

  constructor(world: World, slot: ProviderSlot, columns: HostColumns = new HostColumns(world)) {
    this.#world = world
    this.slot = slot
    this.#columns = columns
    this.#row = hostRowOf(world, slot)
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
    return this.#row.is_forced_down === 0
  }
  get isForcedDown(): boolean {
    return this.#row.is_forced_down !== 0
  }
  get aggregates(): readonly AggregateView[] {
    return this.#world.compute.aggregatesOf(this.slot)
  }

  /** What is neither used nor reserved. Ratios do not count, as they do not in Nova. */
  get ramMibFree(): number {
    return this.#sum(this.#columns.memory, freeOf)
  }
  get diskMibFree(): number {
    return this.#sum(this.#columns.disk, freeOf) * MIB_PER_GIB
  }
  get vcpusTotal(): number {
    return this.#sum(this.#columns.vcpu, totalOf) + this.#sum(this.#columns.pcpu, totalOf)
  }
  get vcpusUsed(): number {
    return this.#sum(this.#columns.vcpu, usedOf) + this.#sum(this.#columns.pcpu, usedOf)
  }
  get cpuAllocationRatio(): number {
    const columns = this.#columns.vcpu
    if (columns !== undefined && this.#isAlone())
      return columns.present.has(this.slot) ? (columns.ratio[this.slot] as number) : 1
    const owner = columns && this.#members().find(slot => columns.present.has(slot))
    return owner === undefined ? 1 : ((columns as InventoryColumns).ratio[owner] as number)
  }
  get instanceCount(): number {
    return this.#serversHere().length
  }
  /** Nobody tells how busy a host is, unless it says so itself. */
  get ioOpsCount(): number {
    return this.#declared('num_io_ops')
  }
  get failedBuilds(): number {
    return this.#declared('failed_builds')
  }
  get pciDevicesFree(): number {
    let free = 0
    for (const columns of this.#columns.devices) free += this.#sum(columns, freeOf)
    return free
  }

  hasInstance(uuid: string): boolean {
    const { consumers, providers } = this.#world
    const consumer = consumers.find(uuid)
    if (consumer === undefined) return false
    return consumers.holdings(consumer).some(({ provider }) => providers.rootOf(provider) === this.slot)
  }

  *instanceImages(): Generator<ReadonlyMap<string, JsonValue>> {
    for (const server of this.#serversHere()) {
      const row = this.#world.compute.requestOf(server as never)
      const image = row === undefined ? null : specOf(row).image
      if (image !== null) yield new Map(Object.entries(image.properties))
    }
  }

  metric(name: string): number | undefined {
    const metrics = this.#capability('metrics')
    const value =
      typeof metrics === 'object' && metrics !== null ? memberOf(metrics as JsonObject, name) : null
    return typeof value === 'number' ? value : undefined
  }

  /** What it says itself comes before what is worked out. */
  attribute(name: string): JsonValue | undefined {
    return this.#capability(name) ?? figureOf(this, name)
  }

  #capability(name: string): JsonValue | undefined {
    return memberOf(capabilitiesOf(this.#row), name)
  }

  #declared(name: string): number {
    const value = this.#capability(name)
    return typeof value === 'number' ? value : 0
  }

  #serversHere(): readonly number[] {
    this.#servers ??= consumersOn(this.#world, this.slot).filter(slot => isServer(this.#world, slot))
    return this.#servers
  }

  /** Most hosts are one provider. */
  #isAlone(): boolean {
    return this.#world.providers.firstChild[this.slot] === NO_PROVIDER
  }

  #members(): readonly ProviderSlot[] {
    this.#tree ??= this.#world.providers.subtree(this.slot)
    return this.#tree
  }

  #sum(
    columns: InventoryColumns | undefined,
    of: (columns: InventoryColumns, slot: ProviderSlot) => number,
  ): number {
    if (columns === undefined) return 0
    if (this.#isAlone()) return columns.present.has(this.slot) ? of(columns, this.slot) : 0
    let sum = 0
    for (const slot of this.#members()) if (columns.present.has(slot)) sum += of(columns, slot)
    return sum
  }
}

const totalOf = ({ total }: InventoryColumns, slot: ProviderSlot): number => total[slot] as number
const usedOf = ({ used }: InventoryColumns, slot: ProviderSlot): number => used[slot] as number
const freeOf = ({ total, reserved, used }: InventoryColumns, slot: ProviderSlot): number =>
  (total[slot] as number) - (reserved[slot] as number) - (used[slot] as number)
