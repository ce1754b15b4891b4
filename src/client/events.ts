import { Refused, Unreachable } from './failure.ts'
import { linesOf } from './lines.ts'

export interface ServerEvent {
  /** The position after this event; what the last event with one had, if this has none. */
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/** Server-sent events (the `text/event-stream` of HTML). Comments are dropped, and so is an unfinished event. */
export async function* eventsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  let id: string | null = null
  let event = 'message'
  let data: string[] = []
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { id, event, data: data.join('\n') }
      event = 'message'
      data = []
      continue
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'event') event = value
    else if (field === 'data') data.push(value)
  }
}

interface Following {
  /** Opens the stream after a position; null is from now on. */
  readonly open: (after: string | null) => Promise<OpenStream>
  /** Where to begin. */
  readonly after: string | null
  readonly sleep: (ms: number) => Promise<void>
  /** Told before each pause. */
  readonly onPause?: (reason: string, ms: number) => void
}

export interface OpenStream {
  readonly events: AsyncIterable<ServerEvent>
  /** Where the stream stands before its first event, if the server says so. */
  readonly position: string | null
}

const PAUSE_MS_MIN = 500
const PAUSE_MS_MAX = 30_000

/**
 * All events from a position on, over as many connections as it takes: after each break it goes on after the
 * last event seen. The first connection must succeed; later ones are tried for ever, ever more slowly.
 */
export async function* follow({ open, after, sleep, onPause }: Following): AsyncGenerator<ServerEvent> {
  let position = after
  let connected = false
  let pauseMs = PAUSE_MS_MIN
  for (;;) {
    let reason = 'the stream ended'
    try {
      const stream = await open(position)
      connected = true
      position ??= stream.position
      for await (const event of stream.events) {
        position = event.id ?? position
        pauseMs = PAUSE_MS_MIN
        yield event
      }
    } catch (error) {
      if (!connected || !mayPass(error)) throw error
      reason = (error as Error).message
    }
    onPause?.(reason, pauseMs)
    await sleep(pauseMs)
    pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)
  }
}

/** What may be over the next time: a server that restarts, or is too busy. */
function mayPass(error: unknown): boolean {
  return (
    error instanceof Unreachable ||
    (error instanceof Refused && (error.status >= 500 || error.status === 429))
  )
}
