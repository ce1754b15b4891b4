import { uuid } from './running-berth.ts'

/** Three hosts of 8 processors, 16 GiB and 100 GB each, as POST /v1/apply takes them. */
export const THREE_HOSTS = ['alpha', 'beta', 'gamma'].map((name, at) => ({
  name,
  uuid: uuid(at + 1),
  inventories: { VCPU: { total: 8 }, MEMORY_MB: { total: 16_384 }, DISK_GB: { total: 100 } },
}))

/** With a flavor that takes half of one, one that asks for ssd, and one that is too large. */
export const DECLARED = {
  hosts: THREE_HOSTS,
  flavors: [
    { id: 'half', name: 'm1.half', vcpus: 4, ram: 8192, disk: 20 },
    { id: 'fast', name: 'm1.fast', vcpus: 1, ram: 512, disk: 1, extra_specs: { disk: 'ssd' } },
    { id: 'huge', name: 'm1.huge', vcpus: 64, ram: 512, disk: 1 },
  ],
  aggregates: [
    { name: 'rack-1', availability_zone: 'east', hosts: ['alpha', 'beta'] },
    { name: 'disks', metadata: { disk: 'hdd' }, hosts: ['alpha'] },
  ],
}
