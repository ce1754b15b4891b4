import { reason, verdictOf } from '../../framework/refusal.ts'
import type { PoolFilter } from '../pool-view.ts'

/** A share that is being moved counts where it is and where it is going. */
export const antiAffinityFilter: PoolFilter = {
  name: 'AntiAffinityFilter',
  summary: 'Keeps to back ends that have none of the shares that the hint different_host names.',
  reads: { hints: ['different_host'], host: ['shares'] },
  check({ differentHost }, { backendId }) {
    const met = differentHost.filter(one => one.backendId === backendId || one.nextBackendId === backendId)
    return verdictOf(
      met.map(({ uuid }) => reason('anti-affinity.together', { share: uuid })),
      [],
    )
  },
}
