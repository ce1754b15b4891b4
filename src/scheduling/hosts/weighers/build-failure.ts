import type { Weigher } from '../../framework/weigher.ts'

export const buildFailureWeigher: Weigher = {
  name: 'BuildFailureWeigher',
  summary: 'Avoids hosts where builds failed lately; by default this outweighs every other weigher.',
  multiplierKey: 'build_failure_weight_multiplier',
  multiplier: 1_000_000,
  isNegated: true,
  reads: { host: ['failed_builds'] },
  weigh: (_request, host) => host.failedBuilds,
}
