export type Signal = 'SIGINT' | 'SIGTERM'

export interface Output {
  write(text: string | Uint8Array): void
  readonly isTerminal: boolean
  /** How wide a line may be. */
  readonly columns: number
  /** How many lines a screen has. */
  readonly rows: number
  /** Aborted once the reader has closed it, as after `berth watch | head -1`. */
  readonly closed: AbortSignal
}

interface Input {
  readonly isTerminal: boolean
  /** All that is left to read. */
  chunks(): AsyncIterable<Uint8Array>
}

/** All that a command knows of the process it runs in. */
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
  /** Calls the handler for each SIGHUP from now on; before, that ends the process. */
  onHangUp(handler: () => void): void
  /** Ends the process at once, with whatever is still under way. */
  exit(code: number): void
}
