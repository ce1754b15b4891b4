import type { ChangeFeed } from '../../store/sequencer/change-feed.ts'
import type { Applied } from '../../store/sequencer/sequencer.ts'
import { namedOps } from '../../world/naming.ts'
import type { Sight } from './feed-rights.ts'

const CHANGES_PER_PAGE = 256
const HEARTBEAT_MS = 15_000

/** Where a client is: the last revision it was told, and of which history, if it says so. */
export interface Position {
  readonly revision: number
  /** The beginning of the revision's chain value. */
  readonly history: string | null
}

const HISTORY_LENGTH = 8

export function positionOf(text: string): Position | null {
  const found = /^(\d{1,15})(?:-([0-9a-f]{8}))?$/.exec(text)
  return found === null ? null : { revision: Number(found[1]), history: found[2] ?? null }
}

const historyOf = (chain: string): string => chain.slice(0, HISTORY_LENGTH)

/** False if a revision is one of another history: the client was told what a failover has taken back. */
export async function isOurs(feed: ChangeFeed, { revision, history }: Position): Promise<boolean> {
  if (history === null || revision === 0) return true
  const page = await feed.after(revision - 1, 1)
  const change = page.kept ? page.changes[0] : undefined
  return change === undefined || historyOf(change.chain) === history
}

interface Following {
  readonly after: number
  /** The last revision to tell; null is to go on. */
  readonly upTo: number | null
  /** The client is gone. */
  readonly gone: AbortSignal
  /** What the client may see at this moment; null: nothing any more. Asked before each page and whenever nothing happens. */
  readonly sight: () => Promise<Sight | null>
  readonly heartbeatMs?: number
}

/**
 * The changes after a revision as server-sent events. Told at the pace at which they are taken: nothing is kept
 * for a slow client, and one that falls behind what the store keeps is told so and ends. So does one whose token ends:
 * a change that ends it wakes this up like any other, and is not told any more.
 */
export async function* changeEvents(feed: ChangeFeed, following: Following): AsyncGenerator<string> {
  const { upTo, gone, heartbeatMs = HEARTBEAT_MS } = following
  const { lives } = feed
  let at = following.after
  // An id without data moves the position of the client and tells it nothing.
  yield `id: ${at}\n\n`
  while (!gone.aborted && (upTo === null || at < upTo)) {
    const limit = upTo === null ? CHANGES_PER_PAGE : Math.min(CHANGES_PER_PAGE, upTo - at)
    const page = await feed.after(at, limit)
    const sight = await following.sight()
    if (sight === null) {
      yield 'event: unauthorized\ndata: {}\n\n'
      return
    }
    // After a failover that lost commits, what the client was told is no longer true: as if all had been trimmed.
    const oldest = feed.lives !== lives ? feed.revision + 1 : page.kept ? null : page.oldestKept
    if (oldest !== null) {
      yield `event: trimmed\ndata: ${JSON.stringify({ oldest })}\n\n`
      return
    }
    if (!page.kept) return
    for (const change of page.changes) {
      yield eventOf(change, sight)
      at = change.revision
    }
    if (page.changes.length > 0) continue
    if (feed.isClosed) return
    await feed.moved(at, gone, heartbeatMs)
    if (feed.revision === at && !feed.isClosed) yield ': alive\n\n'
  }
}

/** Recent changes are told to many, who see one of few selections of them. */
const texts = new WeakMap<Applied, Map<string, string>>()

function eventOf(change: Applied, sight: Sight): string {
  let known = texts.get(change)
  if (known === undefined) {
    known = new Map()
    texts.set(change, known)
  }
  const text = known.get(sight.name) ?? eventText(change, sight)
  known.set(sight.name, text)
  return text
}

function eventText(change: Applied, sight: Sight): string {
  const { revision, atMs } = change
  const ops = namedOps(change).filter(({ table }) => sight.shows(table))
  const data = { revision, at: new Date(atMs).toISOString(), ops }
  return `id: ${revision}-${historyOf(change.chain)}\nevent: change\ndata: ${JSON.stringify(data)}\n\n`
}
