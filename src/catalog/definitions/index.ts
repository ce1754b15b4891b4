import aggregateChecks from './data/aggregate-checks.json' with { type: 'json' }
import aggregateFlavors from './data/aggregate-flavors.json' with { type: 'json' }
import aggregateLimits from './data/aggregate-limits.json' with { type: 'json' }
import aggregateRack from './data/aggregate-rack.json' with { type: 'json' }
import aggregateTenancy from './data/aggregate-tenancy.json' with { type: 'json' }
import aggregateWeights from './data/aggregate-weights.json' with { type: 'json' }
import aggregateZone from './data/aggregate-zone.json' with { type: 'json' }
import flavorAccelerators from './data/flavor-accelerators.json' with { type: 'json' }
import flavorCapabilitiesCpu from './data/flavor-capabilities-cpu.json' with { type: 'json' }
import flavorCapabilitiesHost from './data/flavor-capabilities-host.json' with { type: 'json' }
import flavorCapabilitiesUnknown from './data/flavor-capabilities-unknown.json' with { type: 'json' }
import flavorCpu from './data/flavor-cpu.json' with { type: 'json' }
import flavorDevices from './data/flavor-devices.json' with { type: 'json' }
import flavorOlderKeys from './data/flavor-older-keys.json' with { type: 'json' }
import flavorPersistentMemory from './data/flavor-persistent-memory.json' with { type: 'json' }
import flavorQuotaLibvirt from './data/flavor-quota-libvirt.json' with { type: 'json' }
import flavorQuotaVmware from './data/flavor-quota-vmware.json' with { type: 'json' }
import flavorRandomNumbers from './data/flavor-random-numbers.json' with { type: 'json' }
import flavorRequestGroups from './data/flavor-request-groups.json' with { type: 'json' }
import flavorSecureBoot from './data/flavor-secure-boot.json' with { type: 'json' }
import flavorTpm from './data/flavor-tpm.json' with { type: 'json' }
import flavorVideo from './data/flavor-video.json' with { type: 'json' }
import flavorVmware from './data/flavor-vmware.json' with { type: 'json' }
import guestCpuPolicy from './data/guest-cpu-policy.json' with { type: 'json' }
import guestCpuTopology from './data/guest-cpu-topology.json' with { type: 'json' }
import guestDevices from './data/guest-devices.json' with { type: 'json' }
import guestDiskEncryption from './data/guest-disk-encryption.json' with { type: 'json' }
import guestMemory from './data/guest-memory.json' with { type: 'json' }
import guestNuma from './data/guest-numa.json' with { type: 'json' }
import imageCompute from './data/image-compute.json' with { type: 'json' }
import imageFirmware from './data/image-firmware.json' with { type: 'json' }
import imageHardware from './data/image-hardware.json' with { type: 'json' }
import imageOlderNames from './data/image-older-names.json' with { type: 'json' }
import imageSignature from './data/image-signature.json' with { type: 'json' }
import imageSystem from './data/image-system.json' with { type: 'json' }
import shareTypeBasics from './data/share-type-basics.json' with { type: 'json' }
import shareTypeCapabilities from './data/share-type-capabilities.json' with { type: 'json' }
import shareTypeFeatures from './data/share-type-features.json' with { type: 'json' }
import shareTypeProvisioning from './data/share-type-provisioning.json' with { type: 'json' }
import { aggregateTraits, imageTraits, resources, traits } from './from-standards.ts'

/** A namespace as JSON, as in the API. */
export type NamespaceDocument = Readonly<Record<string, unknown>>

/** The built-in definitions, one namespace each. */
export const definitionFiles: readonly NamespaceDocument[] = [
  guestCpuPolicy,
  guestCpuTopology,
  guestDevices,
  guestDiskEncryption,
  guestMemory,
  guestNuma,
  flavorAccelerators,
  flavorCapabilitiesCpu,
  flavorCapabilitiesHost,
  flavorCapabilitiesUnknown,
  flavorCpu,
  flavorDevices,
  flavorOlderKeys,
  flavorPersistentMemory,
  flavorQuotaLibvirt,
  flavorQuotaVmware,
  flavorRandomNumbers,
  flavorRequestGroups,
  flavorSecureBoot,
  flavorTpm,
  flavorVideo,
  flavorVmware,
  imageCompute,
  imageFirmware,
  imageHardware,
  imageOlderNames,
  imageSignature,
  imageSystem,
  aggregateChecks,
  aggregateFlavors,
  aggregateLimits,
  aggregateRack,
  aggregateTenancy,
  aggregateWeights,
  aggregateZone,
  shareTypeBasics,
  shareTypeCapabilities,
  shareTypeFeatures,
  shareTypeProvisioning,
  resources,
  traits,
  imageTraits,
  aggregateTraits,
]
