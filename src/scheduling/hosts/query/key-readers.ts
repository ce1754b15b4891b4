/**
 * Keys with their own reader, by reader. The aggregate instance type filter skips them, and the catalog uses the same list.
 */
export interface KeyReader {
  /** In words that follow "read by". */
  readonly reader: string
  /** A `*` at the end stands for any rest. */
  readonly keys: readonly string[]
}

/** Extra specs without a scope. Aggregate metadata does not concern them. */
export const FLAVOR_KEY_READERS = {
  placement: { reader: 'the request to Placement', keys: ['group_policy'] },
  guest: { reader: 'the compute service, when it makes the guest', keys: ['hide_hypervisor_id'] },
} as const satisfies Readonly<Record<string, KeyReader>>

/**
 * Attributes of hosts. The compute capabilities filter reads an extra spec with such a name if the host has the attribute; so
 * it counts for aggregates only if one of them has it too.
 */
export const HOST_ATTRIBUTES = {
  figures: (
    'id uuid service_id host vcpus memory_mb local_gb vcpus_used memory_mb_used local_gb_used hypervisor_type ' +
    'hypervisor_version hypervisor_hostname free_ram_mb free_disk_gb current_workload running_vms ' +
    'disk_available_least host_ip mapped cpu_allocation_ratio ram_allocation_ratio disk_allocation_ratio ' +
    'total_usable_ram_mb total_usable_disk_gb disk_mb_used free_disk_mb vcpus_total num_instances num_io_ops ' +
    'failed_builds aggregates cell_uuid updated'
  ).split(' '),
  /** Those with members, as in `capabilities:cpu_info:vendor`. */
  nested: (
    'cpu_info metrics stats numa_topology supported_hv_specs pci_device_pools nodename pci_stats ' +
    'supported_instances limits instances'
  ).split(' '),
} as const

/**
 * What a flavor or an image requests and Nova schedules by, but Berth does not: hosts have no NUMA topology here, and PCI
 * devices are resources in Placement.
 */
const UNREAD_WISHES: ReadonlySet<string> = new Set([
  'pci_passthrough:alias',
  'hw_firmware_stateless',
  ...[
    ...['numa_nodes', 'mem_page_size', 'locked_memory', 'mem_encryption_model', 'virtio_packed_ring'],
    ...['sound_model', 'tpm_secret_security', 'maxphysaddr_mode'],
  ].flatMap(name => [`hw:${name}`, `hw_${name}`]),
])
const NUMA_NODE = /^hw[:_]numa_(cpus|mem)\.\d+$/

export const isUnreadWish = (key: string): boolean => UNREAD_WISHES.has(key) || NUMA_NODE.test(key)

/** What becomes part of the Placement query, so that a server placed without it would be wrong. */
export const isPlacementKey = (key: string): boolean =>
  /^(resources|trait)[a-zA-Z0-9_-]{0,64}:/.test(key) || isKeyOf(FLAVOR_KEY_READERS.placement, key)

/** Aggregate metadata that another filter, prefilter or weigher reads. Flavors do not use such keys. */
export const AGGREGATE_KEY_READERS = {
  zones: { reader: 'the scheduler, for zones', keys: ['availability_zone'] },
  tenancy: { reader: 'the multitenancy filter', keys: ['filter_tenant_id*'] },
  types: { reader: 'the type affinity filter', keys: ['instance_type'] },
  limits: {
    reader: 'the filters for instances and I/O per host',
    keys: ['max_instances_per_host', 'max_io_ops_per_host'],
  },
  weights: {
    reader: 'the weighers',
    keys: [
      'best_fit_weight_multiplier',
      'fragmentation_weight_multiplier',
      'ram_weight_multiplier',
      'cpu_weight_multiplier',
      'disk_weight_multiplier',
      'io_ops_weight_multiplier',
      'pci_weight_multiplier',
      'build_failure_weight_multiplier',
      'soft_affinity_weight_multiplier',
      'soft_anti_affinity_weight_multiplier',
      'hypervisor_version_weight_multiplier',
      'num_instances_weight_multiplier',
      'image_props_weight_multiplier',
      'metrics_weight_multiplier',
      'cross_cell_move_weight_multiplier',
      'preferred_traits_weight_multiplier',
    ],
  },
  isolation: { reader: 'the request to Placement', keys: ['trait:*'] },
  retired: {
    reader: 'filters that Nova no longer has',
    keys: ['cpu_allocation_ratio', 'ram_allocation_ratio', 'disk_allocation_ratio'],
  },
} as const satisfies Readonly<Record<string, KeyReader>>

/** Whether a key belongs to a reader. */
export function isKeyOf({ keys }: KeyReader, key: string): boolean {
  return keys.some(one => (one.endsWith('*') ? key.startsWith(one.slice(0, -1)) : one === key))
}

type Lookup = (key: string) => string | null

const makeLookup = (readers: Readonly<Record<string, KeyReader>>): Lookup => {
  const all = Object.values(readers)
  return key => all.find(one => isKeyOf(one, key))?.reader ?? null
}

/** The reader of an extra spec without a scope; null if only aggregates are compared with it. */
export const readerOfFlavorKey: Lookup = makeLookup(FLAVOR_KEY_READERS)

/** The reader of a metadata key besides the filters that compare it with flavors; null for the operator's own keys. */
export const readerOfAggregateKey: Lookup = makeLookup(AGGREGATE_KEY_READERS)

const ATTRIBUTES: ReadonlySet<string> = new Set([...HOST_ATTRIBUTES.figures, ...HOST_ATTRIBUTES.nested])

export const isHostAttribute = (key: string): boolean => ATTRIBUTES.has(key)
