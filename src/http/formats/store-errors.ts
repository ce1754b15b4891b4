import { SequencerBroken } from '../../store/sequencer/failures.ts'
import { StoreFull, StoreSilent, StoreUnavailable, type StoreUncertain } from '../../store/store.ts'

interface StoreErrorText {
  readonly status: 503 | 507
  readonly code: string
  readonly detail: string
}

/** The message for callers. The error's own message may contain paths and addresses: it goes to the log. */
export function describeStoreError(error: StoreUnavailable | StoreUncertain): StoreErrorText {
  if (error instanceof StoreFull)
    return { status: 507, code: 'store.full', detail: 'The disk of the store is full; nothing was changed.' }
  if (error instanceof SequencerBroken)
    return {
      status: 503,
      code: 'server.stopping',
      detail: 'This server is stopping; nothing was changed. Try again.',
    }
  const isSilent = error instanceof StoreSilent || error.cause instanceof StoreSilent
  const what = isSilent ? 'The store does not answer' : 'The store is unavailable'
  if (error instanceof StoreUnavailable)
    return { status: 503, code: 'store.unavailable', detail: `${what}; nothing was changed.` }
  const unknown = 'it is not known whether the change was stored: check before you repeat the request'
  return { status: 503, code: 'store.uncertain', detail: `${what}; ${unknown}.` }
}
