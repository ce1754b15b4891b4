import type { Box } from './chooser.tsx'
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

/** The more squares, the smaller, so that a group fits the screen. */
const firstStep = (count: number): number => (count > 20_000 ? 1 : count > 4_000 ? 2 : count > 1_000 ? 3 : 4)

/** The zoom range around the default for a number of hosts: smaller, and larger. */
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
  board: HTMLElement,
  { columns, step }: Layout,
  count: number,
): number | null {
  const box = board.getBoundingClientRect()
  const column = Math.floor((clientX - box.left) / step)
  const row = Math.floor((clientY - box.top) / step)
  const index = row * columns + column
  return column < 0 || column >= columns || row < 0 || index >= count ? null : index
}

/** The hosts whose squares a box of the window touches. */
export function hostsInBox(
  { left, right, top, bottom }: Box,
  board: HTMLElement | null,
  { columns, step }: Layout,
  tiles: readonly Tile[],
): string[] {
  if (board === null) return []
  const { left: x, top: y } = board.getBoundingClientRect()
  const [first, last] = [Math.max(0, Math.floor((left - x) / step)), Math.floor((right - x) / step)]
  const [firstRow, lastRow] = [Math.max(0, Math.floor((top - y) / step)), Math.floor((bottom - y) / step)]
  return tiles.flatMap(({ name, isSharing }, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns]
    const isIn = column >= first && column <= last && row >= firstRow && row <= lastRow
    return isIn && !isSharing ? [name] : []
  })
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

/** Up to this many squares are painted one by one; for more, all at once is cheaper. */
const SINGLE_MAX = 200
/** A band is drawn in a fraction of a frame. */
const BAND_PX = 300_000
const NEXT_BAND_MS = 17

/**
 * The squares of a group as pixels. The filled part shows the usage of its host; a stroke through it means disabled
 * or down, a square in it over capacity: shapes, for users who do not see the colours. Paints only what changed
 * since the last time, and paints what is not visible band by band in the next frames.
 */
export class Painting {
  readonly #place: HTMLElement
  #bands: readonly Band[] = []
  #layout: Layout | null = null
  #scheme = ''
  #scale = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(place: HTMLElement) {
    this.#place = place
  }

  paint(tiles: readonly Tile[], layout: Layout, scheme: string): void {
    const scale = window.devicePixelRatio || 1
    if (this.#layout !== layout || this.#scheme !== scheme || this.#scale !== scale) {
      this.#layout = layout
      this.#scheme = scheme
      this.#scale = scale
      this.#bands = bandsOf(layout, scale)
      this.#place.replaceChildren(...this.#bands.map(band => band.canvas))
    }
    clearTimeout(this.#timer)
    const top = this.#place.getBoundingClientRect().top
    const palette = paletteOf(scheme)
    const later: Band[] = []
    for (const band of this.#bands)
      if (top + band.top < window.innerHeight && top + band.top + band.height > 0) band.paint(tiles, palette)
      else later.push(band)
    const next = () => {
      later.shift()?.paint(tiles, palette)
      if (later.length > 0) this.#timer = setTimeout(next, NEXT_BAND_MS)
    }
    if (later.length > 0) this.#timer = setTimeout(next, NEXT_BAND_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

function bandsOf(layout: Layout, scale: number): Band[] {
  const { columns, rows, step } = layout
  const perBand = Math.max(1, Math.floor(BAND_PX / (columns * step * step)))
  return Array.from(
    { length: Math.ceil(rows / perBand) },
    (_, at) => new Band(layout, at * perBand, Math.min(perBand, rows - at * perBand), scale),
  )
}

/** Some rows of squares, on their own canvas. */
class Band {
  readonly canvas = document.createElement('canvas')
  /** In CSS pixels, from the top of the first band. */
  readonly top: number
  readonly height: number
  readonly #layout: Layout
  readonly #scale: number
  readonly #first: number
  readonly #count: number
  #image: ImageData | null = null
  #pixels = new Uint32Array(0)
  #drawn: readonly Tile[] = []
  /** The look of each square: its mark and how many pixels of it are filled. */
  readonly #looks: Uint16Array

  constructor(layout: Layout, row: number, rows: number, scale: number) {
    const { columns, step } = layout
    this.#layout = layout
    this.#scale = scale
    this.#first = row * columns
    this.#count = rows * columns
    this.#looks = new Uint16Array(rows * columns)
    this.top = row * step
    this.height = rows * step
    this.canvas.width = Math.ceil(columns * step * scale)
    this.canvas.height = Math.ceil(rows * step * scale)
    this.canvas.style.width = `${columns * step}px`
    this.canvas.style.height = `${rows * step}px`
  }

  paint(tiles: readonly Tile[], palette: Palette): void {
    const pen = this.canvas.getContext('2d', { willReadFrequently: true })
    if (pen === null || tiles === this.#drawn) return
    this.#image ??= pen.createImageData(this.canvas.width, this.canvas.height)
    if (this.#pixels.length === 0) this.#pixels = new Uint32Array(this.#image.data.buffer)
    const changed: number[] = []
    for (let at = 0; at < this.#count; at++) {
      const tile = tiles[this.#first + at]
      if (tile === undefined) break
      if (tile !== this.#drawn[this.#first + at] && this.#cell(at, tile, palette)) changed.push(at)
    }
    this.#drawn = tiles
    if (changed.length > SINGLE_MAX) pen.putImageData(this.#image, 0, 0)
    else
      for (const at of changed) {
        const [x, y, size] = this.#square(at)
        pen.putImageData(this.#image, 0, 0, x, y, size, size)
      }
  }

  /** Left, top and size in pixels of the screen. */
  #square(at: number): readonly [x: number, y: number, size: number] {
    const { columns, step } = this.#layout
    const gap = step > 8 ? 2 : 1
    return [
      Math.round((at % columns) * step * this.#scale),
      Math.round(Math.floor(at / columns) * step * this.#scale),
      Math.round((step - gap) * this.#scale),
    ]
  }

  /** False: it looks the same. */
  #cell(at: number, { mark, share }: Tile, { fills, empty, ink }: Palette): boolean {
    const [x, y, size] = this.#square(at)
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
    const across = this.canvas.width
    // By hand: for a few pixels that is cheaper than a call of fill.
    for (let row = y * across + x, last = row + height * across; row < last; row += across)
      for (let at = row; at < row + width; at++) pixels[at] = colour
  }
}
