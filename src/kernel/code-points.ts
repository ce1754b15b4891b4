/** Compares by code points, for `sort`. JavaScript compares UTF-16 units, which differs beyond the basic plane. */
export function byCodePoint(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++)
    if (a.charCodeAt(at) !== b.charCodeAt(at)) {
      // Both positions may be in the middle of a surrogate pair.
      const from = at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) ? at - 1 : at
      return (a.codePointAt(from) as number) - (b.codePointAt(from) as number)
    }
  return a.length - b.length
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
