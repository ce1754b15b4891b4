import { plainStyle, type Style } from './style.ts'
import { cutTo, escapeControls, textWidth } from './text-width.ts'

/** A title, which is printed in capitals. */
export type Column = string | PlacedColumn

interface PlacedColumn {
  readonly title: string
  readonly isRight?: true
  readonly isFlexible?: true
}

/** Numbers are aligned to the right. */
export const right = (title: string): Column => ({ title, isRight: true })

/** May be cut if the line is too wide. */
export const flexible = (title: string): Column => ({ title, isFlexible: true })

type Cell = string | number

export interface Look {
  /** The width of a line in columns; infinite if the output is not a terminal. */
  readonly width: number
  readonly style: Style
}

export const plainLook: Look = { width: Number.POSITIVE_INFINITY, style: plainStyle }

const names = new Intl.Collator('en', { numeric: true })

/** compute-9 before compute-10; nameless rows first. */
export const byName = (a: { readonly name: string | null }, b: { readonly name: string | null }): number =>
  names.compare(a.name ?? '', b.name ?? '')

const GAP = '  '
const FLEXIBLE_WIDTH_MIN = 12
/** The first rows, up to this many, decide the column widths; later rows do not change them. */
const MEASURED_ROWS = 500

/** A table whose rows may arrive one by one: the first rows decide the column widths. */
export class TableWriter {
  readonly #columns: readonly PlacedColumn[]
  readonly #look: Look
  readonly #write: (text: string) => void
  readonly #measuredRows: number
  #waiting: (readonly string[])[] | null = []
  #widths: readonly number[] = []
  rows = 0

  constructor(
    columns: readonly Column[],
    look: Look,
    write: (text: string) => void,
    measuredRows = MEASURED_ROWS,
  ) {
    this.#measuredRows = measuredRows
    this.#columns = columns.map(column => (typeof column === 'string' ? { title: column } : column))
    this.#look = look
    this.#write = write
  }

  row(cells: readonly Cell[]): void {
    this.rows++
    const texts = cells.map(cell => escapeControls(String(cell)))
    if (this.#waiting === null) this.#line(texts)
    else if (this.#waiting.push(texts) >= this.#measuredRows) this.#settle()
  }

  /** Without rows, nothing is printed. */
  end(): void {
    if (this.rows > 0) this.#settle()
  }

  #settle(): void {
    const rows = this.#waiting
    if (rows === null) return
    this.#waiting = null
    const titles = this.#columns.map(column => column.title.toUpperCase())
    const natural = titles.map((title, at) =>
      rows.reduce((widest, row) => Math.max(widest, textWidth(row[at] ?? '')), textWidth(title)),
    )
    this.#widths = fitWidths(this.#columns, natural, this.#look.width)
    this.#write(`${this.#look.style.bold(this.#join(titles))}\n`)
    for (const row of rows) this.#line(row)
  }

  #line(cells: readonly string[]): void {
    this.#write(`${this.#join(cells)}\n`)
  }

  #join(cells: readonly string[]): string {
    const padded = this.#columns.map(({ isRight, isFlexible }, at) => {
      const width = this.#widths[at] as number
      const cell = isFlexible === true ? cutTo(cells[at] ?? '', width) : (cells[at] ?? '')
      const blanks = ' '.repeat(Math.max(0, width - textWidth(cell)))
      return isRight === true ? blanks + cell : cell + blanks
    })
    return padded.join(GAP).trimEnd()
  }
}

/** Shrinks flexible columns, the widest first, until the line fits or none can shrink further. */
function fitWidths(columns: readonly PlacedColumn[], natural: readonly number[], width: number): number[] {
  const widths = [...natural]
  const gaps = GAP.length * (widths.length - 1)
  const shrinkable = (at: number) =>
    columns[at]?.isFlexible === true &&
    (widths[at] as number) > Math.max(FLEXIBLE_WIDTH_MIN, textWidth(columns[at].title))
  for (let over = widths.reduce((sum, one) => sum + one, gaps) - width; over > 0; over--) {
    let widest = -1
    for (let at = 0; at < widths.length; at++)
      if (shrinkable(at) && (widest < 0 || (widths[at] as number) > (widths[widest] as number))) widest = at
    if (widest < 0) break
    widths[widest] = (widths[widest] as number) - 1
  }
  return widths
}

export function table(columns: readonly Column[], rows: Iterable<readonly Cell[]>, look: Look): string {
  const parts: string[] = []
  const writer = new TableWriter(columns, look, part => parts.push(part), Number.POSITIVE_INFINITY)
  for (const row of rows) writer.row(row)
  writer.end()
  return parts.join('')
}

/** Names and values, one pair per line. */
export function facts(pairs: readonly (readonly [name: string, value: string])[], look: Look): string {
  const width = Math.max(...pairs.map(([name]) => textWidth(name)))
  return pairs
    .map(([name, value]) => `${look.style.bold(name.padEnd(width))}${GAP}${escapeControls(value)}\n`)
    .join('')
}
