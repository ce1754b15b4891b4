import { checkCatalog } from '../catalog/invariants.ts'
import { checkCompute } from '../compute/invariants.ts'
import { checkIdentity } from '../identity/invariants.ts'
import { checkPlacement } from '../placement/invariants.ts'
import { checkShares } from '../shares/invariants.ts'
import { checkInvariants, type Finding, type FirstFindings, type InvariantCheck } from '../world/findings.ts'
import type { World } from '../world/world.ts'

/** The invariants of every service. */
export const invariantChecks: readonly InvariantCheck[] = [
  checkPlacement,
  checkCatalog,
  checkCompute,
  checkIdentity,
  checkShares,
]

export const checkWorld = (world: World): FirstFindings<Finding> => checkInvariants(world, invariantChecks)
