/** Tables as files: CSV for spreadsheets, JSON for programs. */

export type ExportedValue = string | number | boolean | null

export interface ExportedColumn<Row> {
  readonly id: string
  readonly title: string
  value(row: Row): ExportedValue
}

/**
 * A spreadsheet runs a text that begins so as a formula, whoever wrote it: names of hosts and shares are anybody's. Full-width
 * signs count in some.
 */
const FORMULA = /^\s*[=+\-@|＝＋－＠]/u

/** Texts are always in quotes, so that a spreadsheet with another separator does not split them. */
export function csvField(value: ExportedValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = FORMULA.test(value) || /^[\t\r\n]/.test(value) ? `'${value}` : value
  return `"${safe.replaceAll('"', '""')}"`
}

/** How many rows are written in one piece. */
const ROWS_AT_ONCE = 500

/** The text in pieces; a pause is possible after each. */
export function* csvOf<Row>(
  columns: readonly ExportedColumn<Row>[],
  rows: readonly Row[],
): Generator<string, void, void> {
  yield `${columns.map(({ title }) => csvField(title)).join(',')}\r\n`
  yield* inPieces(rows, row => `${columns.map(column => csvField(column.value(row))).join(',')}\r\n`)
}

export function* jsonOf<Row>(
  { table, cut }: { readonly table: string; readonly cut: string | null },
  columns: readonly ExportedColumn<Row>[],
  rows: readonly Row[],
): Generator<string, void, void> {
  yield `{"table":${JSON.stringify(table)},"cut":${JSON.stringify(cut)},"rows":[`
  let isFirst = true
  const text = (row: Row) => {
    const separator = isFirst ? '\n' : ',\n'
    isFirst = false
    return separator + JSON.stringify(Object.fromEntries(columns.map(one => [one.id, one.value(row)])))
  }
  yield* inPieces(rows, text)
  yield '\n]}\n'
}

function* inPieces<Row>(rows: readonly Row[], textOf: (row: Row) => string): Generator<string, void, void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    yield rows
      .slice(at, at + ROWS_AT_ONCE)
      .map(textOf)
      .join('')
}

/** `what-fits.csv`; the name of a file says that rows are missing, as CSV has no place for it. */
export function fileNameOf(label: string, isCut: boolean, extension: 'csv' | 'json'): string {
  const words = label.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu) ?? ['table']
  return `${words.join('-')}${isCut ? '-cut' : ''}.${extension}`
}
