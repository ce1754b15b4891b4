import type { ProcessEnvironment } from '../process-environment.ts'
import { cutTo } from './text-width.ts'

interface Progress {
  readonly bytes: number
  /** Null if the total is unknown. */
  readonly bytesTotal: number | null
  /** Null if the data has no lines. */
  readonly lines: number | null
  readonly elapsedMs: number
}

const BAR_COLUMNS = 20
/** Earlier, a rate would be a guess. */
const RATE_AFTER_MS = 500

/** One line: how much, how fast, and the time that remains. */
export function progressLine(label: string, progress: Progress): string {
  const { bytes, bytesTotal, lines, elapsedMs } = progress
  const parts = [label]
  if (bytesTotal !== null && bytesTotal > 0) {
    parts.push(...barParts(bytes, bytesTotal), `${bytesText(bytes)} of ${bytesText(bytesTotal)}`)
  } else parts.push(bytesText(bytes))
  if (lines !== null) parts.push(`${groupDigits(lines)} ${lines === 1 ? 'line' : 'lines'}`)
  if (elapsedMs >= RATE_AFTER_MS) {
    const perSecond = (bytes * 1000) / elapsedMs
    parts.push(`${bytesText(perSecond)}/s`)
    if (bytesTotal !== null && perSecond > 0)
      parts.push(`${durationText(((bytesTotal - bytes) * 1000) / perSecond)} left`)
    else parts.push(durationText(elapsedMs))
  }
  return parts.join('  ')
}

/** The same, counted in rows. */
function rowsLine(
  label: string,
  { rows, rowsTotal, elapsedMs }: { rows: number; rowsTotal: number | null; elapsedMs: number },
): string {
  const parts = [label]
  if (rowsTotal !== null && rowsTotal > 0)
    parts.push(...barParts(rows, rowsTotal), `${groupDigits(rows)} of ${groupDigits(rowsTotal)} rows`)
  else parts.push(`${groupDigits(rows)} rows`)
  if (elapsedMs >= RATE_AFTER_MS) {
    if (rowsTotal !== null && rows > 0)
      parts.push(`${durationText(((rowsTotal - rows) * elapsedMs) / rows)} left`)
    else parts.push(`${groupDigits(Math.round((rows * 1000) / elapsedMs))}/s`, durationText(elapsedMs))
  }
  return parts.join('  ')
}

const groupDigits = (count: number): string => count.toLocaleString('en-US')

function barParts(done: number, total: number): string[] {
  const share = Math.min(1, done / total)
  const columns = Math.floor(share * BAR_COLUMNS)
  return [
    `[${'#'.repeat(columns)}${'-'.repeat(BAR_COLUMNS - columns)}]`,
    `${Math.floor(share * 100)}%`.padStart(4),
  ]
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export function bytesText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const padTwo = (number: number) => String(number).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}:${padTwo(seconds % 60)}`
  return `${Math.floor(minutes / 60)}:${padTwo(minutes % 60)}:${padTwo(seconds % 60)}`
}

const REDRAW_MS = 100
const NEWLINE = 10

/** One line on standard error that is redrawn, if that is a terminal. */
class DrawnLine {
  readonly #around: ProcessEnvironment
  #drawnMs = Number.NEGATIVE_INFINITY

  constructor(around: ProcessEnvironment) {
    this.#around = around
  }

  draw(line: (nowMs: number) => string): void {
    const { stderr } = this.#around
    const nowMs = this.#around.nowMs()
    if (!stderr.isTerminal || nowMs - this.#drawnMs < REDRAW_MS) return
    this.#drawnMs = nowMs
    stderr.write(`\r${cutTo(line(nowMs), stderr.columns - 1)}\x1b[K`)
  }

  /** Erases the line. */
  clear(): void {
    if (this.#drawnMs !== Number.NEGATIVE_INFINITY) this.#around.stderr.write('\r\x1b[K')
    this.#drawnMs = Number.NEGATIVE_INFINITY
  }
}

/** Counts rows, one label after the other. */
export class RowProgress {
  readonly #around: ProcessEnvironment
  readonly #drawn: DrawnLine
  #label = ''
  #rowsTotal: number | null = null
  #rows = 0
  #startedMs = 0

  constructor(around: ProcessEnvironment) {
    this.#around = around
    this.#drawn = new DrawnLine(around)
  }

  beginPhase(label: string, rowsTotal: number | null): void {
    this.#label = label
    this.#rowsTotal = rowsTotal
    this.#rows = 0
    this.#startedMs = this.#around.nowMs()
  }

  addRows(rows: number): void {
    this.#rows += rows
    this.#drawn.draw(nowMs =>
      rowsLine(this.#label, {
        rows: this.#rows,
        rowsTotal: this.#rowsTotal,
        elapsedMs: nowMs - this.#startedMs,
      }),
    )
  }

  clear(): void {
    this.#drawn.clear()
  }
}

/** Counts what passes, and shows it on standard error if that is a terminal. */
export class ProgressBar {
  readonly #drawn: DrawnLine
  readonly #label: string
  readonly #bytesTotal: number | null
  readonly #startedMs: number
  bytes = 0
  lines = 0
  readonly #countsLines: boolean

  constructor(
    around: ProcessEnvironment,
    label: string,
    { bytesTotal, countsLines }: { readonly bytesTotal: number | null; readonly countsLines: boolean },
  ) {
    this.#drawn = new DrawnLine(around)
    this.#label = label
    this.#bytesTotal = bytesTotal
    this.#countsLines = countsLines
    this.#startedMs = around.nowMs()
  }

  /** The same chunks, counted. */
  async *countBytes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        this.bytes += chunk.length
        if (this.#countsLines) this.lines += linesIn(chunk)
        this.#draw()
        yield chunk
      }
    } finally {
      this.clear()
    }
  }

  #draw(): void {
    this.#drawn.draw(nowMs =>
      progressLine(this.#label, {
        bytes: this.bytes,
        bytesTotal: this.#bytesTotal,
        lines: this.#countsLines ? this.lines : null,
        elapsedMs: nowMs - this.#startedMs,
      }),
    )
  }

  clear(): void {
    this.#drawn.clear()
  }
}

function linesIn(chunk: Uint8Array): number {
  let count = 0
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count++
  return count
}
