import type { Weigher } from '../../framework/weigher.ts'

export const buildFailureWeigher: Weigher = {
  name: 'BuildFailureWeigher',
  summary: 'Keeps away from hosts where builds failed lately, before anything else.',
  multiplierKey: 'build_failure_weight_multiplier',
  multiplier: 1_000_000,
  isNegated: true,
  reads: { host: ['failed_builds'] },
  weigh: (_request, host) => host.failedBuilds,
}
