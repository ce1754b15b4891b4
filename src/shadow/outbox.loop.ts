import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { Store } from '../store/store.ts'
import type { PlainRow } from '../store/tables/plain-tables.ts'
import type { World } from '../world/world.ts'
import type { Doubts } from './doubts.loop.ts'
import type { Answer, KeptRequest } from './exchange.ts'
import { type Forwarder, NoAnswer } from './forwarder.ts'
import type { HiddenConsumers } from './hidden-consumers.ts'
import {
  hasLongRatio,
  isIdleConflict,
  isRefusedAsFull,
  isRefusedAsUsed,
  isVersionRefusal,
  type KnownBug,
} from './known-bugs.ts'
import type { Orphans } from './orphans.ts'
import type { ShadowReport } from './report.ts'
import type { ShadowRules } from './rules.ts'

type QueuedWrite = PlainRow<'shadow_queue'>

const PAGE_ROWS = 500
const PAUSE_MS = 250
const RETRY_MS_MAX = 10_000

interface OutboxParts {
  readonly world: World
  readonly store: Store
  readonly sequencer: Pick<Sequencer<ShadowRules>, 'submit'>
  readonly clock: Clock
  readonly forwarder: Forwarder
  readonly doubts: Doubts
  readonly report: ShadowReport
  readonly orphans: Orphans
  readonly hidden: HiddenConsumers
  /** Whether these may differ already: Placement refused an earlier write, and they are not repaired yet. */
  readonly mayDiffer: (subjects: ReadonlySet<string>) => boolean
  /** Headers that identify this server to Placement. */
  readonly signIn: () => Promise<readonly string[]>
  /** Whether this process sends. Only one of several does. */
  readonly leads: () => boolean
  readonly failing: (why: string) => void
}

