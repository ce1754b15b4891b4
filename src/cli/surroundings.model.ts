import type { Signal, Surroundings } from './surroundings.ts'

/** Surroundings that tests can look into. */
export class FakeSurroundings implements Surroundings {
  readonly version = '1.2.3'
  readonly env: Record<string, string | undefined>
  readonly stdout = new Recorder()
  readonly stderr = new Recorder()
  readonly exits: number[] = []
  atMs = 0
  #handlers: ((signal: Signal) => void)[] = []

  constructor(env: Record<string, string | undefined> = {}) {
    this.env = env
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

  signal(signal: Signal): void {
    for (const handler of this.#handlers) handler(signal)
  }
}

class Recorder {
  text = ''
  readonly isTerminal = false
  readonly columns = 80

  write(text: string): void {
    this.text += text
  }

  get lines(): string[] {
    return this.text.split('\n').filter(line => line !== '')
  }
}
