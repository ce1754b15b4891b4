import type { Mark, Tile } from './tiles.ts'

export interface Layout {
  readonly columns: number
  readonly rows: number
  /** From one square to the next, in CSS pixels. */
  readonly step: number
}

const STEPS = [4, 6, 9, 12, 16, 20]
/** Larger pictures would take longer to draw than a frame lasts. */
const PICTURE_PX_MAX = 1_500_000

/** Squares get smaller the more there are, so that a group stays in sight. */
const firstStep = (count: number): number => (count > 20_000 ? 1 : count > 4_000 ? 2 : count > 1_000 ? 3 : 4)

/** How far one can zoom from what fits so many hosts: smaller, and larger. */
export function zoomRange(count: number): readonly [least: number, most: number] {
  const first = firstStep(count)
  const largest = STEPS.findLastIndex(step => count * step * step <= PICTURE_PX_MAX)
  return [-first, Math.max(0, largest - first)]
}

export function layoutOf(count: number, width: number, zoom: number): Layout {
  const [least, most] = zoomRange(count)
  const step = STEPS[firstStep(count) + Math.max(least, Math.min(most, zoom))] as number
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

/** Colours as the pixels of a picture have them. */
interface Palette {
  readonly fills: Readonly<Record<Mark, number>>
  readonly empty: number
  readonly ink: number
}

const palettes = new Map<string, Palette>()

/** Colours as the style sheet has them; looked up once for each scheme. */
function paletteOf(scheme: string): Palette {
  const known = palettes.get(scheme)
  if (known !== undefined) return known
  const style = getComputedStyle(document.documentElement)
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const of = (name: string): number => {
    if (pen === null) return 0
    pen.fillStyle = style.getPropertyValue(`--${name}`).trim()
    pen.fillRect(0, 0, 1, 1)
    return new Uint32Array(pen.getImageData(0, 0, 1, 1).data.buffer)[0] as number
  }
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

const MARKS: readonly Mark[] = ['over', 'hot', 'warm', 'low', 'disabled', 'down', 'none']

/** So many squares are put on the screen one by one; when more changed, all at once is cheaper. */
const SINGLE_MAX = 400

/**
 * The squares of a group as pixels. Each is filled from below by how full its host is; a stroke through it means disabled
 * or down, a square in it that it is over its capacity: shapes, for those who do not see the colours. What did not change
 * since the last time is not painted again.
 */
export class Painting {
  readonly #canvas: HTMLCanvasElement
  #image: ImageData | null = null
  #pixels = new Uint32Array(0)
  #across = 0
  /** What each square looks like: its mark and how many pixels of it are filled. */
  #looks = new Uint16Array(0)
  #tiles: readonly Tile[] = []
  #layout: Layout | null = null
  #scheme = ''
  #scale = 0

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas
  }

  paint(tiles: readonly Tile[], layout: Layout, scheme: string): void {
    const pen = this.#canvas.getContext('2d', { willReadFrequently: true })
    if (pen === null) return
    const scale = window.devicePixelRatio || 1
    const isSame = this.#layout === layout && this.#scheme === scheme && this.#scale === scale
    if (!isSame) this.#begin(layout, scheme, scale, pen)
    const image = this.#image as ImageData
    const before = isSame ? this.#tiles : []
    const changed: number[] = []
    const palette = paletteOf(scheme)
    for (let at = 0; at < tiles.length; at++) {
      if (tiles[at] !== before[at] && this.#cell(at, tiles[at] as Tile, palette)) changed.push(at)
    }
    this.#tiles = tiles
    if (changed.length > SINGLE_MAX) pen.putImageData(image, 0, 0)
    else
      for (const at of changed) {
        const [x, y, size] = this.#place(at)
        pen.putImageData(image, 0, 0, x, y, size, size)
      }
  }

  #begin(layout: Layout, scheme: string, scale: number, pen: CanvasRenderingContext2D): void {
    const { columns, rows, step } = layout
    const canvas = this.#canvas
    this.#layout = layout
    this.#scheme = scheme
    this.#scale = scale
    canvas.width = Math.ceil(columns * step * scale)
    canvas.height = Math.max(1, Math.ceil(rows * step * scale))
    canvas.style.width = `${columns * step}px`
    canvas.style.height = `${rows * step}px`
    this.#image = pen.createImageData(canvas.width, canvas.height)
    this.#pixels = new Uint32Array(this.#image.data.buffer)
    this.#across = canvas.width
    this.#looks = new Uint16Array(columns * rows)
  }

  /** Left, top and size in pixels of the screen. */
  #place(at: number): readonly [x: number, y: number, size: number] {
    const { columns, step } = this.#layout as Layout
    const gap = step > 8 ? 2 : 1
    return [
      Math.round((at % columns) * step * this.#scale),
      Math.round(Math.floor(at / columns) * step * this.#scale),
      Math.round((step - gap) * this.#scale),
    ]
  }

  /** False: it looks as it did. */
  #cell(at: number, { mark, share }: Tile, { fills, empty, ink }: Palette): boolean {
    const [x, y, size] = this.#place(at)
    const filled = mark === 'none' ? 0 : Math.max(1, Math.round(size * Math.min(1, share)))
    const look = (MARKS.indexOf(mark) + 1) * 256 + filled
    if (this.#looks[at] === look) return false
    this.#looks[at] = look
    this.#rectangle(x, y, size, size - filled, empty)
    this.#rectangle(x, y + size - filled, size, filled, fills[mark])
    const third = Math.max(1, Math.floor(size / 3))
    if (mark === 'over') this.#rectangle(x + third, y + third, size - 2 * third, size - 2 * third, ink)
    if (mark === 'disabled' || mark === 'down')
      for (let step = 0; step < size; step++) this.#rectangle(x + step, y + size - 1 - step, 1, 1, ink)
    return true
  }

  #rectangle(x: number, y: number, width: number, height: number, colour: number): void {
    const pixels = this.#pixels
    const across = this.#across
    // By hand: for a few pixels, that is cheaper than to call fill.
    for (let row = y * across + x, last = row + height * across; row < last; row += across)
      for (let at = row; at < row + width; at++) pixels[at] = colour
  }
}
