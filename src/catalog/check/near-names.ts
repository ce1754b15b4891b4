/** A key that is likely meant has at most so many letters wrong. */
const DISTANCE_MAX = 3
const NAMES_MAX = 3
const LENGTH_MAX = 255

/** Names that someone who wrote this one may have meant, the likeliest first. */
export function nearNames(name: string, known: Iterable<string>): string[] {
  if (name.length > LENGTH_MAX) return []
  const found: { known: string; distance: number }[] = []
  // In a short name a few wrong letters make another name.
  const distanceMax = Math.min(DISTANCE_MAX, Math.ceil(name.length / 4))
  const plain = simplified(name)
  for (const one of known) {
    const distance = isSameBut(name, plain, one) ? 0 : distanceOf(name, one, distanceMax)
    if (distance <= distanceMax) found.push({ known: one, distance })
  }
  return found
    .sort((a, b) => a.distance - b.distance || (a.known < b.known ? -1 : 1))
    .slice(0, NAMES_MAX)
    .map(one => one.known)
}

/** The same, for at most so many different names: what was sought once is remembered, and then it is enough. */
export function nearNamesFor(searchesMax: number): typeof nearNames {
  const found = new Map<string, string[]>()
  return (name, known) => {
    const before = found.get(name)
    if (before !== undefined) return before
    if (found.size >= searchesMax) return []
    const near = nearNames(name, known)
    found.set(name, near)
    return near
  }
}

/** People often mistake case and separators, and leave out the scope. */
const isSameBut = (name: string, plain: string, known: string): boolean =>
  known.endsWith(`:${name}`) || simplified(known) === plain

const simplified = (name: string): string => name.toLowerCase().replaceAll(/[:_.\- ]/g, '')

/** How many letters must be changed, added, dropped or swapped with their neighbour; more than `max` is not counted. */
export function distanceOf(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  // Most keys have most of their letters in common, and those need no work.
  const shared = Math.min(a.length, b.length)
  let start = 0
  while (start < shared && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let end = 0
  while (end < shared - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++
  return distanceWithin(a.slice(start, a.length - end), b.slice(start, b.length - end), max)
}

function distanceWithin(a: string, b: string, max: number): number {
  const far = max + 1
  let before = new Uint16Array(b.length + 1)
  let last = new Uint16Array(b.length + 1)
  let row = new Uint16Array(b.length + 1)
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    // Cells further from the diagonal than that cannot lead to a distance that counts.
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
