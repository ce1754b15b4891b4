/** A line chart with two logarithmic axes, as SVG. */

export interface Line {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

const WIDTH = 720
const HEIGHT = 400
const LEFT = 70
const RIGHT = 150
const TOP = 40
const BOTTOM = 50
const COLORS = ['#1b6ca8', '#c0392b', '#2e8b57', '#8e44ad', '#d68910', '#5d6d7e', '#117a65', '#884ea0']

export function lineChart(
  title: string,
  labels: { readonly x: string; readonly y: string },
  lines: readonly Line[],
): string {
  const points = lines.flatMap(line => line.points)
  const [xMin, xMax] = powersAround(points.map(([x]) => x))
  const [yMin, yMax] = powersAround(points.map(([, y]) => y))
  const x = (value: number) => LEFT + scaled(value, xMin, xMax) * (WIDTH - LEFT - RIGHT)
  const y = (value: number) => HEIGHT - BOTTOM - scaled(value, yMin, yMax) * (HEIGHT - TOP - BOTTOM)
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 22, title, 'font-size="15" font-weight="bold"'),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, labels.x, 'text-anchor="middle"'),
    text(16, HEIGHT / 2, labels.y, `text-anchor="middle" transform="rotate(-90 16 ${HEIGHT / 2})"`),
  ]
  for (let power = xMin; power <= xMax; power++) {
    const at = x(10 ** power).toFixed(1)
    parts.push(`<line x1="${at}" x2="${at}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" stroke="#dddddd"/>`)
    parts.push(
      text(Number(at), HEIGHT - BOTTOM + 16, (10 ** power).toLocaleString('en'), 'text-anchor="middle"'),
    )
  }
  for (let power = yMin; power <= yMax; power++) {
    const at = y(10 ** power)
    parts.push(
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at.toFixed(1)}" y2="${at.toFixed(1)}" stroke="#dddddd"/>`,
    )
    parts.push(text(LEFT - 6, at + 4, String(Number((10 ** power).toPrecision(1))), 'text-anchor="end"'))
  }
  const ends = spreadOut(lines.map(({ points: own }) => y((own.at(-1) as readonly [number, number])[1])))
  lines.forEach(({ name, points: own }, nth) => {
    const color = COLORS[nth % COLORS.length] as string
    const path = own.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`)
    parts.push(`<polyline points="${path.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>`)
    for (const [px, py] of own)
      parts.push(`<circle cx="${x(px).toFixed(1)}" cy="${y(py).toFixed(1)}" r="3" fill="${color}"/>`)
    parts.push(text(WIDTH - RIGHT + 10, (ends[nth] as number) + 4, name, `fill="${color}"`))
  })
  return `${[...parts, '</svg>'].join('\n')}\n`
}

/** The powers of ten that hold all values. */
function powersAround(values: readonly number[]): [number, number] {
  const least = Math.floor(Math.log10(Math.min(...values)) + 1e-9)
  const most = Math.ceil(Math.log10(Math.max(...values)) - 1e-9)
  return [least, Math.max(most, least + 1)]
}

const scaled = (value: number, min: number, max: number): number => (Math.log10(value) - min) / (max - min)

/** Labels at the ends of lines must not overlap. */
function spreadOut(heights: readonly number[]): number[] {
  const order = heights.map((_, at) => at).sort((a, b) => (heights[a] as number) - (heights[b] as number))
  const placed = [...heights]
  for (let nth = 1; nth < order.length; nth++) {
    const above = placed[order[nth - 1] as number] as number
    const at = order[nth] as number
    placed[at] = Math.max(placed[at] as number, above + 14)
  }
  return placed
}

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${content}</text>`
