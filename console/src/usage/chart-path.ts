export type Values = readonly (number | null)[]

/** The highest value that a chart shows. */
export const topOf = (...all: readonly Values[]): number =>
  Math.max(0, ...all.flatMap(values => values.filter(value => value !== null)))

/** A line through the middle of each step, `width` by `height`, up to `top`; it stops at gaps. A step alone is a short dash. */
export function linePath(values: Values, top: number, width: number, height: number): string {
  const step = width / Math.max(1, values.length)
  const y = (value: number) => round(height - (top === 0 ? 0 : (value / top) * height))
  const parts: string[] = []
  for (const [at, value] of values.entries()) {
    if (value === null) continue
    const isFirst = at === 0 || values[at - 1] === null
    const isAlone = isFirst && (values[at + 1] ?? null) === null
    if (isAlone) parts.push(`M${round(at * step)} ${y(value)}H${round((at + 1) * step)}`)
    else parts.push(`${isFirst ? 'M' : 'L'}${round((at + 0.5) * step)} ${y(value)}`)
  }
  return parts.join('')
}

/** The area between two lines, one closed shape between each two gaps. */
export function bandPath(low: Values, high: Values, top: number, width: number, height: number): string {
  const step = width / Math.max(1, high.length)
  const place = (at: number, value: number) =>
    `${round((at + 0.5) * step)} ${round(height - (top === 0 ? 0 : (value / top) * height))}`
  const shapes: string[] = []
  for (const [from, to] of runsOf(high)) {
    if (to - from < 2) continue
    const steps = Array.from({ length: to - from }, (_, nth) => from + nth)
    const above = steps.map(at => place(at, high.at(at) ?? 0))
    const below = steps.toReversed().map(at => place(at, low.at(at) ?? 0))
    shapes.push(`M${[...above, ...below].join('L')}Z`)
  }
  return shapes.join('')
}

/** The steps between gaps, the end excluded. */
function runsOf(values: Values): [number, number][] {
  const runs: [number, number][] = []
  for (const [at, value] of values.entries()) {
    const last = runs.at(-1)
    if (value === null) continue
    if (last?.[1] === at) last[1] = at + 1
    else runs.push([at, at + 1])
  }
  return runs
}

const round = (value: number): number => Math.round(value * 100) / 100
