import { assert } from '../kernel/assert.ts'
import type { Random } from '../kernel/random.ts'
import { type DemoCloud, type Pool, poolName } from './cloud.ts'
import {
  type Flavor,
  fromVolume,
  large,
  medium,
  menus,
  type Owner,
  owners,
  small,
  wholeGpu,
} from './flavors.ts'
import { type Amounts, FreeCapacity, type Taken } from './free-capacity.ts'
import { gpuName, type HostParts, networkName, numaName } from './hardware.ts'
import { zoneOf } from './names.ts'
import { trouble } from './trouble.ts'

export interface Consumer {
  readonly name: string
  readonly type: 'INSTANCE' | 'MIGRATION' | 'VOLUME'
  readonly owner: Owner
  readonly takes: Taken
}

/** All consumers of the demo, in order of creation. */
export function fillCloud(cloud: DemoCloud, random: Random): Consumer[] {
  const filling = new Filling(cloud, random)
  for (const host of cloud.hosts) filling.fillHost(host)
  filling.emptyDisabledHost()
  for (const pool of cloud.pools) filling.fillPool(pool)
  return filling.consumers
}

const MISSES_MAX = 6
const EVACUATIONS = 3
const VOLUMES_PER_POOL = 20
const VOLUMES_GB = [100, 250, 500, 500, 1_000, 2_000, 4_000]

class Filling {
  readonly consumers: Consumer[] = []
  readonly #shelf: FreeCapacity
  readonly #cloud: DemoCloud
  readonly #random: Random

  constructor(cloud: DemoCloud, random: Random) {
    this.#cloud = cloud
    this.#shelf = new FreeCapacity(cloud.providers)
    this.#random = random
  }

  fillHost(host: HostParts): void {
    if (host.name === trouble.traitlessHost) return
    if (host.rack === trouble.fullRack) this.#fillToTheBrim(host)
    else if (host.gpus.length > 0) this.#fillGpus(host)
    else this.#fillMemory(host, this.#wantedFill(host))
  }

  /** Instances are on their new hosts already; the migrations hold the allocations on the old ones. */
  emptyDisabledHost(): void {
    const { disabledHost } = trouble
    const zone = disabledHost.split('-')[1]?.[0]
    const others = this.#cloud.hosts.filter(
      host => host.hardware.kind === 'general' && zoneOf(host.rack) === zone && host.name !== disabledHost,
    )
    const source = this.#cloud.hosts.find(host => host.name === disabledHost)
    assert(source !== undefined, () => `the demo has ${disabledHost}`)
    for (let moved = 0; moved < EVACUATIONS; moved++) {
      const owner = this.#pick(owners.general)
      const left = this.#placeOn(source, fromVolume)
      const target = others.find(host => this.#placeOn(host, fromVolume) !== null)
      assert(left !== null && target !== undefined, 'the demo has room for its migrations')
      this.#add('MIGRATION', owner, left)
      this.#add('INSTANCE', owner, this.#placeOn(target, fromVolume) as Taken)
    }
  }

  fillPool({ name }: Pool): void {
    const holders = [...owners.general, ...owners.memory]
    const add = (size: number) => this.#add('VOLUME', this.#pick(holders), { [name]: { DISK_GB: size } })
    for (let count = 0; count < VOLUMES_PER_POOL; count++) add(this.#pick(VOLUMES_GB))
    if (name !== trouble.fullPool) return
    const spare = () => this.#shelf.free(name, 'DISK_GB') - trouble.fullPoolLeftGb
    while (spare() > 0) add(Math.min(4_000, spare()))
  }

  #wantedFill(host: HostParts): number {
    if (host.name === trouble.shrunkHost) return 0.75
    if (host.name === trouble.disabledHost) return 0.4
    return 0.3 + this.#random.below(45) / 100
  }

