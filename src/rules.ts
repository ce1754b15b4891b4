import { catalogRules } from './catalog/rules.ts'
import { computeRules } from './compute/rules.ts'
import { identityRules } from './identity/rules/rules.ts'
import { placementRules } from './placement/rules.ts'

/** Every command of every service. A service knows its own; the sequencer and what serves them all know these. */
export const rules = { ...placementRules, ...catalogRules, ...computeRules, ...identityRules }

export type BerthRules = typeof rules
