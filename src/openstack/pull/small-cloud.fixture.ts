import type { FakeCloud } from '../cloud/fake-cloud.fixture.ts'

export const uuidOf = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`

const flavor = (id: string, name: string, more = {}) => ({
  id,
  name,
  ram: 2048,
  vcpus: 2,
  disk: 20,
  'OS-FLV-EXT-DATA:ephemeral': 0,
  swap: 0,
  rxtx_factor: 1,
  'os-flavor-access:is_public': true,
  description: null,
  extra_specs: {},
  ...more,
})

const service = (host: string, more = {}) => ({
  binary: 'nova-compute',
  host,
  status: 'enabled',
  state: 'up',
  disabled_reason: null,
  forced_down: false,
  ...more,
})

const hypervisor = (nth: number, host: string) => ({
  id: uuidOf(nth),
  hypervisor_hostname: `${host}.example.org`,
  hypervisor_type: 'QEMU',
  hypervisor_version: 8_002_000,
  service: { host },
})

const server = (nth: number, host: string, more = {}) => ({
  id: uuidOf(nth),
  name: `vm-${nth}`,
  status: 'ACTIVE',
  updated: '2026-01-01T00:00:00Z',
  tenant_id: 'p',
  user_id: 'u',
  image: { id: uuidOf(900) },
  flavor: { original_name: 'm1', vcpus: 2, ram: 2048, disk: 20, ephemeral: 0, swap: 0, extra_specs: {} },
  'OS-EXT-SRV-ATTR:hypervisor_hostname': `${host}.example.org`,
  ...more,
})

const shareService = (nth: number, backend: string) => ({
  id: nth,
  binary: 'manila-share',
  host: `farm@${backend}`,
  zone: 'nova',
  status: 'enabled',
  state: 'up',
  disabled_reason: null as string | null,
})

const pool = (name: string, more = {}) => ({
  name: `farm@${name}`,
  capabilities: {
    total_capacity_gb: 100,
    free_capacity_gb: 90,
    allocated_capacity_gb: 10,
    reserved_percentage: 10,
    driver_handles_share_servers: false,
    share_backend_name: name.split('#')[0],
    timestamp: '2026-01-01T00:00:00.000001',
    ...more,
  } as Record<string, unknown>,
})

export const share = (nth: number, host: string | null, more = {}) => ({
  id: uuidOf(nth),
  name: `share-${nth}`,
  description: null,
  project_id: 'p',
  user_id: 'u',
  size: 10,
  share_proto: 'NFS',
  share_type: uuidOf(41) as string | null,
  host: host === null ? null : `farm@${host}`,
  status: 'available',
  task_state: null as string | null,
  is_public: false,
  availability_zone: 'nova',
  snapshot_id: null,
  metadata: {} as Record<string, string>,
  created_at: new Date(Date.UTC(2026, 0, 1, 0, nth)).toISOString().slice(0, -1),
  ...more,
})

/** A cloud of three computes, one of which the ledger does not know, and what tests change in it. */
export class SmallCloud {
  readonly flavors = [
    flavor('1', 'm1', { extra_specs: { 'aggregate_instance_extra_specs:ssd': 'true' } }),
    flavor('2', 'private', { 'os-flavor-access:is_public': false }),
  ]
  readonly services = [
    service('cn1'),
    service('cn2', { status: 'disabled', disabled_reason: 'broken fan', state: 'down' }),
    service('cn3'),
  ]
  readonly hypervisors = [hypervisor(11, 'cn1'), hypervisor(12, 'cn2'), hypervisor(13, 'cn3')]
  readonly aggregates = [
    {
      uuid: uuidOf(21),
      name: 'ssd',
      metadata: { ssd: 'true', availability_zone: 'az1' },
      hosts: ['cn1', 'cn3'],
    },
  ]
  readonly groups = [
    {
      id: uuidOf(31),
      name: 'web',
      policy: 'anti-affinity',
      rules: { max_server_per_host: 2 },
      members: [uuidOf(101), uuidOf(102)],
      project_id: 'p',
      user_id: 'u',
    },
  ]
  /** What Manila allows in a page of shares. */
  pageMax = 1_000
  servers: ReturnType<typeof server>[] = [server(101, 'cn1'), server(102, 'cn2')]

  readonly shareServices = [shareService(1, 'alpha'), shareService(2, 'beta')]
  pools = [pool('alpha#a1'), pool('alpha#a2'), pool('beta#b1', { free_capacity_gb: 70 })]
  shares = [
    share(201, 'alpha#a1', {
      metadata: { __affinity_different_host: uuidOf(202), team: 'lab' },
    }),
    share(202, 'beta#b1', { metadata: { __affinity_different_host: uuidOf(201) } }),
  ]
  /** By share. */
  readonly instances = new Map<string, { status: string; host: string }[]>()

  constructor(fake: FakeCloud) {
    fake.share
      .set('/services', () => ({ services: this.shareServices }))
      .set('/scheduler-stats/pools/detail', () => ({ pools: this.pools }))
      .set('/shares/detail', query => {
        const newest = this.shares.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
        const at = Number(query.get('offset') ?? 0)
        const count = query.has('with_count') ? { count: this.shares.length } : {}
        return { shares: newest.slice(at, at + Math.min(this.pageMax, Number(query.get('limit')))), ...count }
      })
    for (let nth = 201; nth < 300; nth++)
      fake.share
        .set(`/shares/${uuidOf(nth)}`, () => {
          const found = this.shares.find(({ id }) => id === uuidOf(nth))
          return found === undefined ? { status: 404 } : { share: found }
        })
        .set(`/shares/${uuidOf(nth)}/instances`, () => ({
          share_instances: this.instances.get(uuidOf(nth)) ?? [],
        }))
    fake.compute
      .set('/flavors/detail', () => ({ flavors: this.flavors }))
      .set('/flavors/2/os-flavor-access', { flavor_access: [{ flavor_id: '2', tenant_id: 'p' }] })
      .set('/os-aggregates', () => ({ aggregates: this.aggregates }))
      .set('/os-services', () => ({ services: this.services }))
      .set('/os-hypervisors/detail', () => ({ hypervisors: this.hypervisors }))
      .set('/os-availability-zone/detail', { availabilityZoneInfo: [] })
      .set('/os-server-groups', query => ({ server_groups: query.get('offset') === null ? this.groups : [] }))
      .set('/servers/detail', query => {
        const since = query.get('changes-since')
        return { servers: this.servers.filter(one => since === null || one.updated >= since) }
      })
    fake.image
      .set('/metadefs/namespaces', { namespaces: [{ namespace: 'Lab::Racks' }] })
      .set('/metadefs/namespaces/Lab::Racks', {
        namespace: 'Lab::Racks',
        display_name: 'Racks',
        visibility: 'public',
        protected: true,
        owner: 'admin',
        resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'lab:' }],
        properties: { row: { title: 'Row', type: 'string' } },
        objects: [],
        tags: [{ name: 'lab' }],
      })
    fake.share.set('/types', {
      share_types: [
        {
          id: uuidOf(41),
          name: 'gold',
          description: null,
          'share_type_access:is_public': true,
          is_default: true,
          extra_specs: { driver_handles_share_servers: 'False' },
        },
      ],
    })
  }
}
