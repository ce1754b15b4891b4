/** A similar name has at most this many wrong letters. */
const DISTANCE_MAX = 3
const NAMES_MAX = 3
const LENGTH_MAX = 255

/** Similar known names, the likeliest first. */
export function findNearNames(name: string, known: Iterable<string>): string[] {
  if (name.length > LENGTH_MAX) return []
  const found: { known: string; distance: number }[] = []
  // In a short name a few wrong letters make another name.
  const distanceMax = Math.min(DISTANCE_MAX, Math.ceil(name.length / 4))
  const plain = simplify(name)
  for (const one of known) {
    const distance = isSameBut(name, plain, one) ? 0 : measureDistance(name, one, distanceMax)
    if (distance <= distanceMax) found.push({ known: one, distance })
  }
  return found
    .sort((a, b) => a.distance - b.distance || (a.known < b.known ? -1 : 1))
    .slice(0, NAMES_MAX)
    .map(one => one.known)
}

/** The same with a cache, for at most this many different names. */
export function limitNearNames(searchesMax: number): typeof findNearNames {
  const found = new Map<string, string[]>()
  return (name, known) => {
    const before = found.get(name)
    if (before !== undefined) return before
    if (found.size >= searchesMax) return []
    const near = findNearNames(name, known)
    found.set(name, near)
    return near
  }
}

/** Case and separators are often mistaken, and the scope left out. */
const isSameBut = (name: string, plain: string, known: string): boolean =>
  known.endsWith(`:${name}`) || simplify(known) === plain

const simplify = (name: string): string => name.toLowerCase().replaceAll(/[:_.\- ]/g, '')

/** Letters to change, add, drop or swap with a neighbour; counts up to `max`. */
export function measureDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  // A common prefix and suffix need no work.
  const shared = Math.min(a.length, b.length)
  let start = 0
  while (start < shared && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let end = 0
  while (end < shared - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++
  return computeDistance(a.slice(start, a.length - end), b.slice(start, b.length - end), max)
}

function computeDistance(a: string, b: string, max: number): number {
  const far = max + 1
  let before = new Uint16Array(b.length + 1)
  let last = new Uint16Array(b.length + 1)
  let row = new Uint16Array(b.length + 1)
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    // Cells further from the diagonal cannot lead to a distance up to `max`.
    const from = Math.max(1, i - max)
    const to = Math.min(b.length, i + max)
    const letter = a.charCodeAt(i - 1)
    row[from - 1] = from === 1 ? i : far
    let least = row[from - 1]!
    for (let j = from; j <= to; j++) {
      let cost = last[j - 1]! + (letter === b.charCodeAt(j - 1) ? 0 : 1)
      cost = Math.min(cost, row[j - 1]! + 1, j === i + max ? far : last[j]! + 1)
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1))
        cost = Math.min(cost, before[j - 2]! + 1)
      row[j] = cost
      if (cost < least) least = cost
    }
    if (least > max) return far
    const spare = before
    before = last
    last = row
    row = spare
  }
  return Math.min(far, last[b.length]!)
}
