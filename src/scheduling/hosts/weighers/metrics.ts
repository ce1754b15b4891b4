import type { Weigher } from '../../framework/weigher.ts'

export const metricsWeigher: Weigher = {
  name: 'MetricsWeigher',
  summary:
    'Adds up what is measured on the host, each metric by its weight. A host that lacks one comes last.',
  multiplierKey: 'metrics_weight_multiplier',
  multiplier: 1,
  reads: { host: ['metrics'], settings: ['metricWeights', 'weightOfUnavailableMetric'] },
  isIdle: (_request, { metricWeights }) => Object.values(metricWeights).every(ratio => ratio === 0),
  weigh(_request, host, { metricWeights, weightOfUnavailableMetric }) {
    let weight = 0
    for (const [name, ratio] of Object.entries(metricWeights)) {
      if (ratio === 0) continue
      const measured = host.metric(name)
      if (measured === undefined) return weightOfUnavailableMetric
      weight += measured * ratio
    }
    return weight
  },
}
