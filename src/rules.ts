import { catalogRules } from './catalog/rules.ts'
import { computeRules } from './compute/rules.ts'
import { placementRules } from './placement/rules.ts'
import { shareRules } from './shares/rules.ts'

/** Every command of every service. A service knows its own; the sequencer and what serves them all know these. */
export const rules = { ...placementRules, ...catalogRules, ...computeRules, ...shareRules }

export type BerthRules = typeof rules
