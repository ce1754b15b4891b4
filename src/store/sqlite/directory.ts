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
import { createPrivateFile } from '../file-modes.ts'
import { StoreRefused } from '../store.ts'
import { BUSY, resultCode, whileOpening } from './failure.ts'

export const databaseFile = (directory: string) => join(directory, 'berth.sqlite')
const lockFile = (directory: string) => join(directory, 'berth.lock')
const pidFile = (directory: string) => join(directory, 'berth.pid')

/** Makes the data directory if it is not there, and makes sure that we may write in it. */
export function prepareDirectory(directory: string): void {
  try {
    makeDirectory(resolve(directory))
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StoreRefused(`the data directory ${directory} cannot be used: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

/** Not by mkdir's own recursion: Node's never ends under a parent that takes no directories, such as /proc. */
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
  ENOENT: 'it cannot be made there',
  ENOSPC: 'the disk is full',
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}

/** A new entry of a directory outlives a power cut only once the directory itself is on disk. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export interface DirectoryLock {
  release(): void
}

/**
 * One server for each data directory. The lock is a transaction on a file of its own, so it ends with the
 * process however that ends. The number of the process is written beside it: reading the locked file itself
 * from this process would drop its locks (POSIX drops them when any handle of the process is closed).
 */
export function lockDirectory(directory: string): DirectoryLock {
  const file = lockFile(directory)
  let held: DatabaseSync | null = null
  createPrivateFile(file)
  try {
    held = new DatabaseSync(file, { timeout: 0 })
    held.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    held?.close()
    if (resultCode(error) !== BUSY) throw whileOpening(error, file)
    throw new StoreRefused(`the data directory ${directory} is in use by ${holder(directory)}`, {
      cause: error,
    })
  }
  const lock = held
  notePid(directory)
  return {
    release() {
      rmSync(pidFile(directory), { force: true })
      lock.close()
    },
  }
}

function notePid(directory: string): void {
  try {
    writeFileSync(pidFile(directory), `${process.pid}\n`, { mode: 0o600 })
  } catch {
    // It only makes a message better: a full disk is no reason not to read what is there.
  }
}

function holder(directory: string): string {
  try {
    const pid = Number.parseInt(readFileSync(pidFile(directory), 'utf8'), 10)
    if (Number.isSafeInteger(pid)) return `another berth, process ${pid}`
  } catch {
    // Its holder has not written it yet, or could not.
  }
  return 'another berth'
}
