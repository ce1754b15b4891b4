/** The measured clouds as data, from a size and a shape: the same providers for every server. */
import type { ConsumerFields, InventoryFields, ProviderFields } from '../src/placement/transfer/lines.ts'

export type Shape = 'flat' | 'full' | 'nested' | 'used' | 'wide'

const AVAILABILITY_ZONES = 10
const HOSTS_PER_RACK = 20
const HOSTS_PER_SHARE = 100
/** In a full cloud, one host in so many has room. */
const HOSTS_PER_FREE_HOST = 1_000

const makeUuid = (kind: string, nth: number): string =>
  `${kind.padStart(8, '0')}-0000-4000-8000-${String(nth).padStart(12, '0')}`

export const hostUuid = (nth: number): string => makeUuid('a', nth)
const numaUuid = (host: number, nth: number): string => makeUuid(`b${nth}`, host)
const shareUuid = (nth: number): string => makeUuid('5a', nth)
export const zoneUuid = (nth: number): string => makeUuid('22', nth)
const rackUuid = (nth: number): string => makeUuid('4ac', nth)
const functionUuid = (host: number, nth: number): string => makeUuid(`f${nth}`, host)
const deviceUuid = (host: number, nth: number): string => makeUuid(`d${nth}`, host)
const shareAggregate = (nth: number): string => makeUuid('5aa', nth)

export const CUSTOM_TRAITS = ['CUSTOM_GOLD', 'CUSTOM_SILVER', 'CUSTOM_PHYSNET_0', 'CUSTOM_PHYSNET_1']

const COMMON_TRAITS = [
  ...['COMPUTE_IMAGE_TYPE_QCOW2', 'COMPUTE_IMAGE_TYPE_RAW', 'COMPUTE_VOLUME_MULTI_ATTACH'],
  ...[
    'COMPUTE_NET_ATTACH_INTERFACE',
    'COMPUTE_DEVICE_TAGGING',
    'COMPUTE_TRUSTED_CERTS',
    'COMPUTE_RESCUE_BFV',
  ],
  ...['HW_CPU_X86_SSE42', 'HW_CPU_X86_AESNI', 'HW_CPU_X86_BMI2'],
]
const TRAITS_PER_HOST = 12
const FILLING_TRAITS = ['HW_CPU_X86_AVX', 'HW_CPU_X86_SSE41']

function hostTraits(nth: number): string[] {
  const own = [
    ...(nth % 2 === 0 ? ['HW_CPU_X86_AVX2'] : []),
    ...(nth % 10 === 0 ? ['CUSTOM_GOLD'] : []),
    ...(nth % 5 === 1 ? ['CUSTOM_SILVER'] : []),
    ...(nth % 50 === 7 ? ['COMPUTE_STATUS_DISABLED'] : []),
  ]
  return [...own, ...COMMON_TRAITS, ...FILLING_TRAITS].slice(0, TRAITS_PER_HOST)
}

const inventory = (total: number, more: Partial<InventoryFields> = {}): InventoryFields => ({
  total,
  reserved: 0,
  min_unit: 1,
  max_unit: total,
  step_size: 1,
  allocation_ratio: 1,
  ...more,
})

const provider = (
  uuid: string,
  name: string,
  fields: Partial<Omit<ProviderFields, 'uuid' | 'name'>>,
): ProviderFields => ({
  uuid,
  name,
  generation: 0,
  parent_provider_uuid: null,
  inventories: {},
  traits: [],
  aggregates: [],
  ...fields,
})

const HOST_VCPUS = 64
const HOST_RATIO = 4

const wholeHost = () => ({
  VCPU: inventory(HOST_VCPUS, { allocation_ratio: HOST_RATIO }),
  MEMORY_MB: inventory(262_144, { reserved: 512 }),
  DISK_GB: inventory(2_000),
})

/** A host with everything below it, parents first. */
function hostProviders(shape: Shape, nth: number): ProviderFields[] {
  const uuid = hostUuid(nth)
  const name = `host${nth}`
  const traits = hostTraits(nth)
  const aggregates = [zoneUuid(nth % AVAILABILITY_ZONES), rackUuid(Math.floor(nth / HOSTS_PER_RACK))]
  switch (shape) {
    case 'flat':
    case 'full':
    case 'used':
      return [provider(uuid, name, { inventories: wholeHost(), traits, aggregates })]
    case 'wide':
      return [
        provider(uuid, name, { inventories: wholeHost(), traits, aggregates }),
        ...Array.from({ length: 8 }, (_, device) =>
          provider(deviceUuid(nth, device), `${name}_GPU${device}`, {
            parent_provider_uuid: uuid,
            inventories: { PGPU: inventory(1) },
            traits: ['CUSTOM_GOLD'],
          }),
        ),
      ]
    case 'nested': {
      const shared = shareAggregate(Math.floor(nth / HOSTS_PER_SHARE))
      return [
        provider(uuid, name, { traits, aggregates: [...aggregates, shared] }),
        ...[0, 1].flatMap(numa => numaProviders(nth, numa)),
      ]
    }
    default:
      return shape satisfies never
  }
}

