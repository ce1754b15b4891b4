import { PASS, refuse } from '../../framework/refusal.ts'
import { definePoolFilter, definePoolReason } from '../pool-view.ts'

export const backendDisabled = definePoolReason({
  code: 'backend.disabled',
  text: ({ backend, reason }: { readonly backend: string; readonly reason: string | null }) =>
    `the back end ${backend} is disabled${reason === null ? '.' : `: ${reason}`}`,
  hostsText: 'are of a back end that is disabled',
  remedy: ({ backend }) => `enable ${backend}`,
  memberText: () => 'every back end that could take the share is disabled.',
})

/** Manila skips disabled services before any filter; here it is a filter, so that it can be explained. */
export const backEndFilter = definePoolFilter({
  name: 'BackEndFilter',
  summary: 'Passes only back ends that are enabled.',
  reads: { host: ['status'] },
  reasons: [backendDisabled],
  check: (_request, { isEnabled, backend, disabledReason }) =>
    isEnabled ? PASS : refuse(backendDisabled, { backend, reason: disabledReason }),
})
