import {
  PlainRowTaken,
  StoreDiverged,
  StoreFull,
  StoreRefused,
  StoreRejected,
  StoreUnavailable,
  StoreUncertain,
} from '../store.ts'

/** An error in the form in which the worker sends it to the main thread. */
export interface ThreadFailure {
  readonly kind: 'unavailable' | 'full' | 'taken' | 'rejected' | 'refused' | 'diverged' | 'uncertain' | 'bug'
  readonly message: string
}

const FAILURES = {
  unavailable: StoreUnavailable,
  full: StoreFull,
  taken: PlainRowTaken,
  rejected: StoreRejected,
  refused: StoreRefused,
  diverged: StoreDiverged,
  uncertain: StoreUncertain,
  bug: Error,
}

export function toFailure(error: unknown): ThreadFailure {
  if (!(error instanceof Error)) return { kind: 'bug', message: String(error) }
  if (error instanceof StoreFull) return { kind: 'full', message: error.message }
  if (error instanceof StoreUnavailable) return { kind: 'unavailable', message: error.message }
  if (error instanceof PlainRowTaken) return { kind: 'taken', message: error.message }
  if (error instanceof StoreRejected) return { kind: 'rejected', message: error.message }
  if (error instanceof StoreRefused) return { kind: 'refused', message: error.message }
  if (error instanceof StoreDiverged) return { kind: 'diverged', message: error.message }
  if (error instanceof StoreUncertain) return { kind: 'uncertain', message: error.message }
  return { kind: 'bug', message: error.stack ?? error.message }
}

export function fromFailure({ kind, message }: ThreadFailure): Error {
  return new FAILURES[kind](message)
}

/** SQLite's primary result codes that have a text of ours. */
export const BUSY = 5
export const FULL = 13
const LOCKED = 6
const NOMEM = 7
export const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const CANTOPEN = 14
const NOTADB = 26
/** Values that a row cannot have: too big, against a constraint, of the wrong type, out of range. */
const UNFIT_VALUES: ReadonlySet<number> = new Set([18, 19, 20, 25])
const READONLY_DBMOVED = 1032

interface SqliteError extends Error {
  readonly errcode: number
  readonly errstr: string
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}

/** The primary result code of an SQLite error, or null for any other. */
export function findResultCode(error: unknown): number | null {
  return isSqliteError(error) ? error.errcode & 0xff : null
}

export const describeMoved = (file: string): string => `${file} was moved or deleted while it was in use`

/** External causes, in plain words; null for our own bugs. */
function describeReason(error: SqliteError, file: string): string | null {
  if (error.errcode === READONLY_DBMOVED) return describeMoved(file)
  switch (error.errcode & 0xff) {
    case FULL:
      return `the disk of ${file} is full`
    case IOERR:
      return `the disk of ${file} reports an error (${error.errstr}, code ${error.errcode})`
    case READONLY:
      return `${file} cannot be written`
    case CANTOPEN:
      return `${file} cannot be opened`
    case BUSY:
    case LOCKED:
      return `another program holds a lock on ${file}`
    case NOMEM:
      return `there is not enough memory to use ${file}`
    default:
      return null
  }
}

function toDamage(error: SqliteError, file: string): StoreRefused | null {
  const code = error.errcode & 0xff
  if (code === NOTADB) return new StoreRefused(`${file} is not a database that berth made`)
  if (code === CORRUPT)
    return new StoreRefused(`${file} is damaged (${error.errstr}); restore it from a backup`)
  return null
}

/** An error while using the file: it may pass (StoreUnavailable) or not; bugs stay as they are. */
export function toUseError(error: unknown, file: string): unknown {
  if (!isSqliteError(error)) return error
  const reason = describeReason(error, file)
  if (findResultCode(error) === FULL) return new StoreFull(`the disk of ${file} is full`, { cause: error })
  if (reason !== null) return new StoreUnavailable(reason, { cause: error })
  if (UNFIT_VALUES.has(error.errcode & 0xff))
    return new StoreRejected(`${file} refuses the row: ${error.message}`, { cause: error })
  return toDamage(error, file) ?? error
}

/** An error while opening: for an external cause, the store is refused in one line. */
export function toOpenError(error: unknown, file: string): unknown {
  if (!isSqliteError(error)) return error
  const reason = describeReason(error, file)
  if (reason !== null) return new StoreRefused(reason, { cause: error })
  return toDamage(error, file) ?? error
}
