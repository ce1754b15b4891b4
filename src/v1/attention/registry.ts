import type { AttentionCheck } from './check.ts'
import { classesEnd } from './checks/classes-end.ts'
import { certificateEnds, tokensEnd } from './checks/ends-soon.ts'
import { flavorsWithoutHost } from './checks/flavors-without-host.ts'
import { followerLags } from './checks/follower-lags.ts'
import { hostsDisabled, hostsDown } from './checks/hosts-disabled.ts'
import { hostsOverCapacity } from './checks/hosts-over-capacity.ts'
import { ledgerDiffers, ledgerUnchecked } from './checks/ledger-differs.ts'
import { metadataDrift } from './checks/metadata-drift.ts'
import { refusals } from './checks/refusals.ts'
import { reservationsShort } from './checks/reservations-short.ts'
import { shadowBehind, shadowDiffers } from './checks/shadow.ts'
import { sharePoolsFull } from './checks/share-pools-full.ts'
import { shareTiesBroken } from './checks/share-ties-broken.ts'
import { shareWorkWaits } from './checks/share-work-waits.ts'
import { sharedStorageFull } from './checks/shared-storage-full.ts'

/** Every check, in the order in which equally severe findings are shown. */
export const ATTENTION_CHECKS: readonly AttentionCheck[] = [
  followerLags,
  hostsOverCapacity,
  sharedStorageFull,
  certificateEnds,
  hostsDown,
  flavorsWithoutHost,
  reservationsShort,
  refusals,
  ledgerDiffers,
  ledgerUnchecked,
  shadowDiffers,
  shadowBehind,
  sharePoolsFull,
  shareTiesBroken,
  shareWorkWaits,
  tokensEnd,
  classesEnd,
  hostsDisabled,
  metadataDrift,
]
