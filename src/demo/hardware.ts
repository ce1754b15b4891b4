import type { InventoryRecord } from '../placement/inventories/inventories.ts'
import { type Blueprint, blueprint, stock } from './blueprint.ts'
import { rackAggregate, zoneAggregate, zoneOf } from './names.ts'

export type HardwareKind = 'general' | 'memory' | 'gpu' | 'storage'

export interface Gpu {
  /** `PGPU`: the whole card; `VGPU`: slices of it. */
  readonly class: 'PGPU' | 'VGPU'
  readonly slices: number
  readonly trait: string
}

/** One generation of hardware. */
export interface Hardware {
  readonly kind: HardwareKind
  readonly prefix: string
  readonly trait: string
  /** Where processors and memory are accounted: on the host, or on each of its two NUMA nodes. */
  readonly accounting: 'host' | 'numa'
  /** Hardware threads of the whole host that instances share, and their allocation ratio. */
  readonly vcpus: number
  readonly vcpuRatio: number
  /** Dedicated hardware threads. */
  readonly pcpus: number
  readonly memoryGib: number
  /** 0: none, disks come from the storage of the zone. */
  readonly localDiskGb: number
  readonly cpuTraits: readonly string[]
  /** The physical network of the device below each NUMA node; null: no device there. */
  readonly networks: readonly [string | null, string | null]
}

const BASE_CPU = [
  'HW_CPU_X86_SSE42',
  'HW_CPU_X86_AESNI',
  'HW_CPU_X86_AVX',
  'HW_CPU_X86_AVX2',
  'HW_CPU_X86_VMX',
]
const AVX512 = ['HW_CPU_X86_AVX512F', 'HW_CPU_X86_AVX512BW', 'HW_CPU_X86_AVX512VL']

export const oldGeneral: Hardware = {
  kind: 'general',
  prefix: 'gp',
  trait: 'CUSTOM_HW_GENERAL',
  accounting: 'host',
  vcpus: 48,
  vcpuRatio: 4,
  pcpus: 0,
  memoryGib: 256,
  localDiskGb: 0,
  cpuTraits: BASE_CPU,
  networks: ['TENANT', null],
}

export const newGeneral: Hardware = {
  ...oldGeneral,
  accounting: 'numa',
  vcpus: 64,
  cpuTraits: [...BASE_CPU, ...AVX512, 'HW_CPU_HYPERTHREADING'],
  networks: ['TENANT', 'PROVIDER'],
}

export const highMemory: Hardware = {
  kind: 'memory',
  prefix: 'hm',
  trait: 'CUSTOM_HW_HIGH_MEMORY',
  accounting: 'numa',
  vcpus: 32,
  vcpuRatio: 2,
  pcpus: 64,
  memoryGib: 1024,
  localDiskGb: 0,
  cpuTraits: [...BASE_CPU, ...AVX512],
  networks: ['TENANT', null],
}

export const gpuServer: Hardware = {
  kind: 'gpu',
  prefix: 'gpu',
  trait: 'CUSTOM_HW_GPU',
  accounting: 'numa',
  vcpus: 96,
  vcpuRatio: 1,
  pcpus: 0,
  memoryGib: 512,
  localDiskGb: 7_000,
  cpuTraits: ['HW_CPU_X86_SSE42', 'HW_CPU_X86_AESNI', 'HW_CPU_X86_AVX', 'HW_CPU_X86_AVX2', 'HW_CPU_X86_SVM'],
  networks: ['TENANT', 'RDMA'],
}

export const storageHeavy: Hardware = {
  kind: 'storage',
  prefix: 'st',
  trait: 'CUSTOM_HW_STORAGE',
  accounting: 'host',
  vcpus: 32,
  vcpuRatio: 2,
  pcpus: 0,
  memoryGib: 192,
  localDiskGb: 60_000,
  cpuTraits: BASE_CPU,
  networks: [null, null],
}

const HOST_TRAITS = [
  'COMPUTE_NODE',
  'COMPUTE_ARCH_X86_64',
  'HW_ARCH_X86_64',
  'COMPUTE_TRUSTED_CERTS',
  'COMPUTE_DEVICE_TAGGING',
  'COMPUTE_FIRMWARE_BIOS',
  'COMPUTE_FIRMWARE_UEFI',
  'COMPUTE_SECURITY_UEFI_SECURE_BOOT',
  'COMPUTE_IMAGE_TYPE_QCOW2',
  'COMPUTE_IMAGE_TYPE_RAW',
  'COMPUTE_NET_ATTACH_INTERFACE',
  'COMPUTE_NET_VIF_MODEL_VIRTIO',
  'COMPUTE_STORAGE_BUS_VIRTIO',
  'COMPUTE_VOLUME_ATTACH_WITH_TAG',
  'COMPUTE_VOLUME_EXTEND',
  'COMPUTE_VOLUME_MULTI_ATTACH',
]

