import { type Blueprint, blueprint, stock } from './blueprint.ts'
import {
  type Gpu,
  gpuServer,
  type Hardware,
  type HostParts,
  highMemory,
  hostTree,
  newGeneral,
  oldGeneral,
  storageHeavy,
} from './hardware.ts'
import { rackAggregate, racksOf, type Zone, zoneAggregate, zones } from './names.ts'
import { trouble } from './trouble.ts'

export interface DemoCloud {
  readonly pools: readonly Pool[]
  readonly hosts: readonly HostParts[]
  /** Pools, then the trees of the hosts. */
  readonly providers: readonly Blueprint[]
}

/** Storage that every host of a zone can use. */
export interface Pool {
  readonly name: string
  readonly zone: Zone
}

export const poolName = (zone: Zone): string => `ceph-${zone}`

export function buildCloud(): DemoCloud {
  const pools = zones.map(zone => ({ name: poolName(zone), zone }))
  const hosts = zones.flatMap(zone => racksOf(zone).flatMap(hostsOf))
  return { pools, hosts, providers: [...pools.map(storagePool), ...hosts.flatMap(treeWithTrouble)] }
}

const POOL_GB: Readonly<Record<Zone, { total: number; ratio: number; trait: string }>> = {
  a: { total: 60_000, ratio: 1.5, trait: 'STORAGE_DISK_SSD' },
  b: { total: 60_000, ratio: 1.5, trait: 'STORAGE_DISK_SSD' },
  c: { total: 40_000, ratio: 1, trait: 'STORAGE_DISK_HDD' },
}

function storagePool({ name, zone }: Pool): Blueprint {
  const { total, ratio, trait } = POOL_GB[zone]
  return blueprint(name, {
    inventories: { DISK_GB: stock(total, { reserved: total / 20, maxUnit: 16_000, allocationRatio: ratio }) },
    traits: ['MISC_SHARES_VIA_AGGREGATE', trait],
    // In the racks too, so that a question about one rack finds the disks that the rack uses.
    aggregates: [zoneAggregate(zone), ...racksOf(zone).map(rackAggregate)],
  })
}

/** The first rack of a zone has general hosts, the second GPUs as well, the third memory and disks. */
function hostsOf(rack: string): HostParts[] {
  const position = rack.slice(1)
  const filled: readonly (readonly [Hardware, number])[] =
    position === '1'
      ? [
          [oldGeneral, 4],
          [newGeneral, 3],
        ]
      : position === '2'
        ? [
            [newGeneral, 3],
            [gpuServer, 2],
          ]
        : [
            [highMemory, 4],
            [storageHeavy, 4],
          ]
  const counts = new Map<string, number>()
  return filled.flatMap(([hardware, count]) =>
    Array.from({ length: count }, (): HostParts => {
      const number = (counts.get(hardware.prefix) ?? 0) + 1
      counts.set(hardware.prefix, number)
      const name = `${hardware.prefix}-${rack}-${String(number).padStart(2, '0')}`
      return { name, rack, hardware, gpus: gpusOf(name) }
    }),
  )
}

const L4: Gpu = { class: 'VGPU', slices: 8, trait: 'CUSTOM_GPU_L4' }
const A40: Gpu = { class: 'PGPU', slices: 1, trait: 'CUSTOM_GPU_A40' }
const H100: Gpu = { class: 'PGPU', slices: 1, trait: 'CUSTOM_GPU_H100' }

function gpusOf(host: string): Gpu[] {
  if (!host.startsWith('gpu-')) return []
  const gpu = host === trouble.onlyGpuHost ? H100 : host.startsWith('gpu-a') ? L4 : A40
  return Array.from({ length: gpu.class === 'VGPU' ? 2 : 4 }, () => gpu)
}

function treeWithTrouble(host: HostParts): Blueprint[] {
  const tree = hostTree(host)
  if (host.name === trouble.traitlessHost)
    return tree.map(one => ({ ...one, traits: one.traits.filter(trait => trait !== trouble.missingTrait) }))
  if (host.name === trouble.disabledHost)
    return tree.map(one =>
      one.parent === null ? { ...one, traits: [...one.traits, 'COMPUTE_STATUS_DISABLED'] } : one,
    )
  return tree
}
