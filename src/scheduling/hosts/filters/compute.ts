import type { Filter } from '../../framework/filter.ts'
import { PASS, refuse } from '../../framework/refusal.ts'

export const computeFilter: Filter = {
  name: 'ComputeFilter',
  summary: 'Keeps to hosts that are enabled and up.',
  reads: { host: ['enabled', 'up'] },
  momentary: true,
  check(_request, host) {
    if (!host.isEnabled) return refuse('host.disabled', { reason: host.disabledReason })
    return host.isUp ? PASS : refuse('host.down', { forced: host.isForcedDown })
  },
}
