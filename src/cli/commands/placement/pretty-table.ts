/** Tables as Python's prettytable draws them, which the tools of OpenStack print. */

const bar = (widths: readonly number[]): string => `+${widths.map(width => '-'.repeat(width + 2)).join('+')}+`

/** Centers every cell in its column. */
export function centredTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map(row => (row[at] ?? '').length)))
  const line = (row: readonly string[]) =>
    `|${row.map((cell, at) => ` ${center(cell, widths[at] ?? 0)} `).join('|')}|`
  const [head = [], ...body] = rows
  return [
    bar(widths),
    line(head),
    bar(widths),
    ...body.map(line),
    ...(body.length > 0 ? [bar(widths)] : []),
    '',
  ].join('\n')
}

/** If the space is uneven, a text of odd length gets more on the right, any other more on the left. */
function center(text: string, width: number): string {
  const room = width - text.length
  const left = room % 2 === 1 && text.length % 2 === 0 ? (room + 1) / 2 : Math.floor(room / 2)
  return `${' '.repeat(left)}${text}${' '.repeat(room - left)}`
}

/** One column of boxes that contain lines. */
export function boxes(blocks: readonly (readonly string[])[]): string {
  const width = Math.max(...blocks.flat().map(text => text.length))
  const rule = bar([width])
  const drawn = blocks.flatMap(block => [...block.map(text => `| ${text.padEnd(width)} |`), rule])
  return [rule, ...drawn, ''].join('\n')
}

/** Wraps words into lines of limited length; a longer word stays whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
