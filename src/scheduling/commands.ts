import { chooseAndClaim, claimHosts, noteDecision } from './hosts/claim.ts'
import { rebuildServer } from './hosts/rebuild.ts'
import { forgetManilaShare, placeManilaShare } from './pools/manila-claims.ts'

import {
  createReservation,
  deleteReservation,
  expireReservations,
  holdFailover,
  leaveClosedHosts,
  noteShort,
} from './reservations/reservations.ts'

export const schedulingRules = {
  'scheduling:claim': claimHosts,
  'scheduling:choose-and-claim': chooseAndClaim,
  'scheduling:rebuild': rebuildServer,
  'scheduling:note-decision': noteDecision,
  'scheduling:create-reservation': createReservation,
  'scheduling:delete-reservation': deleteReservation,
  'scheduling:expire-reservations': expireReservations,
  'scheduling:leave-closed-hosts': leaveClosedHosts,
  'scheduling:note-short': noteShort,
  'scheduling:hold-failover': holdFailover,
  'scheduling:place-manila-share': placeManilaShare,
  'scheduling:forget-manila-share': forgetManilaShare,
}
