import type { Weigher } from '../../framework/weigher.ts'

export const ioOpsWeigher: Weigher = {
  name: 'IoOpsWeigher',
  summary: 'Avoids hosts with many instances in heavy work.',
  multiplierKey: 'io_ops_weight_multiplier',
  multiplier: -1,
  least: 0,
  reads: { host: ['num_io_ops'] },
  weigh: (_request, host) => host.ioOpsCount,
}
