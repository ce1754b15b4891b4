export type Signal = 'SIGINT' | 'SIGTERM'

export interface Output {
  write(text: string | Uint8Array): void
  readonly isTerminal: boolean
  /** The width of a line in columns. */
  readonly columns: number
  /** How many lines a screen has. */
  readonly rows: number
  /** Aborted once the reader has closed the stream, as after `berth watch | head -1`. */
  readonly closed: AbortSignal
}

interface Input {
  readonly isTerminal: boolean
  /** Everything that remains to be read. */
  chunks(): AsyncIterable<Uint8Array>
}

/** Everything that a command knows about its process. */
export interface ProcessEnvironment {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
  /** Where the built console is, if it was built. */
  readonly consoleDirectory?: string
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** Milliseconds on a clock that never goes back. */
  nowMs(): number
  /** Calls the handler for each such signal from now on. */
  onSignal(handler: (signal: Signal) => void): void
  /** Calls the handler for each SIGHUP from now on. Without a handler, SIGHUP ends the process. */
  onHangUp(handler: () => void): void
  /** Ends the process at once, even with work in progress. */
  exit(code: number): void
}
