import type { Registry } from '../http/ops/metrics.ts'
import type { Attention } from '../v1/attention/attention.ts'

/** The findings of `GET /v1/attention` as numbers. A scrape reads the last results and starts new checks for the next one. */
export function addAttentionMetrics(registry: Registry, attention: Attention): void {
  registry.gauge(
    'berth_attention',
    'How many things need attention, by code and severity, as `GET /v1/attention` has them; 0 for checks that found nothing. ' +
      'The numbers are those of the scrape before, or of the last request. Without a series of a code it is not known yet.',
    () => {
      void attention.refresh()
      return attention.results
        .filter(({ failure }) => failure === null)
        .map(({ check, finding }) => ({
          labels: [check.code, finding?.severity ?? check.severity],
          value: finding?.total ?? 0,
        }))
    },
    ['code', 'severity'],
  )
  registry.gauge(
    'berth_attention_checks_failed',
    'Checks of `GET /v1/attention` that could not be made.',
    () => attention.results.filter(({ failure }) => failure !== null).length,
  )
}
