import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../world/world.ts'
import type { Doubts } from './doubts.loop.ts'
import type { Answer, KeptRequest } from './exchange.ts'
import type { HiddenConsumers } from './hidden-consumers.ts'
import { explainDifference, hasLongRatio } from './known-bugs.ts'
import type { Orphans } from './orphans.ts'
import type { ReadsAgain } from './reads-again.loop.ts'
import type { ShadowReport } from './report.ts'
import { askInVersionOf, type Sides } from './sides.ts'
import type { TrackedWrite, WritesUnderWay } from './writes-under-way.ts'

/** A write that Placement answered. */
interface AnsweredWrite {
  readonly request: KeptRequest
  readonly tracked: TrackedWrite
  /** Null: there was no answer, or it has no certain meaning. */
  readonly answer: Answer | null
  tries: number
  readonly applied: () => void
}

interface AnsweredRead {
  readonly request: KeptRequest
  readonly answer: Answer
}

type Item = { readonly write: AnsweredWrite } | { readonly read: AnsweredRead }

/** More reads than this are not compared. More writes are not applied: what they touched is compared and repaired instead. */
const READS_MAX = 1_000
const WRITES_MAX = 10_000
const BYTES_MAX = 64 * 1024 * 1024
/** A write that overlapped with others is tried again after them. */
const TRIES_MAX = 4
const RETRY_MS = 25

interface QueueParts {
  readonly world: World
  readonly sides: Sides
  readonly report: ShadowReport
  readonly writes: WritesUnderWay
  readonly doubts: Doubts
  readonly again: ReadsAgain
  readonly orphans: Orphans
  readonly hidden: HiddenConsumers
  /** Whether these may differ already, or may be written by another process unnoticed. */
  readonly mayDiffer: (subjects: ReadonlySet<string>) => boolean
}

/**
 * Repeats on Berth what Placement was asked, in the order of Placement's answers, and compares the answers. No client waits for it.
 * Writes that Placement refused are decided without changing anything, so only accepted writes change the ledger.
 */
export class ApplyQueue {
  readonly #parts: QueueParts
  readonly #items: Item[] = []
  #bytes = 0
  #reads = 0
  #isRunning = false
  /** The number of differences that are being explained. */
  #explaining = 0

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  /** Also what is being applied, compared or tried again. */
  get length(): number {
    return this.#parts.writes.waiting + this.#reads + this.#explaining
  }

  get isIdle(): boolean {
    return !this.#isRunning
  }

  addWrite(write: AnsweredWrite): void {
    const { doubts, report } = this.#parts
    const isFull = this.#items.length >= WRITES_MAX || this.#bytes > BYTES_MAX
    if (isFull || write.answer === null) {
      report.count(write.request, write.answer === null ? 'unknown' : 'skipped')
      this.#settle(write)
      doubts.add(
        write.tracked.subjects,
        write.answer === null ? 'the outcome was unknown' : 'the queue was full',
      )
      return
    }
    this.#bytes += write.request.body.length
    this.#push({ write })
  }

  addRead(read: AnsweredRead): void {
    const size = read.answer.body?.length ?? 0
    if (read.answer.body === null || this.#reads >= READS_MAX || this.#bytes + size > BYTES_MAX) {
      this.#parts.report.count(read.request, 'skipped')
      return
    }
    this.#bytes += size
    this.#reads++
    this.#push({ read })
  }

  #push(item: Item): void {
    this.#items.push(item)
    if (this.#isRunning) return
    this.#isRunning = true
    // Starts after the client has its answer.
    setImmediate(() => void this.#run())
  }

  async #run(): Promise<void> {
    for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) {
      if ('write' in item) {
        this.#bytes -= item.write.request.body.length
        await this.#applyWrite(item.write).catch(error => this.#fail(item.write, error))
      } else {
        this.#bytes -= item.read.answer.body?.length ?? 0
        await this.#compareRead(item.read).catch(() => this.#parts.report.count(item.read.request, 'failed'))
        this.#reads--
      }
    }
    this.#isRunning = false
  }

  #settle(write: AnsweredWrite): void {
    this.#parts.writes.settle(write.tracked)
    write.applied()
  }

  #fail({ request, tracked, ...write }: AnsweredWrite, error: unknown): void {
    const { report, doubts } = this.#parts
    report.count(request, 'failed')
    this.#settle({ request, tracked, ...write })
    doubts.add(tracked.subjects, `Berth failed: ${error instanceof Error ? error.message : String(error)}`)
  }

  async #applyWrite(write: AnsweredWrite): Promise<void> {
    const { world, sides, report, doubts } = this.#parts
    const theirs = write.answer as Answer
    const request = askInVersionOf(write.request, theirs)
    const isAccepted = theirs.status < 300
    let ours = await sides.askOurs(request, isAccepted ? 'real' : 'dry')
    const isStranger = isAccepted && (ours.status === 401 || ours.status === 403)
    if (isStranger) {
      report.addDifference(write.request, 'permission', null, theirs, ours)
      ours = await sides.askOurs(request, 'trusted')
    }
    const difference = sides.compare(theirs, ours)
    if (difference !== null && this.#parts.mayDiffer(write.tracked.subjects)) write.tracked.isRaced = true
    if (difference !== null && write.tracked.isRaced && ++write.tries < TRIES_MAX) {
      // Placement may have done it after a write whose answer has not arrived yet.
      void sleep(RETRY_MS * write.tries).then(() => this.#push({ write }))
      this.#bytes += write.request.body.length
      return
    }
    this.#settle(write)
    const isHidden = this.#parts.hidden.follow(write.request, write.tracked.subjects, isAccepted)
    if (difference === null) {
      if (!isStranger) report.count(write.request, 'equal')
      if (write.tracked.isRaced && isAccepted) doubts.add(write.tracked.subjects, 'two writes overlapped')
      else if (isHidden) doubts.add(write.tracked.subjects, 'Placement may have kept an earlier consumer')
      else if (
        isAccepted &&
        /\/(inventories|reshaper)\b/.test(request.path) &&
        hasLongRatio(world, write.tracked.subjects)
      )
        doubts.add(write.tracked.subjects, 'Placement may have kept fewer digits of a ratio')
      return
    }
    if (write.tracked.isRaced) report.count(write.request, 'raced')
    else void this.#explain(write, difference, theirs, ours)
    if (isAccepted)
      doubts.add(
        write.tracked.subjects,
        write.tracked.isRaced ? 'two writes overlapped' : 'a write had another answer',
      )
  }

  /** Runs beside the queue, as it waits until no write about the same things is under way. */
  async #explain(
    { request, tracked }: AnsweredWrite,
    what: string,
    theirs: Answer,
    ours: Answer,
  ): Promise<void> {
    this.#explaining++
    const asked = askInVersionOf(request, theirs)
    // An answer that cannot be parsed stays unexplained.
    const known = await explainDifference(this.#parts, asked, tracked.subjects, theirs, ours).catch(
      () => null,
    )
    this.#parts.report.addDifference(request, what, known, theirs, ours)
    this.#explaining--
  }

  async #compareRead({ request: asked, answer }: AnsweredRead): Promise<void> {
    const { sides, report, again } = this.#parts
    const request = askInVersionOf(asked, answer)
    const ours = await sides.askOurs(request, 'real')
    if (sides.compare(answer, ours) === null) report.count(asked, 'equal')
    else again.add(request)
  }
}
