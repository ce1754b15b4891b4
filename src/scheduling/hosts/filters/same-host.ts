import type { Filter } from '../../framework/filter.ts'
import { PASS, refuse } from '../../framework/refusal.ts'

export const sameHostFilter: Filter = {
  name: 'SameHostFilter',
  summary: 'Keeps to hosts that have at least one of the instances that the hint names.',
  reads: { hints: ['same_host'], host: ['instances'] },
  check({ hints: { sameHost } }, host) {
    return sameHost.length === 0 || sameHost.some(uuid => host.hasInstance(uuid))
      ? PASS
      : refuse('same-host.apart', { instances: sameHost })
  },
}
