/** Counts claims that hold and claims that fail, and continues after a failure. */
export class Claims {
  readonly print: (line: string) => void
  readonly #failures: string[] = []
  #passed = 0

  constructor(print: (line: string) => void) {
    this.print = print
  }

  async claim(what: string, check: () => Promise<void>): Promise<void> {
    try {
      await check()
      this.#passed++
      this.print(`  ok      ${what}`)
    } catch (error) {
      const failure = `  FAILED  ${what}\n${indent(error instanceof Error ? error.message : String(error))}`
      this.#failures.push(failure)
      this.print(failure)
    }
  }

  /** Prints the count below all failures, because the end of a long output is what people read. Returns the exit code. */
  end(): 0 | 1 {
    for (const failure of this.#failures) this.print(failure)
    this.print(`${this.#passed} passed, ${this.#failures.length} failed`)
    return this.#failures.length === 0 ? 0 : 1
  }
}

const indent = (text: string): string => text.replace(/^/gm, '          ')