  /** Draws flavors until the wanted share of memory is used, or nothing drawn fits. */
  #fillMemory(host: HostParts, wanted: number): void {
    const { kind } = host.hardware
    for (let misses = 0; misses < MISSES_MAX && this.#memoryFill(host) < wanted; ) {
      const takes = this.#placeOn(host, this.#pick(menus[kind]))
      if (takes === null) misses++
      else this.#add('INSTANCE', this.#pick(owners[kind]), takes)
    }
  }

  #fillGpus(host: HostParts): void {
    const { class: unit, slices } = host.gpus[0] as HostParts['gpus'][number]
    const all = host.gpus.length * slices
    const count = host.name === trouble.onlyGpuHost ? all - 1 : 1 + this.#random.below(Math.min(all, 4))
    const flavors = menus.gpu.filter(flavor => flavor.gpu === unit)
    for (let taken = 0; taken < count; taken++) {
      const takes = this.#placeOn(host, this.#pick(flavors))
      assert(takes !== null, () => `the demo has room for the GPUs of ${host.name}`)
      this.#add('INSTANCE', this.#pick(owners.gpu), takes)
    }
  }

  /** Large first, small last, so that no host has room left for a medium instance. */
  #fillToTheBrim(host: HostParts): void {
    const { kind } = host.hardware
    for (const flavor of [...(host.gpus.length > 0 ? [wholeGpu] : []), large, medium])
      for (let takes = this.#placeOn(host, flavor); takes !== null; takes = this.#placeOn(host, flavor))
        this.#add('INSTANCE', this.#pick(owners[kind]), takes)
    assert(this.#placeOn(host, { ...medium, diskGb: 0 }) === null, () => `${host.name} has no memory left`)
    assert(this.#placeOn(host, { ...small, diskGb: 0 }) !== null, () => `${host.name} is not quite full`)
  }

  #memoryFill(host: HostParts): number {
    return Math.min(...unitsOf(host).map(unit => this.#shelf.fill(unit, 'MEMORY_MB')))
  }

  /** What an instance would take on a host, or null when there is no room. */
  #placeOn(host: HostParts, flavor: Flavor): Taken | null {
    const units = unitsOf(host).sort(
      (a, b) => this.#shelf.free(b, 'MEMORY_MB') - this.#shelf.free(a, 'MEMORY_MB'),
    )
    const places = flavor.split ? [units] : units.map(unit => [unit])
    for (const place of places) {
      const takes = this.#takes(host, flavor, place)
      if (takes !== null && this.#shelf.fits(takes)) return takes
    }
    return null
  }

  #takes(host: HostParts, flavor: Flavor, units: readonly string[]): Taken | null {
    const takes: Record<string, Amounts> = {}
    for (const unit of units) takes[unit] = computeShare(flavor, units.length)
    if (flavor.diskGb > 0) {
      const disk = host.hardware.localDiskGb > 0 ? host.name : poolName(zoneOf(host.rack))
      takes[disk] = { ...takes[disk], DISK_GB: flavor.diskGb }
    }
    if (flavor.gpu !== null) {
      const gpu = this.#freeGpu(host, flavor.gpu, units[0] as string)
      if (gpu === null) return null
      takes[gpu] = { [flavor.gpu]: 1 }
    }
    if (flavor.networkKbps > 0) {
      const node = units[0] === numaName(host.name, 1) ? 1 : 0
      takes[networkName(host.name, node)] = {
        SRIOV_NET_VF: 1,
        NET_BW_EGR_KILOBIT_PER_SEC: flavor.networkKbps,
        NET_BW_IGR_KILOBIT_PER_SEC: flavor.networkKbps,
      }
    }
    return takes
  }

  /** A whole card must be at the NUMA node of the instance; slices may come from anywhere on the host. */
  #freeGpu(host: HostParts, unit: 'PGPU' | 'VGPU', numa: string): string | null {
    const near = host.gpus
      .map((_, at) => ({ name: gpuName(host.name, at), numa: numaName(host.name, at % 2) }))
      .filter(gpu => unit === 'VGPU' || gpu.numa === numa)
    return near.find(gpu => this.#shelf.free(gpu.name, unit) > 0)?.name ?? null
  }

  #add(type: Consumer['type'], owner: Owner, takes: Taken): void {
    this.#shelf.take(takes)
    const name = `${type.toLowerCase()} ${this.consumers.length + 1}`
    this.consumers.push({ name, type, owner, takes })
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)] as T
  }
}

/** The providers that account for processors and memory. */
const unitsOf = ({ name, hardware }: HostParts): string[] =>
  hardware.accounting === 'host' ? [name] : [numaName(name, 0), numaName(name, 1)]

function computeShare({ vcpus, pcpus, memoryMb }: Flavor, parts: number): Amounts {
  return {
    ...(vcpus > 0 ? { VCPU: vcpus / parts } : {}),
    ...(pcpus > 0 ? { PCPU: pcpus / parts } : {}),
    MEMORY_MB: memoryMb / parts,
  }
}
