/** The known name that a mistyped one most likely meant. */
export function nearestName(wanted: string, known: readonly string[]): string | null {
  const plain = wanted.toLowerCase().replaceAll('-', '_')
  let best: string | null = null
  let bestDistance = Math.min(3, Math.floor(plain.length / 2)) + 1
  for (const name of known) {
    // The lengths alone differ by more, so a long text is not compared.
    if (Math.abs(name.length - plain.length) >= bestDistance) continue
    const distance = editDistance(plain, name)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
