import type { Config } from './config/keys.ts'

/** What the server needs from the process it runs in. */
export interface ServerParts {
  readonly version: string
  /** Takes one line of the log, without its end. */
  readonly log: (line: string) => void
}

export interface RunningServer {
  /** Every address it listens on, as `host:port`. */
  readonly addresses: readonly string[]
  readonly url: string
  /** The admin token, if this start made it. */
  readonly firstStartToken: string | null
  /** Takes no new connections, lets requests under way finish, and closes the store. */
  drain(): Promise<void>
  /** Resolves when the server cannot go on. */
  readonly fatal: Promise<Error>
}

export interface Difference {
  readonly table: string
  readonly key: string
  readonly stored: Readonly<Record<string, unknown>> | null
  readonly memory: Readonly<Record<string, unknown>> | null
}

/** What `POST /v1/verify` answers. */
export interface VerifyReport {
  /** The directory that was looked at, absolute and without symbolic links. */
  readonly data_dir: string
  readonly revision: number
  /** How many rows were compared. */
  readonly rows: number
  /** How many differences there are; `differences` may show fewer. */
  readonly differences_total: number
  readonly differences: readonly Difference[]
}

export function startServer(_config: Config, _parts: ServerParts): Promise<RunningServer> {
  return Promise.reject(new Error('not assembled yet'))
}

/** Opens the store of a server that does not run, and compares it with the world made from its changes. */
export function verifyOffline(_config: Config): Promise<VerifyReport> {
  return Promise.reject(new Error('not assembled yet'))
}
