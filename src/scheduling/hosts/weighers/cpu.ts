import type { Weigher } from '../../framework/weigher.ts'

export const cpuWeigher: Weigher = {
  name: 'CPUWeigher',
  summary: 'Prefers hosts with more free virtual CPUs, including over-commitment.',
  multiplierKey: 'cpu_weight_multiplier',
  multiplier: 1,
  least: 0,
  reads: { host: ['vcpus_total', 'vcpus_used', 'cpu_allocation_ratio'] },
  weigh: (_request, { vcpusTotal, vcpusUsed, cpuAllocationRatio }) =>
    vcpusTotal * cpuAllocationRatio - vcpusUsed,
}
