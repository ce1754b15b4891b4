import type { FakeCloud } from '../cloud/fake-cloud.fixture.ts'
import type { NovaServer, NovaState } from './nova-state.ts'

/** Makes the Nova of a fake cloud answer from a state. */
export function serveNova(fake: FakeCloud, nova: NovaState): void {
  fake.minors = { ...fake.minors, compute: 98 }
  fake.compute.clear()
  const servers = [...nova.servers.values()].map(toAnswer)
  fake.compute.set('/servers/detail', { servers })
  for (const server of servers) fake.compute.set(`/servers/${server.id}`, { server })
  for (const id of nova.deletedServers)
    fake.compute.set(`/servers/${id}/os-instance-actions`, { instanceActions: [] })
  fake.compute.set('/os-migrations', {
    migrations: nova.migrations.map(one => ({
      id: one.id,
      uuid: one.uuid,
      instance_uuid: one.server,
      migration_type: one.type,
      status: one.status,
      source_node: one.sourceNode,
      dest_node: one.destNode,
      created_at: '2026-01-01T00:00:00.000000',
    })),
  })
  fake.compute.set('/os-hypervisors/detail', {
    hypervisors: nova.computes.map(({ id, name, host, isUp, isDisabled, isIronic }) => ({
      id,
      hypervisor_hostname: name,
      hypervisor_type: isIronic ? 'ironic' : 'QEMU',
      state: isUp ? 'up' : 'down',
      status: isDisabled ? 'disabled' : 'enabled',
      service: { host },
    })),
  })
  const status = nova.isPartial ? 'UNKNOWN' : 'enabled'
  fake.compute.set('/os-services', { services: [...nova.serviceHosts].map(host => ({ host, status })) })
  fake.compute.set('/os-aggregates', { aggregates: nova.aggregates })
}

const toAnswer = (server: NovaServer) => ({
  id: server.id,
  name: server.name,
  status: server.status,
  tenant_id: server.projectId,
  user_id: server.userId,
  image: server.isVolumeBacked ? '' : { id: 'image', properties: server.imageProperties },
  ...(server.flavor === null ? {} : { flavor: toFlavor(server.flavor) }),
  'OS-EXT-STS:vm_state': server.vmState,
  'OS-EXT-STS:task_state': server.taskState,
  'OS-EXT-SRV-ATTR:host': server.host,
  'OS-EXT-SRV-ATTR:hypervisor_hostname': server.node,
  'OS-SRV-USG:launched_at': server.wasLaunched ? '2026-01-01T00:00:00.000000' : null,
})

const toFlavor = (flavor: NonNullable<NovaServer['flavor']>) => ({
  original_name: flavor.name,
  vcpus: flavor.vcpus,
  ram: flavor.ramMib,
  disk: flavor.rootGb,
  ephemeral: flavor.ephemeralGb,
  swap: flavor.swapMib,
  extra_specs: flavor.extraSpecs,
})
