import type { Weigher } from '../../framework/weigher.ts'

export const ramWeigher: Weigher = {
  name: 'RAMWeigher',
  summary: 'Prefers hosts with more free memory.',
  multiplierKey: 'ram_weight_multiplier',
  multiplier: 1,
  least: 0,
  reads: { host: ['free_ram_mb'] },
  weigh: (_request, host) => host.ramMibFree,
}
