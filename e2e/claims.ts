/** Counts what holds and what does not; when one thing does not, the next one is still looked at. */
export class Claims {
  readonly #print: (line: string) => void
  passed = 0
  failed = 0

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  async claim(what: string, check: () => Promise<void>): Promise<void> {
    try {
      await check()
      this.passed++
      this.#print(`  ok      ${what}`)
    } catch (error) {
      this.failed++
      this.#print(`  FAILED  ${what}\n${indented(error instanceof Error ? error.message : String(error))}`)
    }
  }
}

const indented = (text: string): string => text.replace(/^/gm, '          ')
