import type { ChangeFeed } from '../../store/sequencer/change-feed.ts'
import type { Applied } from '../../store/sequencer/observer.ts'
import { renderOps } from '../../world/naming.ts'
import type { VisibleTables } from './feed-rights.ts'

const CHANGES_PER_PAGE = 256
const HEARTBEAT_MS = 15_000

/** The position of a client: its last revision and, if known, the history of that revision. */
export interface Position {
  readonly revision: number
  /** The start of the revision's chain value. */
  readonly history: string | null
}

const HISTORY_LENGTH = 8

export function parsePosition(text: string): Position | null {
  const found = /^(\d{1,15})(?:-([0-9a-f]{8}))?$/.exec(text)
  return found === null ? null : { revision: Number(found[1]), history: found[2] ?? null }
}

const cutChain = (chain: string): string => chain.slice(0, HISTORY_LENGTH)

/** False if a revision belongs to another history: a failover lost what the client received. */
export async function isOurs(feed: ChangeFeed, { revision, history }: Position): Promise<boolean> {
  if (history === null || revision === 0) return true
  const page = await feed.readAfter(revision - 1, 1)
  const change = page.kept ? page.changes[0] : undefined
  return change === undefined || cutChain(change.chain) === history
}

interface Following {
  readonly after: number
  /** The last revision to send; null to send without end. */
  readonly upTo: number | null
  /** The client disconnected. */
  readonly gone: AbortSignal
  /** The tables that the client may see now; null if it has lost access. Called before each page and when idle. */
  readonly sight: () => Promise<VisibleTables | null>
  readonly heartbeatMs?: number
}

/**
 * Streams the changes after a revision as server-sent events, no faster than the client reads. Nothing is
 * buffered for a slow client: once the store no longer keeps what it needs, it gets an event and the stream
 * ends. The stream also ends when the token of the client ends: the change that ended it wakes up the stream,
 * but is not sent.
 */
export async function* streamChanges(feed: ChangeFeed, following: Following): AsyncGenerator<string> {
  const { upTo, gone, heartbeatMs = HEARTBEAT_MS } = following
  const { lives } = feed
  let at = following.after
  // An id without data moves the position of the client without an event.
  yield `id: ${at}\n\n`
  while (!gone.aborted && (upTo === null || at < upTo)) {
    const limit = upTo === null ? CHANGES_PER_PAGE : Math.min(CHANGES_PER_PAGE, upTo - at)
    const page = await feed.readAfter(at, limit)
    const sight = await following.sight()
    if (sight === null) {
      yield 'event: unauthorized\ndata: {}\n\n'
      return
    }
    // After a failover that lost commits, the client has wrong data. Treats it as if all changes had been
    // trimmed.
    const oldest = feed.lives !== lives ? feed.revision + 1 : page.kept ? null : page.oldestKept
    if (oldest !== null) {
      yield `event: trimmed\ndata: ${JSON.stringify({ oldest })}\n\n`
      return
    }
    if (!page.kept) return
    for (const change of page.changes) {
      yield getEvent(change, sight)
      at = change.revision
    }
    if (page.changes.length > 0) continue
    if (feed.isClosed) return
    await feed.waitForChange(at, gone, heartbeatMs)
    if (feed.revision === at && !feed.isClosed) yield ': alive\n\n'
  }
}

/** Caches event texts: recent changes go to many clients that see one of a few sets of tables. */
const texts = new WeakMap<Applied, Map<string, string>>()

function getEvent(change: Applied, sight: VisibleTables): string {
  let known = texts.get(change)
  if (known === undefined) {
    known = new Map()
    texts.set(change, known)
  }
  const text = known.get(sight.name) ?? renderEvent(change, sight)
  known.set(sight.name, text)
  return text
}

function renderEvent(change: Applied, sight: VisibleTables): string {
  const { revision, atMs } = change
  const ops = renderOps(change).filter(({ table }) => sight.shows(table))
  const data = { revision, at: new Date(atMs).toISOString(), ops }
  return `id: ${revision}-${cutChain(change.chain)}\nevent: change\ndata: ${JSON.stringify(data)}\n\n`
}
