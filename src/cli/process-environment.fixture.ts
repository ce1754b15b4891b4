import type { Output, ProcessEnvironment, Signal } from './process-environment.ts'

/** A ProcessEnvironment that tests can inspect. */
export class FakeEnvironment implements ProcessEnvironment {
  readonly version = '1.2.3'
  readonly env: Record<string, string | undefined>
  readonly homeDirectory = '/nonexistent'
  readonly stdout = new Recorder()
  readonly stderr = new Recorder()
  readonly exits: number[] = []
  /** What can be read from standard input. */
  typed = ''
  atMs = 0
  #handlers: ((signal: Signal) => void)[] = []
  #hangUpHandlers: (() => void)[] = []

  constructor(env: Record<string, string | undefined> = {}) {
    this.env = env
  }

  readonly stdin = {
    isTerminal: false,
    chunks: () => chunksOf(this.typed),
  }

  nowMs(): number {
    return this.atMs
  }

  onSignal(handler: (signal: Signal) => void): void {
    this.#handlers.push(handler)
  }

  exit(code: number): void {
    this.exits.push(code)
  }

  onHangUp(handler: () => void): void {
    this.#hangUpHandlers.push(handler)
  }

  hangUp(): void {
    for (const handler of this.#hangUpHandlers) handler()
  }

  signal(signal: Signal): void {
    for (const handler of this.#handlers) handler(signal)
  }
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

class Recorder implements Output {
  text = ''
  isTerminal = false
  columns = 80
  rows = 24
  readonly #reader = new AbortController()
  readonly closed = this.#reader.signal
  /** Called after each write. */
  onWrite: () => void = () => undefined

  write(text: string | Uint8Array): void {
    this.text += typeof text === 'string' ? text : new TextDecoder().decode(text)
    this.onWrite()
  }

  /** The reader has closed the stream. */
  close(): void {
    this.#reader.abort()
  }

  get lines(): string[] {
    return this.text.split('\n').filter(line => line !== '')
  }
}
