import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'

/** The log file cannot be written. One line. */
export class LogFileRefused extends Error {
  override name = 'LogFileRefused'
}

/** How often the file under the name is checked. */
const LOOK_MS = 1_000

/**
 * A file that lines are appended to. Log rotation moves it away and expects a new one under its name; so it is reopened
 * when the name leads to another file or none, and on request.
 */
export class LogFile {
  readonly #path: string
  readonly #key: string
  readonly #nowMs: () => number
  readonly #onFailure: (line: string) => void
  #handle: number
  #lookedAtMs: number
  #isFailing = false

  /**
   * Throws LogFileRefused. Later failures go to `onFailure`, so that no line is lost silently. `key` is the setting that names
   * the file.
   */
  constructor(path: string, nowMs: () => number, onFailure: (text: string) => void, key = 'log_file') {
    this.#path = path
    this.#key = key
    this.#nowMs = nowMs
    this.#onFailure = onFailure
    this.#handle = open(path, key)
    this.#lookedAtMs = nowMs()
  }

  write(text: string): void {
    if (this.#nowMs() - this.#lookedAtMs >= LOOK_MS) {
      this.#lookedAtMs = this.#nowMs()
      if (!this.#isStillThere()) this.reopen()
    }
    try {
      writeWhole(this.#handle, Buffer.from(text))
      this.#isFailing = false
    } catch (error) {
      this.#fail(error as Error)
      this.#onFailure(text)
    }
  }

  /** Keeps the open file if no other can be opened. */
  reopen(): void {
    try {
      const next = open(this.#path, this.#key)
      closeSync(this.#handle)
      this.#handle = next
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  close(): void {
    closeSync(this.#handle)
  }

  #isStillThere(): boolean {
    const named = statSync(this.#path, { throwIfNoEntry: false })
    const open = fstatSync(this.#handle)
    return named !== undefined && named.ino === open.ino && named.dev === open.dev
  }

  #fail({ message }: Error): void {
    if (!this.#isFailing) this.#onFailure(`berth: the log file ${this.#path} cannot be written: ${message}\n`)
    this.#isFailing = true
  }
}

function open(path: string, key: string): number {
  try {
    return openSync(path, 'a', 0o640)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const why = code === 'ENOENT' ? 'its directory does not exist' : code
    throw new LogFileRefused(`${key} = ${path} cannot be opened (${why})`)
  }
}

function writeWhole(handle: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
}