/** Sends the queued writes to Placement one by one, in the order of their commits, repeating each until Placement answers. */
export class Outbox {
  readonly #parts: OutboxParts
  #pending: QueuedWrite[] = []
  /** A write was queued since the store was last read. */
  #hasMore = false
  /** It is being read from the store, so nobody knows yet what it is about. */
  #isReadingMore = false
  #lastId = ''
  /** The previous leader may have sent the first write before it ended. */
  #isFirst = true
  #isStopped = false
  #wake: () => void = () => undefined

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  /** The length of the queue, known only to the process that sends. */
  get length(): number {
    return Math.max(this.#pending.length, this.#hasMore || this.#isReadingMore ? 1 : 0)
  }

  get oldestMs(): number | null {
    return this.#pending[0]?.at_ms ?? null
  }

  /** Whether a write about these is still queued. */
  hasAny(subjects: ReadonlySet<string>): boolean {
    if (this.#hasMore || this.#isReadingMore) return true
    return this.#pending.some(one => (JSON.parse(one.subjects) as string[]).some(name => subjects.has(name)))
  }

  wake(): void {
    this.#hasMore = this.#parts.leads()
    this.#wake()
  }

  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  /** Whether the store has no queued write. */
  async isEmpty(): Promise<boolean> {
    const { store, clock } = this.#parts
    return (await store.plainRows('shadow_queue', { limit: 1 }, clock.nowMs())).length === 0
  }

  async countQueued(): Promise<number> {
    let count = 0
    for await (const rows of this.#pages()) count += rows.length
    return count
  }

  /** Drops all queued writes. */
  async drop(): Promise<void> {
    for await (const rows of this.#pages()) for (const row of rows) await this.#markSent(row)
    this.#pending = []
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        if (this.#parts.leads()) {
          await this.#load()
          while (this.#pending.length > 0 && !this.#isStopped && this.#parts.leads()) await this.#sendFirst()
        } else this.#forget()
      } catch (error) {
        this.#parts.failing(error instanceof Error ? error.message : String(error))
        this.#forget()
        // What was queued is still there.
        this.#hasMore = this.#parts.leads()
      }
      await this.#pause(PAUSE_MS)
    }
  }

  #forget(): void {
    this.#hasMore = false
    this.#pending = []
    this.#lastId = ''
    this.#isFirst = true
  }

  async #load(): Promise<void> {
    this.#isReadingMore = this.#hasMore
    this.#hasMore = false
    try {
      await this.#readMore()
    } finally {
      this.#isReadingMore = false
    }
  }

  async #readMore(): Promise<void> {
    const found: QueuedWrite[] = []
    for await (const rows of this.#pages()) {
      found.push(...rows.filter(({ id }) => id > this.#lastId))
      if (rows.some(({ id }) => id <= this.#lastId)) break
    }
    if (found.length === 0) return
    found.sort((a, b) => (a.id < b.id ? -1 : 1))
    this.#lastId = (found.at(-1) as QueuedWrite).id
    this.#pending.push(...found)
  }

  /** All queued writes, the newest first. */
  async *#pages(): AsyncGenerator<readonly QueuedWrite[]> {
    const { store, clock } = this.#parts
    let after: readonly [number, string] | undefined
    for (;;) {
      const query = { limit: PAGE_ROWS, ...(after === undefined ? {} : { after }) }
      const rows = await store.plainRows('shadow_queue', query, clock.nowMs())
      if (rows.length > 0) yield rows
      if (rows.length < PAGE_ROWS) return
      const last = rows.at(-1) as QueuedWrite
      after = [last.at_ms, last.id]
    }
  }

  async #sendFirst(): Promise<void> {
    const row = this.#pending[0] as QueuedWrite
    const { doubts, report, mayDiffer } = this.#parts
    const subjects = new Set(JSON.parse(row.subjects) as string[])
    if (row.method === '') doubts.add(subjects, 'it was written through another API')
    else {
      const wasRepeated = this.#isFirst
      const { answer, repeated } = await this.#sendUntilAnswered(row)
      if (answer === null) return
      const request = toRequest(row)
      if (answer.status >= 300 && !wasRepeated && !repeated && !mayDiffer(subjects)) {
        const known = await this.#explain(answer, subjects)
        report.addDifference(request, 'Placement refused what Berth accepted', known, answer, null)
        doubts.add(subjects, 'Placement refused a write')
      } else {
        report.count(request, answer.status < 300 ? 'equal' : 'raced')
        const isHidden = this.#parts.hidden.follow(request, subjects, answer.status < 300)
        if (wasRepeated || repeated) doubts.add(subjects, 'it may have been sent twice')
        else if (answer.status >= 300)
          doubts.add(subjects, 'Placement refused a write that follows from another')
        else if (isHidden) doubts.add(subjects, 'Placement may have kept an earlier consumer')
      }
    }
    this.#isFirst = false
    await this.#markSent(row)
    this.#pending.shift()
    // A request with two commits is sent once, with the first.
    while (
      this.#pending[0] !== undefined &&
      row.request_id !== '' &&
      this.#pending[0].request_id === row.request_id
    )
      await this.#markSent(this.#pending.shift() as QueuedWrite)
  }

  async #explain(answer: Answer, subjects: ReadonlySet<string>): Promise<KnownBug | null> {
    if (isIdleConflict(answer)) return 'idle-consumer'
    if (isVersionRefusal(answer)) return 'newer-version'
    if (!isRefusedAsUsed(answer)) return null
    const { orphans, world } = this.#parts
    await orphans.lookAlone(subjects)
    if (orphans.hasSome(subjects)) return 'orphaned-allocation'
    return isRefusedAsFull(answer) && hasLongRatio(world, subjects) ? 'ratio-digits' : null
  }

  /** Null if this process no longer leads. */
  async #sendUntilAnswered(row: QueuedWrite): Promise<{ answer: Answer | null; repeated: boolean }> {
    const { forwarder, signIn, leads, failing, report } = this.#parts
    const request = toRequest(row)
    let repeated = false
    for (let tries = 0; leads() && !this.#isStopped; tries++) {
      try {
        const startMs = performance.now()
        const answer = await forwarder.ask(request, [
          'host',
          new URL(forwarder.url).host,
          ...request.rawHeaders,
          ...(await signIn()),
        ])
        report.addLatency('placement', performance.now() - startMs)
        if (answer.status < 500 && answer.status !== 401 && answer.status !== 429) return { answer, repeated }
        failing(`Placement answers ${answer.status} to ${row.method} ${row.path}`)
        repeated ||= answer.status >= 500
      } catch (error) {
        repeated ||= !(error instanceof NoAnswer && error.isUnsent)
        failing(error instanceof Error ? error.message : String(error))
      }
      // Keeps the length current for operators who watch it.
      await this.#load()
      await this.#pause(Math.min(100 * 2 ** tries, RETRY_MS_MAX))
    }
    return { answer: null, repeated }
  }

  /** Writes the row with time 0: it has expired, which removes it. */
  async #markSent(row: QueuedWrite): Promise<void> {
    await this.#parts.sequencer.submit({ kind: 'shadow:note' }, () => [
      { table: 'shadow_queue', row: { ...row, body: '', subjects: '[]', at_ms: 0 } },
    ])
  }

  async #pause(ms: number): Promise<void> {
    const woken = new Promise<void>(resolve => {
      this.#wake = resolve
    })
    await Promise.race([sleep(ms), woken])
  }
}

function toRequest(row: QueuedWrite): KeptRequest {
  const { method, path, version, request_id: requestId } = row
  const body = Buffer.from(row.body)
  const headers: Record<string, string> = {
    ...(version === '' ? {} : { 'openstack-api-version': version }),
    ...(body.length === 0 ? {} : { 'content-type': 'application/json' }),
    'content-length': String(body.length),
    accept: 'application/json',
    'x-openstack-request-id': requestId,
  }
  return {
    method,
    path,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    body,
    requestId,
    caller: { remoteAddress: undefined, localAddress: undefined, localPort: undefined, encrypted: false },
  }
}
