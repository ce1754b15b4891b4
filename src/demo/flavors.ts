import type { HardwareKind } from './hardware.ts'
import { trouble } from './trouble.ts'

/** The resources of an instance. */
export interface Flavor {
  readonly name: string
  readonly vcpus: number
  /** Dedicated threads. */
  readonly pcpus: number
  readonly memoryMb: number
  /** 0: it starts from a volume. */
  readonly diskGb: number
  readonly gpu: 'PGPU' | 'VGPU' | null
  /** Bandwidth each way on its own virtual function. */
  readonly networkKbps: number
  /** It spans both NUMA nodes, half of it on each. */
  readonly split: boolean
  /** Extra specs that aggregates must meet. */
  readonly specs: Readonly<Record<string, string>>
}

const flavor = (name: string, parts: Partial<Flavor>): Flavor => ({
  name,
  vcpus: 0,
  pcpus: 0,
  memoryMb: 4_096,
  diskGb: 0,
  gpu: null,
  networkKbps: 0,
  split: false,
  specs: {},
  ...parts,
})

export const small = flavor('m1.small', { vcpus: 2, memoryMb: 4_096, diskGb: 20 })
export const medium = flavor('m1.medium', { vcpus: 4, memoryMb: 8_192, diskGb: 40 })
export const large = flavor('m1.large', { vcpus: 8, memoryMb: 32_768, diskGb: 80 })
const xlarge = flavor('m1.xlarge', { vcpus: 16, memoryMb: 65_536, diskGb: 160 })
export const fromVolume = flavor('b1.large', { vcpus: 8, memoryMb: 16_384 })
const fast = flavor('n1.fast', { vcpus: 8, memoryMb: 16_384, diskGb: 40, networkKbps: 2_000_000 })
const inMemory = { specs: { hardware: 'memory' } }
const database = flavor('r1.large', { vcpus: 4, memoryMb: 98_304, diskGb: 200, ...inMemory })
const pinned = flavor('c1.pinned', { pcpus: 12, memoryMb: 131_072, diskGb: 100, ...inMemory })
const huge = flavor('r1.split', { pcpus: 16, memoryMb: 196_608, diskGb: 100, split: true, ...inMemory })
const vault = flavor(trouble.homelessFlavor, {
  vcpus: 4,
  memoryMb: 16_384,
  diskGb: 40,
  specs: { hardware: 'memory', certification: trouble.wantedCertification },
})
const dense = flavor('d1.dense', {
  vcpus: 8,
  memoryMb: 32_768,
  diskGb: 12_000,
  specs: { hardware: 'storage' },
})
const onGpu = { specs: { hardware: 'gpu' } }
export const wholeGpu = flavor('g1.whole', { vcpus: 8, memoryMb: 98_304, diskGb: 400, gpu: 'PGPU', ...onGpu })
const gpuSlice = flavor('g1.slice', { vcpus: 8, memoryMb: 32_768, diskGb: 100, gpu: 'VGPU', ...onGpu })

/** Flavors by name. */
export const flavorsOnOffer: readonly Flavor[] = [
  ...[small, medium, large, xlarge, fromVolume, fast, database, pinned, huge, dense, wholeGpu, gpuSlice],
  vault,
]

/** The flavors drawn for each kind of hardware; one listed twice is drawn twice as often. */
export const menus: Readonly<Record<HardwareKind, readonly Flavor[]>> = {
  general: [small, medium, medium, large, large, xlarge, fromVolume, fast],
  memory: [database, database, pinned, huge],
  gpu: [wholeGpu, gpuSlice],
  storage: [dense, dense, large],
}

export interface Owner {
  readonly project: string
  readonly user: string
}

/** Which project runs which flavors where. */
export const owners: Readonly<Record<HardwareKind, readonly Owner[]>> = {
  general: [
    { project: 'shop', user: 'alice' },
    { project: 'shop', user: 'bob' },
    { project: 'builds', user: 'robot' },
    { project: 'office', user: 'carol' },
  ],
  memory: [
    { project: 'ledger', user: 'dan' },
    { project: 'shop', user: 'alice' },
  ],
  gpu: [
    { project: 'research', user: 'erin' },
    { project: 'research', user: 'frank' },
  ],
  storage: [
    { project: 'archive', user: 'grace' },
    { project: 'research', user: 'erin' },
  ],
}
