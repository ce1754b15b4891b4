import fc from 'fast-check'
import type { ConsumerFields, InventoryFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Ledger } from '../placement/ledger.ts'
import type { NovaCompute, NovaFlavor, NovaMigration, NovaServer, NovaState } from './nova-state.ts'

/** An intact cloud: the state of Nova and the ledger that belongs to it. */
export interface Cloud {
  readonly nova: NovaState
  readonly ledger: Ledger
}

/** The uuids of a cloud: each kind of thing has its own digits. */
export const idOf = (kind: number, at: number): string =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(at).padStart(12, '0')}`

export const SHARED_DISK = idOf(9, 1)
export const OTHER_DISK = idOf(9, 2)
const STRANGE_ROOT = idOf(9, 3)
const DISK_AGGREGATE = idOf(8, 1)
const OTHER_AGGREGATE = idOf(8, 2)
export const HOST_AGGREGATE = idOf(8, 3)
/** The host without disks of its own; the one with graphics cards and dedicated processors. */
export const DISKLESS_HOST = 2
export const GPU_HOST = 3
const HOSTS = 5
const PROJECT = 'aaaaaaaaaaaa4aaa8aaaaaaaaaaaaaaa'
const USER = 'bbbbbbbbbbbb4bbb8bbbbbbbbbbbbbbb'

const stock = (total: number, ratio = 1): InventoryFields => ({
  total,
  reserved: 0,
  min_unit: 1,
  max_unit: total,
  step_size: 1,
  allocation_ratio: ratio,
})

const makeProvider = (uuid: string, name: string, more: Partial<ProviderFields>): ProviderFields => ({
  uuid,
  name,
  generation: 7,
  parent_provider_uuid: null,
  inventories: {},
  traits: [],
  aggregates: [],
  ...more,
})

export const hostName = (at: number): string => `cn${at}`
export const gpuOf = (at: number, card: number): string => idOf(2, at * 10 + card)

function makeHost(at: number): ProviderFields[] {
  const inventories = {
    VCPU: stock(1_000, 4),
    MEMORY_MB: stock(10_000_000),
    ...(at === DISKLESS_HOST ? {} : { DISK_GB: stock(1_000_000) }),
    ...(at === GPU_HOST ? { PCPU: stock(1_000) } : {}),
  }
  const aggregates = [...(at === DISKLESS_HOST ? [DISK_AGGREGATE] : []), ...(at < 3 ? [HOST_AGGREGATE] : [])]
  const root = makeProvider(idOf(1, at), hostName(at), {
    inventories,
    aggregates,
    traits: ['COMPUTE_NODE', 'HW_CPU_X86_AVX'],
  })
  const cards = [0, 1].map(card =>
    makeProvider(gpuOf(at, card), `${hostName(at)}_gpu${card}`, {
      parent_provider_uuid: root.uuid,
      inventories: { VGPU: stock(64), NET_BW_EGR_KILOBIT_PER_SEC: stock(1_000_000) },
      traits: [`CUSTOM_CARD_${card}`],
    }),
  )
  return at === GPU_HOST ? [root, ...cards] : [root]
}

const makeCompute = (at: number): NovaCompute => ({
  id: idOf(1, at),
  name: hostName(at),
  host: hostName(at),
  isUp: true,
  isDisabled: false,
  isIronic: false,
})

const makeServer = (at: number, host: number | null, flavor: NovaFlavor): NovaServer => ({
  id: idOf(3, at),
  name: `server-${at}`,
  projectId: PROJECT,
  userId: USER,
  status: 'ACTIVE',
  vmState: 'active',
  taskState: null,
  wasLaunched: true,
  isVolumeBacked: false,
  host: host === null ? null : hostName(host),
  node: host === null ? null : hostName(host),
  flavor,
  imageProperties: {},
})

type Amounts = Readonly<Record<string, Readonly<Record<string, number>>>>

const makeConsumer = (uuid: string, amounts: Amounts, type: string | null = null): ConsumerFields => ({
  uuid,
  generation: 3,
  project_id: PROJECT,
  user_id: USER,
  consumer_type: type,
  allocations: Object.fromEntries(Object.entries(amounts).map(([one, resources]) => [one, { resources }])),
})

/** Sizes of a flavor; every server of a cloud has its own. */
const sizes = fc.record({
  vcpus: fc.integer({ min: 1, max: 8 }),
  ramMib: fc.integer({ min: 64, max: 4096 }),
  rootGb: fc.integer({ min: 1, max: 50 }),
  ephemeralGb: fc.integer({ min: 1, max: 9 }),
  swapMib: fc.integer({ min: 1, max: 4096 }),
})
type Sizes = typeof sizes extends fc.Arbitrary<infer T> ? T : never

/** One server of each sort, by the number of its place here. */
const SORTS = [
  ...(['plain', 'volume', 'disk', 'pinned', 'gpu', 'port', 'resized', 'moved', 'evacuated'] as const),
  ...(['offloaded', 'hostless', 'building', 'migrating', 'typed'] as const),
] as const
type Sort = (typeof SORTS)[number]
const HOMES: Partial<Record<Sort, number>> = {
  disk: DISKLESS_HOST,
  pinned: GPU_HOST,
  gpu: GPU_HOST,
  port: GPU_HOST,
}

export const serverOf = (sort: Sort): string => idOf(3, SORTS.indexOf(sort))
export const migrationOf = (sort: Sort): string => idOf(4, SORTS.indexOf(sort))

function makeFlavor(sort: Sort, { vcpus, ramMib, rootGb, ephemeralGb, swapMib }: Sizes): NovaFlavor {
  const extraSpecs: Record<string, string> =
    sort === 'pinned'
      ? { 'hw:cpu_policy': 'dedicated' }
      : sort === 'gpu'
        ? { 'resources1:VGPU': '1', 'trait1:CUSTOM_CARD_1': 'required' }
        : {}
  return { name: sort, vcpus, ramMib, rootGb, ephemeralGb, swapMib, extraSpecs }
}

/** Written by hand, independent of the code under test. */
function makeAmounts(sort: Sort, home: number, size: Sizes): Amounts {
  const root = idOf(1, home)
  const disk = (sort === 'volume' ? 0 : size.rootGb) + size.ephemeralGb + Math.ceil(size.swapMib / 1024)
  const cpus = { [sort === 'pinned' ? 'PCPU' : 'VCPU']: size.vcpus, MEMORY_MB: size.ramMib }
  if (sort === 'disk') return { [root]: cpus, [SHARED_DISK]: { DISK_GB: disk } }
  const plain = { [root]: { ...cpus, DISK_GB: disk } }
  if (sort === 'gpu') return { ...plain, [gpuOf(home, 1)]: { VGPU: 1 } }
  if (sort === 'port') return { ...plain, [gpuOf(home, 0)]: { NET_BW_EGR_KILOBIT_PER_SEC: 1000 } }
  return plain
}

interface OneServer {
  readonly server: NovaServer
  readonly migrations: readonly NovaMigration[]
  readonly consumers: readonly ConsumerFields[]
}

function makeOne(sort: Sort, size: Sizes): OneServer {
  const at = SORTS.indexOf(sort)
  const home = HOMES[sort] ?? 1
  const server = { ...makeServer(at, home, makeFlavor(sort, size)), isVolumeBacked: sort === 'volume' }
  const type = sort === 'typed' ? 'INSTANCE' : null
  const consumer = makeConsumer(server.id, makeAmounts(sort, home, size), type)
  const there = makeAmounts(sort, 4, size)
  const move = (one: Pick<NovaMigration, 'type' | 'status'>): NovaMigration => ({
    id: at,
    uuid: migrationOf(sort),
    server: server.id,
    sourceNode: hostName(4),
    destNode: hostName(home),
    ...one,
  })
  const held = [consumer, makeConsumer(migrationOf(sort), there)]
  switch (sort) {
    case 'resized':
      return {
        server: { ...server, status: 'VERIFY_RESIZE', vmState: 'resized' },
        migrations: [move({ type: 'migration', status: 'finished' })],
        consumers: held,
      }
    case 'moved':
      return {
        server,
        migrations: [move({ type: 'live-migration', status: 'completed' })],
        consumers: [consumer],
      }
    case 'evacuated': {
      const both = makeConsumer(server.id, { ...makeAmounts(sort, home, size), ...there })
      return { server, migrations: [move({ type: 'evacuation', status: 'done' })], consumers: [both] }
    }
    case 'offloaded': {
      const shelved = { status: 'SHELVED_OFFLOADED', vmState: 'shelved_offloaded', host: null, node: null }
      return { server: { ...server, ...shelved }, migrations: [], consumers: [] }
    }
    case 'hostless':
      return {
        server: { ...server, status: 'ERROR', vmState: 'error', host: null, node: null },
        migrations: [],
        consumers: [],
      }
    case 'building':
      return {
        server: {
          ...server,
          status: 'BUILD',
          vmState: 'building',
          taskState: 'spawning',
          host: null,
          node: null,
        },
        migrations: [],
        consumers: [consumer],
      }
    case 'migrating':
      return {
        server: { ...server, status: 'MIGRATING', taskState: 'migrating' },
        migrations: [move({ type: 'live-migration', status: 'running' })],
        consumers: held,
      }
    default:
      return { server, migrations: [], consumers: [consumer] }
  }
}

/** Consumers of other services on the same hosts. */
export const FOREIGN: readonly ConsumerFields[] = [
  makeConsumer(idOf(5, 1), { [gpuOf(GPU_HOST, 0)]: { NET_BW_EGR_KILOBIT_PER_SEC: 10 } }, 'PORT'),
  makeConsumer(idOf(5, 2), { [idOf(1, 1)]: { VCPU: 1 } }, 'RESERVATION'),
  makeConsumer(idOf(5, 3), { [STRANGE_ROOT]: { CUSTOM_THING: 1 } }),
  makeConsumer(idOf(5, 4), { [idOf(1, 1)]: { VCPU: 1, MEMORY_MB: 64 } }),
  makeConsumer(idOf(5, 5), { [SHARED_DISK]: { DISK_GB: 5 } }),
]

function makeCloud(all: readonly Sizes[]): Cloud {
  const ones = SORTS.map((sort, at) => makeOne(sort, all[at] as Sizes))
  const shares = { inventories: { DISK_GB: stock(1_000_000) }, traits: ['MISC_SHARES_VIA_AGGREGATE'] }
  const providers = [
    ...Array.from({ length: HOSTS }, (_, at) => makeHost(at)).flat(),
    makeProvider(SHARED_DISK, 'nfs-1', { ...shares, aggregates: [DISK_AGGREGATE] }),
    makeProvider(OTHER_DISK, 'nfs-2', { ...shares, aggregates: [OTHER_AGGREGATE] }),
    makeProvider(STRANGE_ROOT, 'stranger', { inventories: { CUSTOM_THING: stock(9) } }),
  ]
  const consumers = [...ones.flatMap(one => one.consumers), ...FOREIGN]
  const computes = Array.from({ length: HOSTS }, (_, at) => makeCompute(at))
  return {
    nova: {
      servers: new Map(ones.map(({ server }) => [server.id, server])),
      migrations: ones.flatMap(({ migrations }) => migrations),
      computes,
      serviceHosts: new Set(computes.map(({ host }) => host)),
      aggregates: [{ uuid: HOST_AGGREGATE, name: 'fast', hosts: [0, 1, 2].map(hostName) }],
      deletedServers: new Set(),
      isPartial: false,
    },
    ledger: {
      classes: new Set(),
      traits: new Set(),
      providers: new Map(providers.map(one => [one.uuid, one])),
      consumers: new Map(consumers.map(one => [one.uuid, one])),
    },
  }
}

/** Intact clouds with one server of each sort and any sizes. */
export const clouds: fc.Arbitrary<Cloud> = fc
  .array(sizes, { minLength: SORTS.length, maxLength: SORTS.length })
  .map(makeCloud)
