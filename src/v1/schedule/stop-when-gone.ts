import { Turns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'

/** Lets other requests run, and ends long work whose client has gone: nobody reads this problem. */
export function pauseUntilGone(onClose: (callback: () => void) => void): () => Promise<void> {
  let isGone = false
  onClose(() => {
    isGone = true
  })
  const turns = new Turns()
  return async () => {
    if ((await turns.give()) && isGone)
      throw new Problem(503, 'request.client-gone', 'The client closed the connection.')
  }
}
