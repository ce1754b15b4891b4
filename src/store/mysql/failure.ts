import { LinkLost, TurnAborted } from '../shared/link.ts'
import { StoreRejected, StoreUnavailable } from '../store.ts'

/** What the server answered instead of a result. */
export class ServerError extends Error {
  override name = 'ServerError'
  readonly code: number
  readonly state: string

  constructor(code: number, state: string, message: string) {
    super(message)
    this.code = code
    this.state = state
  }
}

/** What an error of MariaDB means for us. */
type Meaning =
  | 'rejected'
  /** It rolled back the transaction because of others. */
  | 'aborted'
  /** It cannot, or not in time. */
  | 'unavailable'
  /** The connection is closed, or leads to a server that is of no use to us. */
  | 'gone'

/** A guard of ours failed: see `requireRowCount`. */
export const OUT_OF_RANGE = 1690

const MEANINGS: Readonly<Record<number, Meaning>> = {
  1020: 'aborted', // record has changed since it was read
  1040: 'gone', // too many connections
  1044: 'gone', // access denied
  1045: 'gone',
  1046: 'gone', // no database selected
  1047: 'gone', // Galera: the node is not part of the primary component, or not ready
  1048: 'rejected', // null
  1049: 'gone', // no such database
  1053: 'gone', // shutdown
  1054: 'rejected', // no such column
  1062: 'rejected', // duplicate key
  1064: 'rejected', // syntax error, or an unsupported statement
  1077: 'gone', // shutdown
  1079: 'gone',
  1080: 'gone',
  1146: 'rejected', // no such table
  1152: 'gone', // connection lost
  1153: 'gone', // packet too large: the server hangs up
  1158: 'gone', // network errors
  1159: 'gone',
  1160: 'gone',
  1161: 'gone',
  1184: 'gone',
  1205: 'unavailable', // waited too long for a lock
  1213: 'aborted', // deadlock; Galera: lost against a commit at another node
  1264: 'rejected', // values that do not fit
  1290: 'gone', // read only
  1292: 'rejected',
  1317: 'unavailable', // interrupted
  1366: 'rejected',
  1406: 'rejected',
  [OUT_OF_RANGE]: 'rejected',
  1792: 'gone', // read only
  1836: 'gone', // read only
  1927: 'gone', // killed
  1969: 'unavailable', // max_statement_time
  4031: 'gone', // closed for inactivity
}

export const classify = (code: number): Meaning => MEANINGS[code] ?? 'unavailable'

/** One line about an error; `where` is the server's address. */
export function describeError(where: string, error: ServerError): string {
  return `MariaDB at ${where} says: ${error.message} [${error.code}]`
}

/** The error of a statement that changes nothing. */
export function toReadError(where: string, error: Error): Error {
  if (!(error instanceof ServerError)) return error
  const meaning = classify(error.code)
  const Kind = meaning === 'gone' ? LinkLost : meaning === 'aborted' ? TurnAborted : StoreUnavailable
  return new Kind(describeError(where, error), { cause: error })
}

const KINDS: Record<Meaning, new (message: string, options: ErrorOptions) => Error> = {
  rejected: StoreRejected,
  aborted: TurnAborted,
  unavailable: StoreUnavailable,
  // The transaction was not committed, and the next call will find the connection lost.
  gone: TurnAborted,
}

/** The limits of Galera for what one transaction changes. */
export const isTooLarge = ({ message }: ServerError): boolean =>
  /writeset size|wsrep_max_ws_rows|Message too long/i.test(message)

/** The error of a commit by its first failure; `atCommit` if the COMMIT itself failed. */
export function toCommitError(where: string, error: Error, atCommit: boolean): Error {
  if (!(error instanceof ServerError)) return error
  const meaning = isTooLarge(error) ? 'rejected' : classify(error.code)
  // Any other error of a COMMIT may come too late to stop it.
  const isTakenBack = meaning === 'aborted' || meaning === 'rejected'
  const Kind = atCommit && !isTakenBack ? LinkLost : KINDS[meaning]
  return new Kind(describeError(where, error), { cause: error })
}
