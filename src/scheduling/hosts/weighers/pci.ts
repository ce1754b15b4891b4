import type { Weigher } from '../../framework/weigher.ts'

/** Above this, more devices are no better. */
const DEVICES_MAX = 100

export const pciWeigher: Weigher = {
  name: 'PCIWeigher',
  summary: 'Prefers hosts with fewer free PCI devices, to keep the devices for servers that need them.',
  multiplierKey: 'pci_weight_multiplier',
  multiplier: 1,
  multiplierMin: 0,
  reads: { host: ['free PCI devices'] },
  weigh: (_request, host) => DEVICES_MAX - Math.min(host.pciDevicesFree, DEVICES_MAX - 1),
}
