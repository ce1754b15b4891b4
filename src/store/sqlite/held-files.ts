import { type BigIntStats, statSync } from 'node:fs'
import { sameHead } from '../chain.ts'
import { type Head, StoreDiverged } from '../store.ts'
import { movedAway } from './failure.ts'
import { headInFileAlone } from './head-row.ts'

/** A file that is open somewhere, and must stay under its name: what is written to a file without one is lost. */
export class HeldFile {
  readonly path: string
  readonly seen: BigIntStats

  constructor(path: string) {
    this.path = path
    const found = look(path)
    if (found === null) throw new StoreDiverged(movedAway(path))
    this.seen = found
  }

  /** Null where the name is gone, or leads to another file. */
  find(): BigIntStats | null {
    const found = look(this.path)
    return found !== null && found.ino === this.seen.ino && found.dev === this.seen.dev ? found : null
  }

  check(): BigIntStats {
    const found = this.find()
    if (found === null) throw new StoreDiverged(movedAway(this.path))
    return found
  }
}

function look(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    throw new StoreDiverged(`${path} cannot be looked at: ${(error as Error).message}`)
  }
}

/** A database and its log, from when they were opened. */
export class HeldDatabase {
  readonly #database: HeldFile
  readonly #log: HeldFile
  /** The database file when its content was known to be ours, */
  #trusted: BigIntStats
  /** and the head in it, without the log. */
  #headAlone: Head
  /** As of the last check. */
  logBytes = 0n

  /** Once the database was opened and read, which opens its log. */
  constructor(file: string) {
    this.#database = new HeldFile(file)
    this.#log = new HeldFile(`${file}-wal`)
    this.#trusted = this.#database.seen
    this.#headAlone = headInFileAlone(file)
  }

  /** Before the database is opened once more by its name. */
  checkName(): void {
    this.#database.check()
  }

  /**
   * Throws StoreDiverged unless the open files have their names, and nobody else wrote to the database file. Only a copy
   * from the log writes to it, and `trust` is told of those: so it shows what another program did, such as a restore.
   */
  check(): void {
    const found = this.#database.check()
    this.logBytes = this.#log.check().size
    if (isUnwritten(found, this.#trusted)) return
    // Somebody may just have touched it, or the file system is vague about times.
    if (!sameHead(this.#readHeadAlone(), this.#headAlone))
      throw new StoreDiverged(`${this.#database.path} was overwritten while it was in use`)
    this.#trusted = found
  }

  /** After all of the log up to a head was copied into the file, or some of it up to a head that is returned. */
  trust(head: Head | null): Head {
    this.#trusted = this.#database.check()
    this.#headAlone = this.#readHeadAlone()
    if (head !== null && !sameHead(head, this.#headAlone))
      throw new StoreDiverged(`${this.#database.path} was overwritten while it was in use`)
    return this.#headAlone
  }

  /** Whether the log alone has lost its name: all of it can still be copied into the database. */
  get isOnlyLogGone(): boolean {
    const found = this.#database.find()
    return found !== null && isUnwritten(found, this.#trusted) && this.#log.find() === null
  }

  #readHeadAlone(): Head {
    const { path } = this.#database
    try {
      return headInFileAlone(path)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new StoreDiverged(`${path} was overwritten while it was in use, or cannot be read: ${why}`)
    }
  }
}

const isUnwritten = (found: BigIntStats, before: BigIntStats): boolean =>
  found.mtimeNs === before.mtimeNs && found.size === before.size
