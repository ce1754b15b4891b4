import type { AttentionCheck } from '../check.ts'

/** Memory normally follows the database several times a second. */
const LAG_MS = 5_000

/** This process does not see what other processes write. */
export const followerLags: AttentionCheck = {
  code: 'follower.lags',
  what: 'This server does not see what others write to the database.',
  severity: 'critical',
  operation: 'berth:verify',
  restMs: 0,
  readsMoreThanState: true,
  find({ follower: { staleMs, lastError } }) {
    if (staleMs < LAG_MS && lastError === null) return null
    const age = `memory is ${Math.round(staleMs / 1000)} s behind the database`
    return {
      total: 1,
      text: lastError === null ? `This server lags: ${age}` : `The database cannot be read: ${lastError}`,
      link: null,
      command: 'berth verify',
      items: [],
    }
  },
}