/** Half of the processors and the memory, with two network devices of eight functions below it. */
function numaProviders(host: number, numa: number): ProviderFields[] {
  const uuid = numaUuid(host, numa)
  return [
    provider(uuid, `host${host}_NUMA${numa}`, {
      parent_provider_uuid: hostUuid(host),
      inventories: {
        VCPU: inventory(HOST_VCPUS / 2, { allocation_ratio: HOST_RATIO }),
        MEMORY_MB: inventory(131_072, { reserved: 256 }),
      },
      traits: ['HW_NUMA_ROOT'],
    }),
    ...[0, 1].map(device =>
      provider(functionUuid(host, 2 * numa + device), `host${host}_N${numa}_PF${device}`, {
        parent_provider_uuid: uuid,
        inventories: { SRIOV_NET_VF: inventory(8) },
        traits: [`CUSTOM_PHYSNET_${device}`],
      }),
    ),
  ]
}

/** A number of hosts, from one of them on. */
export function* providersOf(shape: Shape, hosts: number, from = 0): Generator<ProviderFields> {
  if (shape === 'nested')
    for (let nth = Math.floor(from / HOSTS_PER_SHARE); nth * HOSTS_PER_SHARE < from + hosts; nth++)
      yield provider(shareUuid(nth), `share${nth}`, {
        inventories: { DISK_GB: inventory(1_000_000) },
        traits: ['MISC_SHARES_VIA_AGGREGATE', 'STORAGE_DISK_SSD'],
        aggregates: [shareAggregate(nth)],
      })
  for (let nth = from; nth < from + hosts; nth++) yield* hostProviders(shape, nth)
}

/** In a used cloud: two on each host, with five allocations. */
function* consumersOf(shape: Shape, hosts: number, from = 0): Generator<ConsumerFields> {
  if (shape === 'full') yield* consumersOfFull(hosts, from)
  if (shape !== 'used') return
  for (let nth = from; nth < from + hosts; nth++)
    for (const disk of [{ DISK_GB: 40 }, {}])
      yield {
        uuid: makeUuid('DISK_GB' in disk ? 'c0' : 'c1', nth),
        generation: 1,
        project_id: `project${nth % 500}`,
        user_id: 'bench',
        consumer_type: 'INSTANCE',
        allocations: { [hostUuid(nth)]: { resources: { VCPU: 8, MEMORY_MB: 4_096, ...disk } } },
      }
}

/** In a full cloud: four on each host, with six allocations; one host in a thousand is empty. */
function* consumersOfFull(hosts: number, from: number): Generator<ConsumerFields> {
  for (let nth = from; nth < from + hosts; nth++) {
    if (nth % HOSTS_PER_FREE_HOST === 0) continue
    for (let fourth = 0; fourth < HOST_RATIO; fourth++) {
      const more = fourth === 0 ? {} : { MEMORY_MB: 4_096, DISK_GB: 40 }
      yield {
        uuid: makeUuid(`c${fourth}`, nth),
        generation: 1,
        project_id: `project${nth % 500}`,
        user_id: 'bench',
        consumer_type: 'INSTANCE',
        allocations: { [hostUuid(nth)]: { resources: { VCPU: HOST_VCPUS, ...more } } },
      }
    }
  }
}

/** A cloud as `POST /v1/import` takes it, in pieces of many lines. */
export function* cloudLines(shape: Shape, hosts: number, from = 0): Generator<Buffer> {
  let lines = CUSTOM_TRAITS.map(name => JSON.stringify({ trait: { name } }))
  const records = [
    Iterator.from(providersOf(shape, hosts, from)).map(fields => JSON.stringify({ provider: fields })),
    Iterator.from(consumersOf(shape, hosts, from)).map(fields => JSON.stringify({ consumer: fields })),
  ]
  for (const kind of records)
    for (const line of kind) {
      lines.push(line)
      if (lines.length < 500) continue
      yield Buffer.from(`${lines.join('\n')}\n`)
      lines = []
    }
  if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`)
}
