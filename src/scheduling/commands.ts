import { chooseAndClaim, claimHosts, noteDecision } from './hosts/claim.ts'
import { rebuildServer } from './hosts/rebuild.ts'
import { forgetManilaShare, placeManilaShare } from './pools/manila-claims.ts'

export const schedulingRules = {
  'scheduling:claim': claimHosts,
  'scheduling:choose-and-claim': chooseAndClaim,
  'scheduling:rebuild': rebuildServer,
  'scheduling:note-decision': noteDecision,
  'scheduling:place-manila-share': placeManilaShare,
  'scheduling:forget-manila-share': forgetManilaShare,
}
