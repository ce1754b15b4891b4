import { DatabaseError } from 'pg'
import { LinkLost, TurnAborted } from '../shared/link.ts'
import { PlainRowTaken, StoreDiverged, StoreRejected, StoreUnavailable } from '../store.ts'

/** What an error of PostgreSQL means for us. */
type Meaning =
  /** A row or the head differs from memory: our own check in the statement failed. */
  | 'diverged'
  /** A plain row that should be new exists: our other check. */
  | 'taken'
  | 'rejected'
  /** It rolled back the transaction because of others. */
  | 'aborted'
  /** It cannot, or not in time. */
  | 'unavailable'
  /** The connection is closed, or leads to a server that is of no use to us. */
  | 'gone'

/** Prefixes of SQLSTATE codes; the longest match counts. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  '08': 'gone', // connection exceptions
  '0A': 'gone', // among them: a plan that a migration made useless
  '21': 'rejected', // the same row twice
  '22': 'rejected', // values that do not fit
  '22012': 'diverged', // division by zero: `exactly` in statements.ts
  '2201E': 'taken', // logarithm of zero: `exactlyNew` in statements.ts
  '23': 'rejected', // constraints
  '25006': 'gone', // read only: this server is no primary any more
  '25P03': 'gone', // idle in a transaction for too long
  '25P04': 'gone', // a transaction that took too long
  '26': 'gone', // a prepared statement is unknown: a proxy gave us another connection
  '28': 'gone', // access denied
  '3D': 'gone', // no such database
  '40': 'aborted', // serialization failures, deadlocks
  '42': 'rejected', // syntax error, or an unsupported statement
  '42501': 'unavailable', // rights that were taken away
  '42P05': 'gone', // a prepared statement is there already: a proxy again
  '53': 'unavailable', // out of disk, memory, connections
  '54': 'rejected', // too large or too complex
  '55': 'unavailable', // locks, among others
  '57': 'unavailable', // cancelled
  '57014': 'unavailable', // took too long
  '57P': 'gone', // shut down, crashed, starting up, dropped
  '58': 'unavailable', // its disk reports errors
  P0: 'rejected', // raised by a trigger of the operator
  XX: 'unavailable', // damaged, or a bug of theirs
}

export function classify(code: string): Meaning {
  for (let length = code.length; length > 0; length--) {
    const meaning = MEANINGS[code.slice(0, length)]
    if (meaning !== undefined) return meaning
  }
  return 'unavailable'
}

/**
 * Codes that, as the answer to a COMMIT, mean that nothing was stored. Any other may come too late to stop it: a server
 * that panics while it writes its log reports a full disk, for example.
 */
function isTakenBack(code: string): boolean {
  return /^(23|25|40|57014)/.test(code) && code !== '40003' && classify(code) !== 'gone'
}

/** One line about an error; `where` is the database's address. */
export function describeError(where: string, error: DatabaseError): string {
  const detail = error.detail === undefined ? '' : ` (${error.detail})`
  return `PostgreSQL at ${where} says: ${error.message}${detail} [${error.code}]`
}

/** The error of a statement that changes nothing. */
export function toReadError(where: string, error: Error): Error {
  if (!(error instanceof DatabaseError)) return error
  const meaning = classify(error.code ?? '')
  const Kind = meaning === 'gone' ? LinkLost : StoreUnavailable
  return new Kind(describeError(where, error), { cause: error })
}

/** The error of a turn that never began. */
export function toBeginError(where: string, error: Error): Error {
  if (error instanceof DatabaseError && classify(error.code ?? '') === 'aborted')
    return new TurnAborted(describeError(where, error), { cause: error })
  return toReadError(where, error)
}

const KINDS: Record<Meaning, new (message: string, options: ErrorOptions) => Error> = {
  diverged: StoreDiverged,
  taken: PlainRowTaken,
  rejected: StoreRejected,
  aborted: TurnAborted,
  unavailable: StoreUnavailable,
  // The transaction was not committed, and the next call will find the connection lost.
  gone: TurnAborted,
}

const OURS: Partial<Record<Meaning, string>> = {
  diverged: 'a row or the head is not stored as memory has it',
  taken: 'a plain row that was to be new is there already',
}

/** The error of a commit by its first failure; `atCommit` if the COMMIT itself failed. */
export function toCommitError(where: string, error: Error, atCommit: boolean): Error {
  if (!(error instanceof DatabaseError)) return error
  const code = error.code ?? ''
  if (atCommit && !isTakenBack(code)) return new LinkLost(describeError(where, error), { cause: error })
  const meaning = classify(code)
  return new KINDS[meaning](OURS[meaning] ?? describeError(where, error), { cause: error })
}
