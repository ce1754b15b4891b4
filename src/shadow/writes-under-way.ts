import { EVERYTHING, overlap } from './subjects.ts'

/** A write that was forwarded, from sending until Berth has applied it. */
export class TrackedWrite {
  readonly subjects: ReadonlySet<string>
  readonly began: number
  ended = 0
  /** Another write about the same objects was under way at the same time, so their order is unknown. */
  isRaced = false

  constructor(subjects: ReadonlySet<string>, began: number) {
    this.subjects = subjects
    this.began = began
  }
}

/** Finds writes that overlap. Its clock counts beginnings and ends of writes. */
export class WritesUnderWay {
  #now = 0
  readonly #sent = new Set<TrackedWrite>()
  /** Answered writes that overlap with some that are still unanswered. */
  #recent: TrackedWrite[] = []
  /** Answered writes that are not applied yet. */
  readonly #waiting = new Set<TrackedWrite>()
  /** By subject: when its last write began. */
  readonly #lastBegan = new Map<string, number>()
  #forgotten = 0

  get now(): number {
    return this.#now
  }

  get sent(): number {
    return this.#sent.size
  }

  get waiting(): number {
    return this.#waiting.size
  }

  begin(subjects: ReadonlySet<string>): TrackedWrite {
    const write = new TrackedWrite(subjects, ++this.#now)
    this.#sent.add(write)
    if (this.#lastBegan.size > SUBJECTS_MAX) {
      this.#lastBegan.clear()
      this.#forgotten = this.#now
    }
    for (const subject of subjects) this.#lastBegan.set(subject, this.#now)
    return write
  }

  /** Placement has answered. */
  end(write: TrackedWrite): void {
    write.ended = ++this.#now
    this.#sent.delete(write)
    this.#waiting.add(write)
    for (const other of [...this.#sent, ...this.#recent]) {
      const isAtOnce = other.ended === 0 || other.ended > write.began
      if (!isAtOnce || !overlap(write.subjects, other.subjects)) continue
      write.isRaced = true
      other.isRaced = true
    }
    let oldest = Number.POSITIVE_INFINITY
    for (const { began } of this.#sent) oldest = Math.min(oldest, began)
    this.#recent = this.#recent.filter(one => one.ended > oldest)
    if (this.#sent.size > 0) this.#recent.push(write)
  }

  /** Berth has applied the write, or given it up. */
  settle(write: TrackedWrite): void {
    this.#waiting.delete(write)
    this.#now++
  }

  /** A number that changes when a write about these begins; null while a write is under way. */
  stillness(subjects: ReadonlySet<string>): number | null {
    for (const some of [this.#sent, this.#waiting])
      for (const write of some) if (overlap(write.subjects, subjects)) return null
    let last = Math.max(this.#forgotten, this.#lastBegan.get(EVERYTHING) ?? 0)
    for (const subject of subjects) last = Math.max(last, this.#lastBegan.get(subject) ?? 0)
    return last
  }

  get isIdle(): boolean {
    return this.#sent.size + this.#waiting.size === 0
  }
}

const SUBJECTS_MAX = 200_000
