import type { Weigher } from '../../framework/weigher.ts'

export const numInstancesWeigher: Weigher = {
  name: 'NumInstancesWeigher',
  summary:
    'With a negative multiplier prefers hosts with fewer instances, with a positive one those with more.',
  multiplierKey: 'num_instances_weight_multiplier',
  multiplier: 0,
  reads: { host: ['num_instances'] },
  weigh: (_request, host) => host.instanceCount,
}
