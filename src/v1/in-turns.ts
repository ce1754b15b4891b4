import { setImmediate as nextTurn } from 'node:timers/promises'

const TURN_MS = 10

/** One result for each item, in order. Other requests get a turn between items, however much work there is. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T, at: number) => R): Promise<R[]> {
  const results: R[] = []
  let beganMs = performance.now()
  for (const [at, item] of items.entries()) {
    if (performance.now() - beganMs > TURN_MS) {
      await nextTurn()
      beganMs = performance.now()
    }
    results.push(work(item, at))
  }
  return results
}
