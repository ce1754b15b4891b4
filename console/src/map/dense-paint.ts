import type { Mark, Tile } from './tiles.ts'

export interface Layout {
  readonly columns: number
  readonly rows: number
  /** From one square to the next, in CSS pixels. */
  readonly step: number
}

/** Squares get smaller the more there are, so that a group stays in sight. */
export function layoutOf(count: number, width: number): Layout {
  const step = count > 20_000 ? 6 : count > 4_000 ? 9 : count > 1_000 ? 12 : 16
  const columns = Math.max(1, Math.floor(width / step))
  return { columns, rows: Math.ceil(count / columns), step }
}

export function cellAt(
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
  canvas: HTMLCanvasElement,
  { columns, step }: Layout,
  count: number,
): number | null {
  const box = canvas.getBoundingClientRect()
  const column = Math.floor((clientX - box.left) / step)
  const row = Math.floor((clientY - box.top) / step)
  const index = row * columns + column
  return column < 0 || column >= columns || row < 0 || index >= count ? null : index
}

interface Palette {
  readonly fills: Readonly<Record<Mark, string>>
  readonly empty: string
  readonly ink: string
}

const palettes = new Map<string, Palette>()

/** Colours as the style sheet has them; looked up once for each scheme. */
function paletteOf(scheme: string): Palette {
  const known = palettes.get(scheme)
  if (known !== undefined) return known
  const style = getComputedStyle(document.documentElement)
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const palette: Palette = {
    fills: {
      low: of('use'),
      warm: of('use-warm'),
      hot: of('use-hot'),
      over: of('use-hot'),
      disabled: of('reserved'),
      down: of('line-strong'),
      none: of('empty'),
    },
    empty: of('empty'),
    ink: of('text'),
  }
  palettes.set(scheme, palette)
  return palette
}

/**
 * Each square is filled from below by how full its host is; a stroke through it means disabled or down, a dot that it is
 * over its capacity: shapes, for those who do not see the colours.
 */
export function paint(
  canvas: HTMLCanvasElement,
  tiles: readonly Tile[],
  { columns, rows, step }: Layout,
  scheme: string,
): void {
  const scale = window.devicePixelRatio || 1
  const [width, height] = [columns * step, rows * step]
  canvas.width = width * scale
  canvas.height = height * scale
  canvas.style.height = `${height}px`
  canvas.style.width = `${width}px`
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D
  pen.scale(scale, scale)
  const { fills, empty, ink } = paletteOf(scheme)
  const size = step - (step > 8 ? 2 : 1)
  pen.fillStyle = empty
  for (let at = 0; at < tiles.length; at++)
    pen.fillRect((at % columns) * step, Math.floor(at / columns) * step, size, size)
  let last = ''
  tiles.forEach(({ mark, share }, at) => {
    const [x, y] = [(at % columns) * step, Math.floor(at / columns) * step]
    if (mark === 'none') return
    if (fills[mark] !== last) {
      last = fills[mark]
      pen.fillStyle = last
    }
    const filled = Math.max(1, Math.round(size * Math.min(1, share)))
    pen.fillRect(x, y + size - filled, size, filled)
    if (mark === 'disabled' || mark === 'down') stroke(pen, x, y, size, ink)
    if (mark === 'over') dot(pen, x, y, size, ink)
    if (mark === 'over') last = ''
  })
}

function stroke(pen: CanvasRenderingContext2D, x: number, y: number, size: number, ink: string): void {
  pen.strokeStyle = ink
  pen.lineWidth = 1
  pen.beginPath()
  pen.moveTo(x, y + size)
  pen.lineTo(x + size, y)
  pen.stroke()
}

function dot(pen: CanvasRenderingContext2D, x: number, y: number, size: number, ink: string): void {
  pen.fillStyle = ink
  pen.fillRect(x + size / 3, y + size / 3, size / 3, size / 3)
}
