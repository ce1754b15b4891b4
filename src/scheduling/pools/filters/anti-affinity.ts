import { reason, verdictOf } from '../../framework/refusal.ts'
import { definePoolFilter, definePoolReason } from '../pool-view.ts'

/** The named share is on this back end, or on its way to it. */
const together = definePoolReason({
  code: 'anti-affinity.together',
  text: ({ share }: { readonly share: string }) =>
    `share ${share}, which it must be away from, is on this back end.`,
  hostsText: 'have a share that it must be away from',
  remedy: ({ share }, pool) => `move share ${share} away from ${pool}`,
  memberText: ({ share }) =>
    `the share must not be on the back end of share ${share}, and no other pool fits.`,
})

/** A share that is being moved counts at its source and its target. */
export const antiAffinityFilter = definePoolFilter({
  name: 'AntiAffinityFilter',
  summary: 'Passes only back ends that have none of the shares that the hint different_host names.',
  reads: { hints: ['different_host'], host: ['shares'] },
  reasons: [together],
  check({ differentHost }, { backendId }) {
    const met = differentHost.filter(one => one.backendId === backendId || one.nextBackendId === backendId)
    return verdictOf(met.map(({ uuid }) => reason(together, { share: uuid })))
  },
})
