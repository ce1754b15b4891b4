/** Lines of a streamed answer, as they arrive. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() as string
      if (lines.length > 0) yield lines
    }
    rest += decoder.decode()
    if (rest !== '') yield [rest]
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

interface ServerEvent {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/** Server-sent events. EventSource cannot send a token, so they are read from a plain answer. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent[]> {
  let open = { id: null as string | null, event: 'message', data: [] as string[] }
  for await (const lines of linesOf(body)) {
    const whole: ServerEvent[] = []
    for (const line of lines.map(text => text.replace(/\r$/, ''))) {
      if (line === '') {
        if (open.data.length > 0) whole.push({ ...open, data: open.data.join('\n') })
        open = { id: open.id, event: 'message', data: [] }
        continue
      }
      const [name, value] = fieldOf(line)
      if (name === 'id') open.id = value
      else if (name === 'event') open.event = value
      else if (name === 'data') open.data.push(value)
    }
    // Yields comments too: they show that the connection is alive.
    yield whole
  }
}

/** Not by a pattern: its dot stops at U+2028 and U+2029, which JSON may hold as they are. */
function fieldOf(line: string): [name: string, value: string] {
  const at = line.indexOf(':')
  if (at < 0) return [line, '']
  return [line.slice(0, at), line.slice(line[at + 1] === ' ' ? at + 2 : at + 1)]
}
