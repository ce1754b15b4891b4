import { Problem } from './problem.ts'

export interface NumberedLine {
  /** From 1, as editors count. */
  readonly number: number
  readonly bytes: Buffer
}

const NEWLINE = 0x0a

/** The lines of a body as they arrive: one list per piece of the body. Empty lines are counted and skipped. */
export async function* splitLines(
  pieces: AsyncIterable<Uint8Array>,
  bytesPerLineMax: number,
): AsyncGenerator<NumberedLine[]> {
  let number = 0
  let open: Buffer[] = []
  let openBytes = 0
  const grow = (part: Buffer): void => {
    open.push(part)
    openBytes += part.length
    if (openBytes > bytesPerLineMax)
      throw new Problem(
        400,
        'import.line-too-long',
        `Line ${number + 1} has more than ${bytesPerLineMax} bytes.`,
        { line: number + 1, bytes_max: bytesPerLineMax },
      )
  }
  const close = (lines: NumberedLine[]): void => {
    number++
    const bytes = open.length === 1 ? (open[0] as Buffer) : Buffer.concat(open, openBytes)
    open = []
    openBytes = 0
    if (!isBlank(bytes)) lines.push({ number, bytes })
  }
  for await (const piece of pieces) {
    const lines: NumberedLine[] = []
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    let from = 0
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, from)) {
      grow(buffer.subarray(from, end))
      close(lines)
      from = end + 1
    }
    if (from < buffer.length) grow(buffer.subarray(from))
    if (lines.length > 0) yield lines
  }
  const last: NumberedLine[] = []
  if (openBytes > 0) close(last)
  if (last.length > 0) yield last
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  return true
}
