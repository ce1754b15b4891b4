import { PASS, refuse } from '../../framework/refusal.ts'
import type { PoolFilter } from '../pool-view.ts'

/** Manila leaves disabled services out before it asks any filter; here it is one, so that it can be explained. */
export const backEndFilter: PoolFilter = {
  name: 'BackEndFilter',
  summary: 'Keeps to back ends that are enabled.',
  reads: { host: ['status'] },
  check(_request, { isEnabled, backend, disabledReason }) {
    return isEnabled ? PASS : refuse('backend.disabled', { backend, reason: disabledReason })
  },
}
