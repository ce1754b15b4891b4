import type { FilterItem } from './evaluate-filter.ts'

/** Something that each filter lets through and something that it does not, for the reference page and for the tests. */
interface FilterExample {
  readonly filter: string
  readonly passes: FilterItem
  readonly refused: FilterItem
}

const UUID = 'c4a1…'

export const FILTER_EXAMPLES: readonly FilterExample[] = [
  {
    filter: 'ComputeFilter',
    passes: { host: { enabled: true, up: true } },
    refused: { host: { enabled: false, disabled_reason: 'disk is dying' } },
  },
  {
    filter: 'ComputeCapabilitiesFilter',
    passes: {
      extra_specs: { 'capabilities:cpu_info:vendor': '<in> Intel' },
      host: { attributes: { cpu_info: { vendor: 'GenuineIntel' } } },
    },
    refused: {
      extra_specs: { 'capabilities:hypervisor_version': '>= 8000000' },
      host: { attributes: { hypervisor_version: 7002000 } },
    },
  },
  {
    filter: 'ImagePropertiesFilter',
    passes: {
      image_properties: { hw_architecture: 'x86_64' },
      host: { attributes: { supported_instances: [['x86_64', 'kvm', 'hvm']] } },
    },
    refused: {
      image_properties: { hw_architecture: 'aarch64', img_hv_type: 'kvm' },
      host: { attributes: { supported_instances: [['x86_64', 'kvm', 'hvm']] } },
    },
  },
  {
    filter: 'ServerGroupAntiAffinityFilter',
    passes: { host: { name: 'h1' }, server_group: { policy: 'anti-affinity', members: { h2: 1 } } },
    refused: {
      host: { name: 'h1' },
      server_group: { policy: 'anti-affinity', max_server_per_host: 2, members: { h1: 2 } },
    },
  },
  {
    filter: 'ServerGroupAffinityFilter',
    passes: { host: { name: 'h1' }, server_group: { policy: 'affinity', members: { h1: 1 } } },
    refused: { host: { name: 'h1' }, server_group: { policy: 'affinity', members: { h2: 1 } } },
  },
  {
    filter: 'AvailabilityZoneFilter',
    passes: { zone: 'west', aggregates: [{ availability_zone: 'west' }] },
    refused: { zone: 'west', aggregates: [{ ssd: 'true' }] },
  },
  {
    filter: 'SameHostFilter',
    passes: { hints: { same_host: [UUID] }, host: { instances: [UUID] } },
    refused: { hints: { same_host: [UUID] }, host: { instances: [] } },
  },
  {
    filter: 'DifferentHostFilter',
    passes: { hints: { different_host: [UUID] }, host: { instances: [] } },
    refused: { hints: { different_host: [UUID] }, host: { instances: [UUID] } },
  },
  {
    filter: 'AggregateInstanceTypeFilter',
    passes: { extra_specs: { ssd: '*' }, aggregates: [{ ssd: 'nvme' }] },
    refused: { extra_specs: {}, aggregates: [{ ssd: 'nvme', force_metadata_check: 'True' }] },
  },
  {
    filter: 'AggregateInstanceExtraSpecsFilter',
    passes: {
      extra_specs: { 'aggregate_instance_extra_specs:ssd': '<or> nvme <or> sata' },
      aggregates: [{ ssd: 'sata' }],
    },
    refused: { extra_specs: { ssd: 'nvme' }, aggregates: [{ ssd: 'sata' }] },
  },
  {
    filter: 'AggregateTypeAffinityFilter',
    passes: { flavor: 'm1', aggregates: [{ instance_type: 'm1,m2' }] },
    refused: { flavor: 'm3', aggregates: [{ instance_type: 'm1,m2' }] },
  },
  {
    filter: 'AggregateMultiTenancyIsolation',
    passes: { project: 'p2', aggregates: [{ filter_tenant_id: 'p1', filter_tenant_id2: 'p2' }] },
    refused: { project: 'p3', aggregates: [{ filter_tenant_id: 'p1' }] },
  },
  {
    filter: 'AggregateImagePropertiesIsolation',
    passes: { image_properties: { os_type: 'linux' }, aggregates: [{ os_type: 'linux,bsd' }] },
    refused: { image_properties: { os_type: 'windows' }, aggregates: [{ os_type: 'linux,bsd' }] },
  },
  {
    filter: 'NumInstancesFilter',
    passes: { host: { num_instances: 49 } },
    refused: { host: { num_instances: 50 } },
  },
  {
    filter: 'AggregateNumInstancesFilter',
    passes: { host: { num_instances: 60 }, aggregates: [{ max_instances_per_host: '100' }] },
    refused: { host: { num_instances: 10 }, aggregates: [{ max_instances_per_host: '10' }] },
  },
  { filter: 'IoOpsFilter', passes: { host: { num_io_ops: 7 } }, refused: { host: { num_io_ops: 8 } } },
  {
    filter: 'AggregateIoOpsFilter',
    passes: { host: { num_io_ops: 9 }, aggregates: [{ max_io_ops_per_host: '20' }] },
    refused: { host: { num_io_ops: 2 }, aggregates: [{ max_io_ops_per_host: '2' }] },
  },
  {
    filter: 'JsonFilter',
    passes: { hints: { query: ['>=', '$free_ram_mb', 1024] }, host: { free_ram_mb: 2048 } },
    refused: { hints: { query: ['>=', '$free_ram_mb', 1024] }, host: { free_ram_mb: 512 } },
  },
  {
    filter: 'IsolatedHostsFilter',
    passes: {
      image: 'i1',
      host: { name: 'h1' },
      settings: { isolated_hosts: ['h1'], isolated_images: ['i1'] },
    },
    refused: { image: 'i2', host: { name: 'h1' }, settings: { isolated_hosts: ['h1'] } },
  },
]
