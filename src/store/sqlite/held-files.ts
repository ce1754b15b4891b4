import { type BigIntStats, closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isSameHead } from '../chain.ts'
import { type Head, StoreDiverged } from '../store.ts'
import { describeMoved } from './failure.ts'
import { readHeadAlone } from './head-row.ts'

/** An open file that must keep its name: what is written to a file without one is lost. */
export class HeldFile {
  readonly path: string
  readonly seen: BigIntStats

  constructor(path: string) {
    this.path = path
    const found = look(path)
    if (found === null) throw new StoreDiverged(describeMoved(path))
    this.seen = found
  }

  /** Null if the name is gone, or leads to another file. */
  find(): BigIntStats | null {
    const found = look(this.path)
    return found !== null && found.ino === this.seen.ino && found.dev === this.seen.dev ? found : null
  }

  check(): BigIntStats {
    const found = this.find()
    if (found === null) throw new StoreDiverged(describeMoved(this.path))
    return found
  }
}

function look(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    throw new StoreDiverged(`${path} cannot be read: ${(error as Error).message}`)
  }
}

/** What a connection knows of the history and the log. */
interface LogReader {
  readonly logState: { readonly log: number; readonly checkpointed: number }
  /** Whether the history contains this head. */
  hasPassed(head: Head): boolean
}

/** How much of the log is in the database file. */
interface LogCopy {
  /**
   * The first salt in the header of the log: increased whenever the log restarts, or random. Null while it is empty.
   */
  readonly salt: number | null
  readonly pages: number
  readonly isAll: boolean
}

/** A checkpoint by another program is in the file before connections know of it. */
const COPY_LOOKS_MAX = 20
const COPY_PAUSE_MS = 50

/**
 * Two changes of a directory within this time may have the same timestamp; on file systems that count seconds, within
 * more.
 */
const TICK_MS_MAX = 100
const COARSE_TICK_MS_MAX = 2_100

/** A database with its log and the lock of its directory, from when they were opened. */
export class HeldDatabase {
  readonly #directory: string
  readonly #database: HeldFile
  readonly #log: HeldFile
  readonly #lock: HeldFile | null
  readonly #reader: LogReader
  /** The time of the directory's last change, as of the last check of its names. */
  #namesMs = 0
  /** The database file when its content was known to be ours, */
  #trusted: Times
  /** and the head in it, without the log. */
  #headAlone: Head
  #copied: LogCopy

  /** After the database was opened and read, which opens its log. */
  constructor(file: string, lock: HeldFile | null, reader: LogReader) {
    this.#directory = dirname(file)
    this.#reader = reader
    this.#database = new HeldFile(file)
    this.#log = new HeldFile(`${file}-wal`)
    this.#lock = lock
    this.#trusted = readTimes(file)
    this.#headAlone = readHeadAlone(file)
    this.#copied = this.#readCopied()
  }

  get revisionAlone(): number {
    return this.#headAlone.revision
  }

  /** Before the database is opened again by its name. */
  checkName(): void {
    this.#database.check()
  }

  /**
   * Throws StoreDiverged unless the open files have their names, and the database file contains only what its log had.
   * Only a copy from the log writes to it, and `trust` is called after ours: so a difference is the work of another
   * program, such as a restore. True if that only copied from the log (PRAGMA wal_checkpoint), which is harmless.
   */
  check(): boolean {
    // While the directory is unchanged, so are its names.
    const changedMs = readTimes(this.#directory).mtimeMs
    const tickMs = changedMs % 1_000 === 0 ? COARSE_TICK_MS_MAX : TICK_MS_MAX
    if (changedMs !== this.#namesMs || Date.now() - changedMs < tickMs) this.checkNames()
    this.#namesMs = changedMs
    const found = readTimes(this.#database.path)
    if (isUnwritten(found, this.#trusted)) {
      if (this.#copied.salt === null) this.#copied = this.#readCopied()
      return false
    }
    // It may just have been touched, or the file system's times are coarse.
    if (isSameHead(this.#readHeadAlone(), this.#headAlone)) {
      this.#trusted = found
      return false
    }
    if (!this.#isCopiedByOthers())
      throw new StoreDiverged(`${this.#database.path} was overwritten while it was in use`)
    this.trust(null)
    return true
  }

  checkNames(): void {
    this.#lock?.check()
    this.#database.check()
    this.#log.check()
  }

  #isCopiedByOthers(): boolean {
    for (let looks = 0; looks < COPY_LOOKS_MAX; looks++) {
      const alone = this.#readHeadAlone()
      if (alone.revision < this.#headAlone.revision || !this.#reader.hasPassed(alone)) return false
      if (isFurther(this.#readCopied(), this.#copied)) return true
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, COPY_PAUSE_MS)
    }
    return false
  }

  #readCopied(): LogCopy {
    const { log, checkpointed } = this.#reader.logState
    return { salt: readSalt(this.#log.path), pages: checkpointed, isAll: log === checkpointed }
  }

  /** After all of the log up to a head was copied into the file, or some of it up to the head that is returned. */
  trust(head: Head | null): Head {
    this.#trusted = readTimes(this.#database.path)
    this.#headAlone = this.#readHeadAlone()
    this.#copied = this.#readCopied()
    if (head !== null && !isSameHead(head, this.#headAlone))
      throw new StoreDiverged(`${this.#database.path} was overwritten while it was in use`)
    return this.#headAlone
  }

  /** Whether only the log has lost its name: all of it can still be copied into the database. */
  get isOnlyLogGone(): boolean {
    if (this.#log.find() !== null || this.#database.find() === null) return false
    return isUnwritten(readTimes(this.#database.path), this.#trusted)
  }

  #readHeadAlone(): Head {
    const { path } = this.#database
    try {
      return readHeadAlone(path)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new StoreDiverged(`${path} was overwritten while it was in use, or cannot be read: ${why}`)
    }
  }
}

/** What changes when a file or directory is written. In plain numbers, which take half the time. */
interface Times {
  readonly mtimeMs: number
  readonly size: number
}

function readTimes(path: string): Times {
  try {
    return statSync(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new StoreDiverged(code === 'ENOENT' ? describeMoved(path) : `${path} cannot be read: ${message}`)
  }
}

const isUnwritten = (found: Times, before: Times): boolean =>
  found.mtimeMs === before.mtimeMs && found.size === before.size

/** Whether more of the log was copied since. The log restarts only after all of it was copied. */
function isFurther(now: LogCopy, before: LogCopy): boolean {
  if (now.salt === before.salt) return now.pages > before.pages
  const isNext = before.salt === null || now.salt === (before.salt + 1) >>> 0
  return before.isAll && isNext ? now.pages > 0 : true
}

const SALT_AT = 16

/** From the header of a log. That file has no locks, so it may be closed. */
function readSalt(log: string): number | null {
  const header = Buffer.alloc(SALT_AT + 4)
  const handle = openSync(log, 'r')
  try {
    return readSync(handle, header, 0, header.length, 0) === header.length
      ? header.readUInt32BE(SALT_AT)
      : null
  } finally {
    closeSync(handle)
  }
}
