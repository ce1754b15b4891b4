import { StoreRejected, StoreUnavailable, StoreUncertain } from '../store.ts'

/** Memory can no longer be trusted; see the cause. Commands rejected with it were not tried. */
export class SequencerBroken extends StoreUnavailable {
  override name = 'SequencerBroken'
}

export function toUncertain(reason: unknown): StoreUncertain {
  const why = reason instanceof Error ? reason.message : String(reason)
  return new StoreUncertain(`it is not known whether the write was stored: ${why}`, { cause: reason })
}

/** After these, memory is still right and the next write may succeed. */
export function isPassing(reason: unknown): boolean {
  return (
    reason instanceof StoreUnavailable || reason instanceof StoreRejected || reason instanceof StoreUncertain
  )
}

/** For metrics. */
export function readKind(refusal: unknown): string {
  return typeof refusal === 'object' && refusal !== null && 'kind' in refusal ? String(refusal.kind) : 'other'
}
