import type { Weigher } from '../../framework/weigher.ts'

export const hypervisorVersionWeigher: Weigher = {
  name: 'HypervisorVersionWeigher',
  summary: 'Prefers hosts with a newer hypervisor.',
  multiplierKey: 'hypervisor_version_weight_multiplier',
  multiplier: 1,
  reads: { host: ['hypervisor_version'] },
  weigh(_request, host) {
    const version = host.attribute('hypervisor_version')
    return typeof version === 'number' ? version : 0
  },
}
