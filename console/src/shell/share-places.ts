/**
 * Distributes a number of places over lists, in their order. Each gets its fair part; what one does not need goes to the
 * others, so that no long list pushes out later ones.
 */
export function sharePlaces<T>(lists: readonly (readonly T[])[], places: number): T[] {
  const parts = lists.map(() => 0)
  let left = places
  for (;;) {
    const hungry = lists.flatMap((list, at) => (list.length > (parts[at] as number) ? [at] : []))
    if (left === 0 || hungry.length === 0) break
    const each = Math.max(1, Math.floor(left / hungry.length))
    for (const at of hungry.slice(0, left)) {
      const more = Math.min(each, (lists[at]?.length ?? 0) - (parts[at] as number))
      parts[at] = (parts[at] as number) + more
      left -= more
    }
  }
  return lists.flatMap((list, at) => list.slice(0, parts[at]))
}
