import type { Filter } from '../../framework/filter.ts'
import { PASS, refuse } from '../../framework/refusal.ts'

export const differentHostFilter: Filter = {
  name: 'DifferentHostFilter',
  summary: 'Keeps to hosts that have none of the instances that the hint names.',
  reads: { hints: ['different_host'], host: ['instances'] },
  check({ hints: { differentHost } }, host) {
    const instances = differentHost.filter(uuid => host.hasInstance(uuid))
    return instances.length === 0 ? PASS : refuse('different-host.together', { instances })
  },
}
