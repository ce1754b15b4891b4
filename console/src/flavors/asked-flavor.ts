import type { Flavor } from '../../../src/wire/openstack-compute.ts'
import type { Specs } from '../metadata/spec-changes.ts'

/** A flavor with other extra specs, as a request to the scheduler, with all its disks. */
export const askedFlavor = (flavor: Flavor, extra_specs: Specs) => ({
  name: flavor.name,
  vcpus: flavor.vcpus,
  ram: flavor.ram,
  disk: flavor.disk,
  ephemeral: flavor['OS-FLV-EXT-DATA:ephemeral'],
  swap: Number(flavor.swap),
  extra_specs,
})
