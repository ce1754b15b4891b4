/** The order of code points, for `sort`. Ours by UTF-16 units differs past the basic plane. */
export function byCodePoint(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++)
    if (a.charCodeAt(at) !== b.charCodeAt(at)) {
      // Both may have come halfway through a pair.
      const from = at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) ? at - 1 : at
      return (a.codePointAt(from) as number) - (b.codePointAt(from) as number)
    }
  return a.length - b.length
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
