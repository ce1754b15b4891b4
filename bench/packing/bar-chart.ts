/** Bars side by side with their values, as SVG. The axis begins below the least value, and says where. */

export interface Bar {
  readonly name: string
  readonly value: number
}

const WIDTH = 720
const ROW = 30
const LEFT = 170
const RIGHT = 70
const TOP = 50

export function barChart(title: string, bars: readonly Bar[]): string {
  const least = Math.floor(Math.min(...bars.map(({ value }) => value)) / 5) * 5 - 5
  const height = TOP + bars.length * ROW + 30
  const x = (value: number): number => LEFT + ((value - least) / (100 - least)) * (WIDTH - LEFT - RIGHT)
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="26" font-size="15" font-weight="bold">${title}</text>`,
  ]
  for (let at = least; at <= 100; at += 5) {
    const place = x(at).toFixed(1)
    parts.push(`<line x1="${place}" x2="${place}" y1="${TOP - 8}" y2="${height - 24}" stroke="#dddddd"/>`)
    parts.push(`<text x="${place}" y="${height - 8}" text-anchor="middle" fill="#555555">${at}</text>`)
  }
  bars.forEach(({ name, value }, nth) => {
    const y = TOP + nth * ROW
    const end = x(value)
    parts.push(`<text x="${LEFT - 10}" y="${y + 15}" text-anchor="end">${name}</text>`)
    parts.push(
      `<rect x="${LEFT}" y="${y}" width="${(end - LEFT).toFixed(1)}" height="${ROW - 10}" fill="#1b6ca8"/>`,
    )
    parts.push(`<text x="${(end + 6).toFixed(1)}" y="${y + 15}">${value.toFixed(2)}</text>`)
  })
  return `${[...parts, '</svg>'].join('\n')}\n`
}
