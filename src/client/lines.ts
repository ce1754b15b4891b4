import { Garbled, parseAnswer } from './failure.ts'

const LINE_CHARS_MAX = 64 * 1024 * 1024

/** The lines of a stream of UTF-8, without their ends; the last one may have none. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let open = ''
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (!text.includes('\n')) {
      open += text
      if (open.length > LINE_CHARS_MAX) throw new Garbled(`a line has more than ${LINE_CHARS_MAX} characters`)
      continue
    }
    const parts = (open + text).split('\n')
    open = parts.pop() as string
    for (const line of parts) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  open += decoder.decode()
  if (open !== '') yield open
}

/** One JSON value a line; empty lines are skipped. */
export async function* ndjsonOf<T>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  let number = 0
  for await (const line of linesOf(chunks)) {
    number++
    if (line.trim() === '') continue
    yield parseAnswer<T>(line, `line ${number} of the answer`)
  }
}