/** Reserved on every host for the system. */
const RESERVED_MB = 8_192
const MB_PER_GIB = 1_024
const NUMA_NODES = [0, 1] as const

export interface HostParts {
  readonly name: string
  readonly rack: string
  readonly hardware: Hardware
  readonly gpus: readonly Gpu[]
}

/** The whole tree of a host, the host itself first. */
export function hostTree({ name, rack, hardware, gpus }: HostParts): Blueprint[] {
  const onHost = hardware.accounting === 'host'
  const { localDiskGb, cpuTraits, trait } = hardware
  const disk = { DISK_GB: stock(localDiskGb, { reserved: Math.ceil(localDiskGb / 100) }) }
  const root = blueprint(name, {
    inventories: { ...(onHost ? processors(hardware, 1) : {}), ...(localDiskGb > 0 ? disk : {}) },
    traits: [...HOST_TRAITS, trait, ...cpuTraits, ...(localDiskGb > 0 ? [diskTrait(hardware)] : [])],
    aggregates: [zoneAggregate(zoneOf(rack)), rackAggregate(rack)],
  })
  const nodes = NUMA_NODES.map(node =>
    blueprint(numaName(name, node), {
      parent: name,
      inventories: onHost ? {} : processors(hardware, NUMA_NODES.length),
      // Traits count where the resources are taken from.
      traits: ['HW_NUMA_ROOT', ...(onHost ? [] : [trait, ...cpuTraits])],
    }),
  )
  const devices = NUMA_NODES.flatMap(node => networkDevice(name, node, hardware.networks[node]))
  return [root, ...nodes, ...devices, ...gpus.map((gpu, at) => gpuDevice(name, at, gpu))]
}

export const numaName = (host: string, node: number): string => `${host}_numa${node}`
export const networkName = (host: string, node: number): string => `${numaName(host, node)}_ens${node + 1}f0`
export const gpuName = (host: string, at: number): string => `${host}_pci_0000_${at + 3}b_00_0`

const diskTrait = ({ kind }: Hardware): string =>
  kind === 'storage' ? 'STORAGE_DISK_HDD' : 'STORAGE_DISK_SSD'

/** The processors and memory of one of several equal parts of a host. */
function processors(hardware: Hardware, parts: number): Record<string, InventoryRecord> {
  const { vcpus, vcpuRatio, pcpus, memoryGib } = hardware
  return {
    VCPU: stock(vcpus / parts, { allocationRatio: vcpuRatio }),
    ...(pcpus > 0 ? { PCPU: stock(pcpus / parts, { reserved: 4 / parts }) } : {}),
    MEMORY_MB: stock((memoryGib * MB_PER_GIB) / parts, { reserved: RESERVED_MB / parts }),
  }
}

const LINK_KBPS = 25_000_000

function networkDevice(host: string, node: 0 | 1, network: string | null): Blueprint[] {
  if (network === null) return []
  const rdma = network === 'RDMA' ? ['HW_NIC_OFFLOAD_RDMA'] : []
  const device = blueprint(networkName(host, node), {
    parent: numaName(host, node),
    inventories: {
      SRIOV_NET_VF: stock(16, { maxUnit: 4 }),
      NET_BW_EGR_KILOBIT_PER_SEC: stock(LINK_KBPS, { stepSize: 1_000 }),
      NET_BW_IGR_KILOBIT_PER_SEC: stock(LINK_KBPS, { stepSize: 1_000 }),
    },
    traits: ['HW_NIC_SRIOV', 'CUSTOM_VNIC_TYPE_DIRECT', `CUSTOM_PHYSNET_${network}`, ...rdma],
  })
  return [device]
}

/** Whole cards are below the NUMA node they are plugged into; slices are below the host, as in Nova. */
function gpuDevice(host: string, at: number, gpu: Gpu): Blueprint {
  const whole = gpu.class === 'PGPU'
  return blueprint(gpuName(host, at), {
    parent: whole ? numaName(host, at % 2) : host,
    inventories: { [gpu.class]: stock(gpu.slices) },
    traits: [gpu.trait, 'HW_GPU_API_VULKAN', ...(whole ? ['HW_GPU_CUDA_SDK_V10_0'] : [])],
  })
}
