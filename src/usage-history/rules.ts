import { accept, type Decision, NO_CHANGE } from '../world/decision.ts'

/** Samples of usage are stored as rows in its commit; the state does not change. */
const recordUsage = (): Decision<null, never> => accept(NO_CHANGE, null)

export const usageHistoryRules = { 'usage-history:record': recordUsage }
export type UsageHistoryRules = typeof usageHistoryRules
