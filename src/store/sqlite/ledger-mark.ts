import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { follows, GENESIS } from '../chain.ts'
import { type Head, StoreRefused } from '../store.ts'
import { markFile, syncDirectory } from './directory.ts'

/**
 * What a data directory records about its database: where the history was at some recent time, never ahead of what is
 * durable; and the revision of the database file without its log, or null while the log is being copied into it.
 */
export interface LedgerMark extends Head {
  readonly revision_alone: number | null
}

export function readMark(directory: string): LedgerMark | null {
  const file = markFile(directory)
  try {
    const { revision, chain, revision_alone } = JSON.parse(readFileSync(file, 'utf8')) as LedgerMark
    const isAloneGiven = revision_alone === null || Number.isSafeInteger(revision_alone)
    if (Number.isSafeInteger(revision) && typeof chain === 'string' && isAloneGiven)
      return { revision, chain, revision_alone }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
  }
  throw new StoreRefused(
    `${file} cannot be read, so it is not known whether the database beside it is the right one; if it is, remove ${file}`,
  )
}

/** Replaces the last one, atomically and durably. */
function writeMark(directory: string, mark: LedgerMark): void {
  const draft = `${markFile(directory)}.tmp`
  const handle = openSync(draft, 'w', 0o600)
  try {
    writeSync(handle, `${JSON.stringify(mark)}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, markFile(directory))
  syncDirectory(directory)
}

/** An older mark is written again after the next commit. */
const MARK_MS_MAX = 10_000

/** Keeps the mark of a directory close to what is durable. */
export class LedgerMarker {
  readonly #directory: string
  readonly #nowMs: () => number
  #last: LedgerMark
  #isWritten: boolean
  #atMs: number

  constructor(directory: string, nowMs: () => number) {
    this.#directory = directory
    this.#nowMs = nowMs
    const found = readMark(directory)
    this.#last = found ?? { ...GENESIS, revision_alone: 0 }
    this.#isWritten = found !== null
    this.#atMs = Number.NEGATIVE_INFINITY
  }

  /** Whether a mark is due at this revision. */
  isDue(revision: number): boolean {
    if (revision === this.#last.revision) return false
    return this.#last.revision === GENESIS.revision || this.#nowMs() - this.#atMs >= MARK_MS_MAX
  }

  /** The oldest change that must stay in the database to compare the mark with it. */
  get neededFrom(): number {
    return this.#last.revision + 1
  }

  /** After a commit. The file alone has not changed. If it cannot be written, the last mark stays true. */
  tryMarkHead(head: Head): void {
    try {
      this.#write(head, this.#last.revision_alone)
    } catch {}
  }

  /** Before the log is copied into the file: from here on it is unknown how far that went. */
  markCopying(): void {
    if (this.#isWritten) this.#write(this.#last, null)
  }

  /** After the copy is durable. */
  markCopied(head: Head, revisionAlone: number): void {
    this.#write(head, revisionAlone)
  }

  /** If it cannot be written, the next start refuses the file beside its log, and says what to do. */
  tryMarkCopied(head: Head, revisionAlone: number): void {
    try {
      this.markCopied(head, revisionAlone)
    } catch {}
  }

  #write({ revision, chain }: Head, revisionAlone: number | null): void {
    const mark = { revision, chain, revision_alone: revisionAlone }
    // An empty ledger has nothing to lose.
    if (isDeepStrictEqual(mark, this.#last) && (this.#isWritten || revision === GENESIS.revision)) return
    writeMark(this.#directory, mark)
    this.#last = mark
    this.#isWritten = true
    this.#atMs = this.#nowMs()
  }
}

/** A database as found at the start. */
export interface FoundLedger {
  readonly head: Head
  /** The head in the file alone, without the log; null if it cannot be read. */
  readonly headAlone: Head | null
  changeAt(revision: number): (Head & { readonly batchId: string }) | null
}

/** Why a database is not the one of the mark; null if it may be. */
export function describeMismatch(mark: LedgerMark, found: FoundLedger): string | null {
  const { head } = found
  if (head.revision < mark.revision)
    return `is at revision ${head.revision}, older than revision ${mark.revision} that was there before`
  if (!continues(mark, found)) return `is not the one that was at revision ${mark.revision} before`
  return null
}

function continues(mark: LedgerMark, { head, changeAt }: FoundLedger): boolean {
  if (mark.revision === head.revision) return mark.chain === head.chain
  if (mark.revision === GENESIS.revision) return true
  const at = changeAt(mark.revision)
  if (at !== null) return at.chain === mark.chain
  // Old changes are dropped: the one after it is enough.
  const next = changeAt(mark.revision + 1)
  return next !== null && follows(next, mark)
}

/**
 * Whether the database file was put beside a log that belongs to another one. A file that is further than the mark may
 * also be one into which another program copied the log: with `mayBeAhead`, that is assumed.
 */
export function isBesideAnothersLog(
  mark: LedgerMark | null,
  found: FoundLedger,
  mayBeAhead: boolean,
): boolean {
  const { headAlone, head, changeAt } = found
  if (headAlone === null) return false
  const expected = mark?.revision_alone ?? null
  if (expected !== null && headAlone.revision < expected) return true
  if (expected !== null && headAlone.revision > expected && !mayBeAhead) return true
  if (headAlone.revision === head.revision) return headAlone.chain !== head.chain
  const at = changeAt(headAlone.revision)
  return headAlone.revision > head.revision || (at !== null && at.chain !== headAlone.chain)
}
