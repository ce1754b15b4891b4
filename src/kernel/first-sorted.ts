/** The first `count` items in order, without sorting the rest: one pass that keeps at most twice as many. */
export function firstSorted<T>(items: Iterable<T>, count: number, order: (a: T, b: T) => number): T[] {
  let kept: T[] = []
  for (const item of items) {
    kept.push(item)
    if (kept.length >= 2 * count) kept = kept.sort(order).slice(0, count)
  }
  return kept.sort(order).slice(0, count)
}
