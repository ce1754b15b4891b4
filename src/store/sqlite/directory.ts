import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrivateFile } from '../files/file-modes.ts'
import { StoreDiverged, StoreRefused } from '../store.ts'
import { BUSY, findResultCode, READONLY, toOpenError } from './failure.ts'
import { HeldFile } from './held-files.ts'

export const databaseFile = (directory: string) => join(directory, 'berth.sqlite')
/** See ledger-mark.ts. */
export const markFile = (directory: string) => join(directory, 'berth.ledger')
const lockFile = (directory: string) => join(directory, 'berth.lock')
const pidFile = (directory: string) => join(directory, 'berth.pid')

/** Whether a directory has a database, or records that it had one. Creates nothing. */
export function hadLedger(directory: string): boolean {
  return existsSync(databaseFile(directory)) || existsSync(markFile(directory))
}

/** Creates the data directory if it is missing, and checks that it is writable. */
export function prepareDirectory(directory: string): void {
  try {
    makeDirectory(resolve(directory))
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StoreRefused(`the data directory ${directory} cannot be used: ${describeReason(error)}`, {
      cause: error,
    })
  }
}

/** Not by mkdir's own recursion: in Node it never ends under a parent that takes no directories, such as /proc. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) {
    if (!statSync(directory).isDirectory()) throw new Error('it is not a directory')
    return
  }
  makeDirectory(dirname(directory))
  mkdirSync(directory, { mode: 0o700 })
  syncDirectory(dirname(directory))
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOENT: 'it cannot be created there',
  ENOSPC: 'the disk is full',
}

function describeReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}

/** A new directory entry survives a power cut only once the directory itself is on disk. */
export function syncDirectory(directory: string): void {
  syncFile(directory)
}

/** Never of a database: closing its handle would drop the locks of the process. Its log has none. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export interface DirectoryLock {
  readonly file: HeldFile
  /** The last server here left its process id behind: it was killed. */
  readonly wasLeft: boolean
  release(): void
}

/**
 * One server per data directory. The lock is a transaction on a separate file, so it ends with the process however
 * that ends. The process id is in another file: reading the locked file from this process would drop its locks (POSIX
 * drops them when any handle of the process is closed).
 */
export function lockDirectory(directory: string): DirectoryLock {
  const file = lockFile(directory)
  let held: DatabaseSync | null = null
  createPrivateFile(file)
  try {
    held = new DatabaseSync(file, { timeout: 0 })
    const opened = new HeldFile(file)
    // SQLite reads a read-only file too, and then locks nothing: only a write proves the lock.
    held.exec('BEGIN EXCLUSIVE; CREATE TABLE lock (held INTEGER)')
    opened.check()
  } catch (error) {
    held?.close()
    throw describeNotLocked(error, directory, file)
  }
  const lock = held
  const wasLeft = existsSync(pidFile(directory))
  notePid(directory)
  return {
    file: new HeldFile(file),
    wasLeft,
    release() {
      rmSync(pidFile(directory), { force: true })
      lock.close()
    },
  }
}

function describeNotLocked(cause: unknown, directory: string, file: string): unknown {
  const code = findResultCode(cause)
  if (code === BUSY)
    return new StoreRefused(`the data directory ${directory} is in use by ${describeHolder(directory)}`, {
      cause,
    })
  if (code === READONLY)
    return new StoreRefused(
      `${file} cannot be written by this user, so the data directory cannot be locked: give it to the user of the server`,
      { cause },
    )
  if (cause instanceof StoreDiverged) return new StoreRefused(cause.message, { cause })
  return toOpenError(cause, file)
}

function notePid(directory: string): void {
  try {
    writeFileSync(pidFile(directory), `${process.pid}\n`, { mode: 0o600 })
  } catch {
    // It only improves a message: a full disk is no reason not to read what is there.
  }
}

function describeHolder(directory: string): string {
  try {
    const pid = Number.parseInt(readFileSync(pidFile(directory), 'utf8'), 10)
    if (Number.isSafeInteger(pid)) return `another berth, process ${pid}`
  } catch {
    // Its holder has not written it yet, or could not.
  }
  return 'another berth'
}
