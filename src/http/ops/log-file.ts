import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'

/** The log file cannot be written. One plain line. */
export class LogFileRefused extends Error {
  override name = 'LogFileRefused'
}

/** How often we look whether the file under the name is still the one that we write to. */
const LOOK_MS = 1_000

/**
 * A file that lines are appended to. Programs that rotate logs move it away and expect a new one under its name; so it is opened
 * anew when the name leads to another file or to none, and when somebody asks for it.
 */
export class LogFile {
  readonly #path: string
  readonly #nowMs: () => number
  readonly #onFailure: (line: string) => void
  #handle: number
  #lookedAtMs: number
  #isFailing = false

  /** Throws LogFileRefused. What cannot be written later goes to `onFailure`, so that no line is lost in silence. */
  constructor(path: string, nowMs: () => number, onFailure: (text: string) => void) {
    this.#path = path
    this.#nowMs = nowMs
    this.#onFailure = onFailure
    this.#handle = open(path)
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

  /** Keeps the file that is open where no other can be opened. */
  reopen(): void {
    try {
      const next = open(this.#path)
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

function open(path: string): number {
  try {
    return openSync(path, 'a', 0o640)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const why = code === 'ENOENT' ? 'its directory does not exist' : code
    throw new LogFileRefused(`log_file = ${path} cannot be opened (${why})`)
  }
}

function writeWhole(handle: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
}
