import type { Filter } from '../../framework/filter.ts'
import { reason, verdictOf } from '../../framework/refusal.ts'
import { definePoolReason, type POOL_SETTINGS, type PoolView, type ShareRequest } from '../pool-view.ts'

/** A share of a Manila, whose hints may name shares that Manila does not have. */
export interface ManilaShareRequest extends ShareRequest {
  readonly unknownShares: readonly string[]
}

const unknown = definePoolReason({
  code: 'hint.unknown-share',
  text: ({ share }: { readonly share: string }) => `share ${share}, which a hint names, does not exist.`,
  hostsText: 'are refused because a hint names a share that does not exist',
  remedy: ({ share }) => `leave share ${share} out of the hints`,
  memberText: ({ share }) => `the hints name share ${share}, which does not exist.`,
})

/** For shares of a Manila: Berth's own share API refuses such a request at once. */
export const hintedSharesFilter: Filter<PoolView, ManilaShareRequest, typeof POOL_SETTINGS> = {
  name: 'HintedSharesFilter',
  summary: 'Passes only if every share that a hint of a new share names exists.',
  reads: { hints: ['same_host', 'different_host'] },
  reasons: [unknown],
  check: ({ unknownShares }) => verdictOf(unknownShares.map(share => reason(unknown, { share }))),
}
