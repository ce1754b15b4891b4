import type { ChangeRefused } from '../../world/change-refused.ts'
import { StoreRejected, StoreUnavailable, StoreUncertain } from '../store.ts'

/** Memory can no longer be trusted. The cause says why. Commands that it turns away were not tried. */
export class SequencerBroken extends StoreUnavailable {
  override name = 'SequencerBroken'
}

export function unknownOutcome(reason: unknown): StoreUncertain {
  const why = reason instanceof Error ? reason.message : String(reason)
  return new StoreUncertain(`it is not known whether the write was stored: ${why}`, { cause: reason })
}

/** After these, memory is still right and the next write may well succeed. */
export function isPassing(reason: unknown): boolean {
  return (
    reason instanceof StoreUnavailable || reason instanceof StoreRejected || reason instanceof StoreUncertain
  )
}

/** The world did not take the only change of a batch. Nothing was stored, and memory is what it was. */
export class RehearsalRefused extends Error {
  readonly reason: ChangeRefused

  constructor(reason: ChangeRefused) {
    super(reason.message)
    this.reason = reason
  }
}

/** For metrics. */
export function kindOf(refusal: unknown): string {
  return typeof refusal === 'object' && refusal !== null && 'kind' in refusal ? String(refusal.kind) : 'other'
}
