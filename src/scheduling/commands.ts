import { chooseAndClaim, claimHosts, noteDecision } from './hosts/claim.ts'
import { rebuildServer } from './hosts/rebuild.ts'

export const schedulingRules = {
  'scheduling:claim': claimHosts,
  'scheduling:choose-and-claim': chooseAndClaim,
  'scheduling:rebuild': rebuildServer,
  'scheduling:note-decision': noteDecision,
}
