import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '../api/problem.ts'

/** Lets other requests run, and ends long work whose client has gone: nobody reads this problem. */
export function pauseUntilGone(onClose: (callback: () => void) => void): () => Promise<void> {
  let isGone = false
  onClose(() => {
    isGone = true
  })
  return async () => {
    await nextTurn()
    if (isGone) throw new Problem(503, 'request.client-gone', 'The client closed the connection.')
  }
}
